// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/PassThrough.h"

#include "Base/Error.h"
#include "Driver/DeviceDisk.h"
#include "Driver/Hdf5Library.h"
#include "Memory/DeviceDriver.h"

#include <array>
#include <string>
#include <vector>

#include <sys/stat.h>

namespace dsm::passthrough
{

namespace
{
// From Open to the query behind it, within one H5FD_open.
struct HandOver
{
  const H5FD_t* File = nullptr;
  const H5FD_class_t* Class = nullptr;
  std::string DeviceName; ///< if it gets the class of DeviceDisk: the file's name
};
thread_local HandOver Pending;

const H5FD_class_t& RealClass(bool parallel)
{
  return parallel ? hdf5library::Mpio() : hdf5library::Sec2();
}

/// True when this process has the file open, under whatever name.
bool IsOpenHere(const char* name)
{
  struct stat wanted = {};
  if (stat(name, &wanted) != 0)
  {
    return false;
  }
  const auto everywhere = static_cast<hid_t>(H5F_OBJ_ALL);
  const ssize_t count = H5Fget_obj_count(everywhere, H5F_OBJ_FILE);
  std::vector<hid_t> files(count > 0 ? static_cast<std::size_t>(count) : 0);
  if (files.empty() || H5Fget_obj_ids(everywhere, H5F_OBJ_FILE, files.size(), files.data()) < 0)
  {
    return false;
  }
  for (const hid_t file : files)
  {
    std::array<char, 4096> other{};
    struct stat found = {};
    if (H5Fget_name(file, other.data(), other.size()) > 0 && stat(other.data(), &found) == 0 &&
      found.st_dev == wanted.st_dev && found.st_ino == wanted.st_ino)
    {
      return true;
    }
  }
  return false;
}
}

H5FD_t* Open(bool parallel, const char* name, unsigned flags, hid_t fapl, haddr_t maxaddr)
{
  const H5FD_class_t& real = RealClass(parallel);
  // With sec2, HDF5 first looks whether the file is open already, and keeps it whole. It goes by
  // the access list's driver there, so it does not look with us.
  if (!parallel && (flags & H5F_ACC_TRUNC) != 0 && IsOpenHere(name))
  {
    throw Error(
      Fault::Usage, "{} is open in this program: it cannot be created anew (H5F_ACC_TRUNC)", name);
  }
  const bool takesDevices =
    DeviceDriver::IsLoaded() && (parallel || devicedisk::Has(name, false) || !IsOpenHere(name));
  hdf5library::SetLock(fapl, real.lock);
  H5FD_t* file = real.open(name, flags, fapl, maxaddr);
  Pending = { file, &real, takesDevices ? name : "" };
  return file;
}

std::optional<int> Descriptor(H5FD_t* file)
{
  if (!file || Pending.Class != &hdf5library::Sec2())
  {
    return std::nullopt;
  }
  void* handle = nullptr;
  return Pending.Class->get_handle(file, H5P_DEFAULT, &handle) >= 0 && handle
    ? std::optional(*static_cast<int*>(handle))
    : std::nullopt;
}

void Close(H5FD_t* file)
{
  if (file)
  {
    Pending.Class->close(file);
    Pending = {};
  }
}

bool TakeOver(const H5FD_t* file, unsigned long* flags, herr_t& result)
{
  if (!file || file != Pending.File)
  {
    return false;
  }
  // The structure was made by the real driver, and is not const there.
  auto* const made = const_cast<H5FD_t*>(file);
  made->cls = Pending.Class;
  if (!Pending.DeviceName.empty())
  {
    const bool parallel = Pending.Class != &hdf5library::Sec2();
    made->cls = &devicedisk::Class(parallel);
    devicedisk::Note(file, Pending.DeviceName.c_str(), parallel);
  }
  Pending = {};
  *flags = 0;
  result = file->cls->query ? file->cls->query(file, flags) : 0;
  return true;
}

herr_t Delete(bool parallel, const char* name, hid_t fapl)
{
  const H5FD_class_t& real = RealClass(parallel);
  return real.del ? real.del(name, fapl) : -1;
}

}
