// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/ProgramData.h"

#include "Base/Error.h"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <functional>

namespace dsm::programdata
{

namespace
{
constexpr std::uint64_t BetweenLooks = UINT64_C(1) << 20;

// The system reads a signal mask there before it sees that it is to do nothing with it. That takes
// a tenth of a microsecond.
bool IsReadable(const std::byte* place)
{
  constexpr std::uintptr_t mask = 8;
  const auto address = reinterpret_cast<std::uintptr_t>(place) / mask * mask;
  return syscall(SYS_rt_sigprocmask, ~0, address, nullptr, mask) == 0 || errno != EFAULT;
}

const std::byte* Unreadable(const std::byte* data, std::uint64_t size)
{
  if (size == 0)
  {
    return nullptr;
  }
  for (std::uint64_t at = 0; at < size; at += BetweenLooks)
  {
    if (!IsReadable(data + at))
    {
      return data + at;
    }
  }
  return IsReadable(data + size - 1) ? nullptr : data + size - 1;
}

// CUDA's and HIP's drivers have the same function by two names, and know their pointers. Only one
// that the program has loaded is asked.
struct Devices
{
  const char* Maker;
  const char* Copy;
  const char* Library;
  const char* Function;
};
constexpr std::array<Devices, 4> AllDevices{ {
  { "a CUDA device", "cudaMemcpy", "libcuda.so.1", "cuPointerGetAttribute" },
  { "a HIP device", "hipMemcpy", "libamdhip64.so.7", "hipPointerGetAttribute" },
  { "a HIP device", "hipMemcpy", "libamdhip64.so.6", "hipPointerGetAttribute" },
  { "a HIP device", "hipMemcpy", "libamdhip64.so.5", "hipPointerGetAttribute" },
} };

std::string DeviceText(const std::byte* place)
{
  constexpr int memoryType = 2;
  constexpr unsigned ofDevice = 2;
  using Function = int (*)(void* value, int attribute, unsigned long long pointer);
  for (const Devices& kind : AllDevices)
  {
    void* const library = dlopen(kind.Library, RTLD_LAZY | RTLD_NOLOAD);
    const auto ask = library ? reinterpret_cast<Function>(dlsym(library, kind.Function)) : nullptr;
    unsigned type = 0;
    const bool isOfDevice = ask &&
      ask(&type, memoryType, reinterpret_cast<std::uintptr_t>(place)) == 0 && type == ofDevice;
    if (library)
    {
      dlclose(library);
    }
    if (isOfDevice)
    {
      return fmt::format(
        ". It is memory of {}: copy it to the host first ({})", kind.Maker, kind.Copy);
    }
  }
  return {};
}

bool IsOfDevice(const std::byte* data)
{
  return DeviceBuffers::Any() && DeviceBuffers::Find(data);
}

void Require(const std::string& fileName, const std::byte* unreadable, DeviceBuffers& devices)
{
  if (unreadable && !devices.Recognise(unreadable))
  {
    throw Error(Fault::Usage, "cannot write to {}: the program's data at {} cannot be read: {}{}",
      fileName, static_cast<const void*>(unreadable), SystemText(EFAULT), DeviceText(unreadable));
  }
}
}

void RequireReadable(
  const std::string& fileName, std::span<const PutPiece> pieces, DeviceBuffers& devices)
{
  const bool known = DeviceDriver::IsLoaded();
  const std::less<> before;
  const std::byte* lowest = nullptr;
  const std::byte* highest = nullptr;
  for (const PutPiece& piece : pieces)
  {
    if (IsOfDevice(piece.Memory))
    {
      continue;
    }
    if (piece.Size > BetweenLooks)
    {
      Require(fileName, Unreadable(piece.Memory, piece.Size), devices);
    }
    else if (piece.Size > 0)
    {
      const std::byte* const last = piece.Memory + piece.Size - 1;
      lowest = !lowest || before(piece.Memory, lowest) ? piece.Memory : lowest;
      highest = !highest || before(highest, last) ? last : highest;
    }
  }
  const std::byte* const unreadable = !lowest || (IsReadable(lowest) && IsReadable(highest))
    ? nullptr
    : IsReadable(lowest) ? highest
                         : lowest;
  Require(fileName, unreadable, devices);
  if (!known && DeviceDriver::IsLoaded())
  {
    for (const PutPiece& piece : pieces)
    {
      devices.Add(piece.Memory);
    }
  }
}

}
