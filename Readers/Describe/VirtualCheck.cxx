// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/VirtualCheck.h"

#include "Base/Error.h"
#include "Describe/Hdf5File.h"
#include "Describe/SourceFolder.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace dsm::describe
{

namespace
{
constexpr std::size_t MostObjects = 20000;
// As deep as anybody puts datasets together of others that are put together.
constexpr std::size_t MostDepth = 64;
// Sources of one dataset that are followed: one put together of more files is made by a program,
// each like the others.
constexpr std::size_t MostSources = 1000;

bool Same(const H5O_info2_t& one, const H5O_info2_t& other, hid_t file)
{
  int order = 0;
  return one.fileno == other.fileno && H5Otoken_cmp(file, &one.token, &other.token, &order) >= 0 &&
    order == 0;
}

// The text that one of HDF5's functions writes.
template <typename Function>
std::string TextOf(const Function& get)
{
  const ssize_t length = get(nullptr, std::size_t(0));
  std::string text(length > 0 ? static_cast<std::size_t>(length) : 0, '\0');
  if (!text.empty())
  {
    get(text.data(), text.size() + 1);
  }
  return text;
}

// The files of a source, wherever HDF5 looks for one: not every reader tells it the folder.
std::vector<hdf5::FileHandle> OpenSources(hid_t file, const std::string& name)
{
  const std::string from =
    TextOf([file](char* to, std::size_t size) { return H5Fget_name(file, to, size); });
  const auto beside = std::filesystem::path(from).parent_path() / name;
  const auto named = std::filesystem::path(hdf5::SourceFolder::Current()) / name;
  std::vector<hdf5::FileHandle> files;
  for (const std::string& place : { named.string(), beside.string(), name })
  {
    const hid_t opened = H5Fopen(place.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    if (opened >= 0)
    {
      files.emplace_back(opened);
    }
  }
  return files;
}

// Returns whether HDF5 reads a source that has grown since all of it was selected.
bool MayHaveMore()
{
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return major < 2;
}

// HDF5 (1.14.5) crashes where a source has other dimensions than the selection of it, or fewer
// elements than all of it stand for; HDF5 2.2 ends the process where it has more.
void CheckSource(
  hid_t file, hid_t how, std::size_t index, const std::string& source, const std::string& path)
{
  const hdf5::DatasetHandle dataset = hdf5::OpenDataset(file, source);
  const hdf5::SpaceHandle space(dataset < 0 ? H5I_INVALID_HID : H5Dget_space(dataset));
  const hdf5::SpaceHandle selected(H5Pget_virtual_srcspace(how, index));
  const hdf5::SpaceHandle filled(H5Pget_virtual_vspace(how, index));
  if (space < 0 || selected < 0 || filled < 0)
  {
    return; // not there: its elements are the dataset's fill value
  }
  const bool all = H5Sget_select_type(selected) == H5S_SEL_ALL;
  const auto has = H5Sget_simple_extent_npoints(space);
  const auto needed = H5Sget_select_npoints(filled);
  if (all ? needed > has || (needed < has && !MayHaveMore())
          : H5Sget_simple_extent_ndims(selected) != H5Sget_simple_extent_ndims(space))
  {
    throw Error(Fault::Usage,
      "the virtual dataset {} takes {} for a dataset of another shape than it has", path, source);
  }
}

struct Followed
{
  std::vector<H5O_info2_t> Above = {}; ///< the datasets that lead here
  std::vector<H5O_info2_t> Good = {};
};

void Follow(hid_t file, const std::string& path, Followed& followed)
{
  const hdf5::DatasetHandle dataset = hdf5::OpenDataset(file, path);
  const hdf5::PropertiesHandle how(dataset < 0 ? H5I_INVALID_HID : H5Dget_create_plist(dataset));
  H5O_info2_t info;
  if (how < 0 || H5Pget_layout(how) != H5D_VIRTUAL ||
    H5Oget_info3(dataset, &info, H5O_INFO_BASIC) < 0)
  {
    return;
  }
  const auto isThis = [&](const H5O_info2_t& one) { return Same(one, info, file); };
  auto& above = followed.Above;
  if (std::any_of(followed.Good.begin(), followed.Good.end(), isThis))
  {
    return;
  }
  if (std::any_of(above.begin(), above.end(), isThis) || above.size() > MostDepth)
  {
    throw Error(Fault::Usage,
      "the virtual dataset {} is put together of itself, which HDF5 cannot read: let it name "
      "other datasets",
      path);
  }
  above.push_back(info);
  std::size_t count = 0;
  H5Pget_virtual_count(how, &count);
  for (std::size_t index = 0; index < std::min(count, MostSources); ++index)
  {
    const std::string name = TextOf(
      [&](char* to, std::size_t size) { return H5Pget_virtual_filename(how, index, to, size); });
    const std::string source = TextOf(
      [&](char* to, std::size_t size) { return H5Pget_virtual_dsetname(how, index, to, size); });
    const auto check = [&](hid_t in)
    {
      CheckSource(in, how, index, source, path);
      Follow(in, source, followed);
    };
    if (name == ".")
    {
      check(file);
      continue;
    }
    for (const hdf5::FileHandle& other : OpenSources(file, name))
    {
      check(other);
    }
  }
  above.pop_back();
  followed.Good.push_back(info);
}

struct Visit
{
  hid_t File = H5I_INVALID_HID;
  std::size_t Seen = 0;
  std::vector<std::string> Datasets = {};
};

herr_t VisitObject(hid_t, const char* name, const H5O_info2_t* info, void* data)
{
  auto& visit = *static_cast<Visit*>(data);
  if (info->type == H5O_TYPE_DATASET)
  {
    visit.Datasets.emplace_back(name);
  }
  return ++visit.Seen < MostObjects ? 0 : 1;
}
}

void CheckVirtual(hid_t file)
{
  const hdf5::SilenceErrors silence;
  Visit visit{ file };
  H5Ovisit3(file, H5_INDEX_NAME, H5_ITER_NATIVE, VisitObject, &visit, H5O_INFO_BASIC);
  Followed followed;
  for (const std::string& path : visit.Datasets)
  {
    Follow(file, "/" + path, followed);
  }
}

}
