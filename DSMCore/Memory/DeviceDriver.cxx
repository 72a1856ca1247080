// SPDX-License-Identifier: BSD-3-Clause
#include "Memory/DeviceDriver.h"

#include "Base/Environment.h"
#include "Memory/CudaDriver.h"
#include "Memory/HipDriver.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <array>
#include <mutex>
#include <string>
#include <string_view>

namespace dsm
{

namespace
{
// Counts the libraries that this process has loaded in its life.
std::uint64_t LoadedSoFar()
{
  std::uint64_t loaded = 0;
  dl_iterate_phdr(
    [](dl_phdr_info* object, std::size_t, void* count)
    {
      *static_cast<std::uint64_t*>(count) = object->dlpi_adds;
      return 1;
    },
    &loaded);
  return loaded;
}

struct Wanted
{
  std::string_view Name;
  std::string Path;
};

// Returns the path of a loaded library whose file name begins so, or an empty one. Does not ask the
// file system, as dlopen does.
std::string PathOf(std::string_view name)
{
  Wanted wanted{ name, {} };
  dl_iterate_phdr(
    [](dl_phdr_info* object, std::size_t, void* data)
    {
      auto& looked = *static_cast<Wanted*>(data);
      const std::string_view path = object->dlpi_name ? object->dlpi_name : "";
      if (!path.substr(path.rfind('/') + 1).starts_with(looked.Name))
      {
        return 0;
      }
      looked.Path = path;
      return 1;
    },
    &wanted);
  return wanted.Path;
}

struct Library
{
  const char* Name;
  std::unique_ptr<const DeviceDriver> (*Make)(void* library);
  std::atomic<const DeviceDriver*> Driver;
};
std::array<Library, 2> Libraries{ { { "libcuda.so", CudaDriver::Make, nullptr },
  { "libamdhip64.so", HipDriver::Make, nullptr } } };

void* Handle(std::string_view name)
{
  const std::string path = PathOf(name);
  return path.empty() ? nullptr : dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
}
}

std::atomic<bool> DeviceDriver::Loaded = false;

bool DeviceDriver::IsExpected()
{
  static const bool expected = environment::SwitchOr(
    "DSM_GPU", access("/dev/nvidiactl", F_OK) == 0 || access("/dev/kfd", F_OK) == 0);
  return expected;
}

// A driver that is found stays, and so does its library: other threads may be in its functions.
void DeviceDriver::Look()
{
  static std::atomic<std::uint64_t> seen = 0;
  const std::uint64_t loaded = LoadedSoFar();
  if (seen.load(std::memory_order_acquire) == loaded)
  {
    return;
  }
  static std::mutex guard;
  const std::lock_guard lock(guard);
  for (Library& one : Libraries)
  {
    void* const library = one.Driver ? nullptr : Handle(one.Name);
    if (library)
    {
      one.Driver = one.Make(library).release();
    }
    if (one.Driver)
    {
      Loaded.store(true, std::memory_order_release);
    }
  }
  seen.store(loaded, std::memory_order_release);
}

std::pair<const DeviceDriver*, DeviceDriver::Allocation> DeviceDriver::Owner(const void* address)
{
  for (const Library& one : Libraries)
  {
    const DeviceDriver* const driver = one.Driver;
    if (const auto found = driver ? driver->Find(address) : std::nullopt)
    {
      return { driver, *found };
    }
  }
  return {};
}

}
