// SPDX-License-Identifier: BSD-3-Clause
#include "Tools/Repack/MasterFile.h"

#include "Archive/PartMark.h"
#include "Base/FileName.h"
#include "Tools/Hdf5Objects.h"
#include "Tools/Repack/ObjectPaths.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <vector>

namespace dsm::repack
{

namespace
{
// The files that a virtual dataset's values are in, as it has their names.
std::vector<std::string> SourcesOf(hid_t list)
{
  std::vector<std::string> sources;
  std::size_t mappings = 0;
  if (H5Pget_layout(list) == H5D_VIRTUAL)
  {
    H5Pget_virtual_count(list, &mappings);
  }
  for (std::size_t i = 0; i < mappings; ++i)
  {
    std::array<char, 4096> name{};
    H5Pget_virtual_filename(list, i, name.data(), name.size());
    sources.emplace_back(name.data());
  }
  return sources;
}

bool IsPart(const std::string& source)
{
  return source.find('/') == std::string::npos && source.find(PartMark) != std::string::npos;
}
}

std::set<std::string> PartsOf(const std::string& path)
{
  const Hdf5Silence quiet;
  const Hdf5Object file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  std::set<std::string> parts;
  if (file < 0)
  {
    return parts;
  }
  const auto folder = std::filesystem::path(AbsoluteName(path)).parent_path();
  for (const NamedObject& object : ObjectsIn(file))
  {
    const Hdf5Object dataset(object.Info.Type == H5O_TYPE_DATASET
        ? H5Dopen2(file, object.Path.c_str(), H5P_DEFAULT)
        : H5I_INVALID_HID,
      H5Dclose);
    const Hdf5Object list(dataset < 0 ? H5I_INVALID_HID : H5Dget_create_plist(dataset), H5Pclose);
    for (const std::string& source : list < 0 ? std::vector<std::string>() : SourcesOf(list))
    {
      if (IsPart(source))
      {
        parts.insert((folder / source).string());
      }
    }
  }
  return parts;
}

bool IsOverParts(hid_t creationList)
{
  const auto sources = SourcesOf(creationList);
  return !sources.empty() && std::all_of(sources.begin(), sources.end(), IsPart);
}

}
