// SPDX-License-Identifier: BSD-3-Clause
#include "Tools/Repack/GatheredFile.h"

#include "Base/Error.h"
#include "Tools/Hdf5Objects.h"
#include "Tools/Repack/MasterFile.h"
#include "Tools/Repack/RepackTask.h"

#include <filesystem>
#include <fstream>

namespace dsm::repack
{

namespace
{
// What stands before the HDF5 file in a file.
void CopyUserBlock(const std::string& path, const NewFile& to)
{
  const std::string what = "look at " + path;
  const Hdf5Object file(
    CheckedHdf5(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), what), H5Fclose);
  const Hdf5Object list(CheckedHdf5(H5Fget_create_plist(file), what), H5Pclose);
  hsize_t size = 0;
  CheckedHdf5(H5Pget_userblock(list, &size), what);
  std::string block(size, '\0');
  if (!std::ifstream(path, std::ios::binary).read(block.data(), static_cast<std::streamsize>(size)))
  {
    throw Error(Fault::System, "its first {} bytes cannot be read", size);
  }
  to.WriteText(block);
}
}

GatheredFile::GatheredFile(const std::string& path)
{
  const auto parts = PartsOf(path);
  if (parts.empty())
  {
    return;
  }
  for (const std::string& part : parts)
  {
    if (!std::filesystem::exists(part))
    {
      throw Error(Fault::System, "{} is not whole: its part {} is not there", path, part);
    }
  }
  RepackTask task;
  task.Source = path;
  task.Name = path;
  task.Gathers = true;
  this->File.emplace(path);
  task.Output = this->File->ForOthers(true).Path;
  try
  {
    Carry(task, [](std::uint64_t) {});
    CopyUserBlock(path, *this->File);
  }
  catch (const Error& error)
  {
    throw Error(
      error.GetFault(), "cannot make one file of {} and its parts: {}", path, error.what());
  }
  this->Path = task.Output;
}

}
