// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/SourceFolder.h"

#include "Base/FileName.h"

#include <hdf5.h>

#include <utility>

namespace dsm::hdf5
{

namespace
{
std::string& Folder()
{
  thread_local std::string folder;
  return folder;
}
}

SourceFolder::SourceFolder(const std::string& simulated)
  : Before(Folder())
{
  const std::string name = AbsoluteName(simulated);
  Folder() = name.substr(0, name.rfind('/') + 1);
}

SourceFolder::~SourceFolder()
{
  Folder() = std::move(this->Before);
}

const std::string& SourceFolder::Current()
{
  return Folder();
}

DatasetHandle OpenDataset(hid_t file, const std::string& path)
{
  if (Folder().empty())
  {
    return DatasetHandle(H5Dopen2(file, path.c_str(), H5P_DEFAULT));
  }
  DatasetHandle opened;
  {
    const PropertiesHandle how(H5Pcreate(H5P_DATASET_ACCESS));
    H5Pset_virtual_prefix(how, Folder().c_str());
    opened = DatasetHandle(H5Dopen2(file, path.c_str(), how));
  }
  // H5Pclose clears HDF5's errors: a second attempt brings the reason back.
  return opened >= 0 ? std::move(opened) : DatasetHandle(H5Dopen2(file, path.c_str(), H5P_DEFAULT));
}

}
