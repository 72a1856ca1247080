// SPDX-License-Identifier: BSD-3-Clause
#include "Tools/VirtualSeries.h"

#include "Base/Error.h"
#include "Base/FileName.h"
#include "Encoding/Encoding.h"
#include "Tools/Hdf5Objects.h"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

namespace dsm
{

namespace
{
namespace fs = std::filesystem;

constexpr const char* TimeName = "time";

Hdf5Object OpenFile(const std::string& path)
{
  Hdf5Object file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (file < 0)
  {
    throw Error(Fault::System, "{} cannot be opened as an HDF5 file", path);
  }
  return file;
}

std::vector<std::string> DatasetsIn(hid_t file)
{
  std::vector<std::string> names;
  const auto note = [](hid_t, const char* name, const H5O_info2_t* info, void* data) -> herr_t
  {
    if (info->type == H5O_TYPE_DATASET)
    {
      static_cast<std::vector<std::string>*>(data)->emplace_back(name);
    }
    return 0;
  };
  H5Ovisit3(file, H5_INDEX_NAME, H5_ITER_INC, note, &names, H5O_INFO_BASIC);
  return names;
}

std::vector<hsize_t> ShapeOf(hid_t dataset)
{
  const Hdf5Object space(H5Dget_space(dataset), H5Sclose);
  std::vector<hsize_t> shape(
    static_cast<std::size_t>(std::max(H5Sget_simple_extent_ndims(space), 0)));
  H5Sget_simple_extent_dims(space, shape.data(), nullptr);
  return shape;
}

// Why a dataset of the first step cannot be joined with those of the others; empty: it can.
std::string WhyNot(const std::string& name, hid_t first, const std::vector<SeriesStep>& steps)
{
  const Hdf5Object type(H5Dget_type(first), H5Tclose);
  if (!HasFixedSize(type))
  {
    return "its values have no fixed size";
  }
  const Hdf5Object space(H5Dget_space(first), H5Sclose);
  if (H5Sget_simple_extent_type(space) == H5S_NULL)
  {
    return "it has no values";
  }
  const auto shape = ShapeOf(first);
  for (std::size_t step = 1; step < steps.size(); ++step)
  {
    const Hdf5Object file = OpenFile(steps[step].Path);
    const Hdf5Object other(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
    if (other < 0)
    {
      return fmt::format("it is not in {}", steps[step].Path);
    }
    const Hdf5Object its(H5Dget_type(other), H5Tclose);
    if (ShapeOf(other) != shape || H5Tequal(its, type) <= 0)
    {
      return fmt::format("it is of another shape or type in {}", steps[step].Path);
    }
  }
  return {};
}

// As the new file names it: by the way from its own folder, where there is one.
std::string SeenFrom(const std::string& folder, const std::string& path)
{
  const std::string absolute = AbsoluteName(path);
  const std::string below = PathBelow(folder, absolute);
  return below.empty() ? absolute : below;
}

void Require(bool done, const char* what, const std::string& path)
{
  if (!done)
  {
    throw Error(Fault::System, "{} of {} cannot be written", what, path);
  }
}

// Numbers and texts of fixed size that stand at a dataset.
void CopyAttributes(hid_t from, hid_t to)
{
  const auto copy = [](hid_t object, const char* name, const H5A_info_t*, void* data) -> herr_t
  {
    const Hdf5Object attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
    const Hdf5Object type(H5Aget_type(attribute), H5Tclose);
    const Hdf5Object space(H5Aget_space(attribute), H5Sclose);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    if (!HasFixedSize(type) || count <= 0)
    {
      return 0;
    }
    std::vector<std::byte> values(static_cast<std::size_t>(count) * H5Tget_size(type));
    const Hdf5Object same(
      H5Acreate2(*static_cast<hid_t*>(data), name, type, space, H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose);
    const bool copied = same >= 0 && H5Aread(attribute, type, values.data()) >= 0 &&
      H5Awrite(same, type, values.data()) >= 0;
    return copied ? 0 : -1;
  };
  H5Aiterate2(from, H5_INDEX_NAME, H5_ITER_INC, nullptr, copy, &to);
}

void Join(hid_t file, const std::string& path, const std::string& name, hid_t first,
  const std::vector<SeriesStep>& steps)
{
  const auto shape = ShapeOf(first);
  std::vector<hsize_t> all{ steps.size() };
  all.insert(all.end(), shape.begin(), shape.end());
  const Hdf5Object space(
    H5Screate_simple(static_cast<int>(all.size()), all.data(), nullptr), H5Sclose);
  const Hdf5Object source(H5Dget_space(first), H5Sclose);
  const Hdf5Object layout(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  const std::string folder = fs::path(AbsoluteName(path)).parent_path().string();
  std::vector<hsize_t> start(all.size());
  std::vector<hsize_t> count(all);
  count[0] = 1;
  for (std::size_t step = 0; step < steps.size(); ++step)
  {
    start[0] = step;
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
    Require(
      H5Pset_virtual(layout, space, VirtualSourceName(SeenFrom(folder, steps[step].Path)).c_str(),
        VirtualSourceName("/" + name).c_str(), source) >= 0,
      name.c_str(), path);
  }
  H5Sselect_all(space);
  const Hdf5Object links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links, 1);
  const Hdf5Object type(H5Dget_type(first), H5Tclose);
  const Hdf5Object made(
    H5Dcreate2(file, name.c_str(), type, space, links, layout, H5P_DEFAULT), H5Dclose);
  Require(made >= 0, name.c_str(), path);
  CopyAttributes(first, made);
}

void WriteTimes(hid_t file, const std::string& path, const std::vector<SeriesStep>& steps)
{
  std::vector<double> times;
  times.reserve(steps.size());
  for (const SeriesStep& step : steps)
  {
    times.push_back(step.Time);
  }
  const hsize_t count = times.size();
  const Hdf5Object space(H5Screate_simple(1, &count, nullptr), H5Sclose);
  const Hdf5Object made(
    H5Dcreate2(file, TimeName, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
    H5Dclose);
  Require(made >= 0 &&
      H5Dwrite(made, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, times.data()) >= 0,
    "the times", path);
}

std::vector<SeriesStep> StepsIn(const std::string& series)
{
  std::ifstream file(series);
  if (!file)
  {
    throw Error(Fault::System, "{} cannot be read", series);
  }
  std::ostringstream text;
  text << file.rdbuf();
  std::vector<SeriesStep> steps;
  FieldsFromText(
    text.str(), series,
    [&](Fields& fields)
    {
      fields.List("files", steps,
        [&](SeriesStep& step)
        {
          fields.Record(nullptr,
            [&]
            {
              fields("name", step.Path);
              fields("time", step.Time);
            });
        });
    },
    Unknown::Ignored);
  for (SeriesStep& step : steps)
  {
    step.Path = (fs::path(series).parent_path() / step.Path).string();
  }
  return steps;
}
}

std::vector<SeriesStep> StepsOf(const std::vector<std::string>& paths)
{
  std::vector<SeriesStep> steps;
  if (paths.size() == 1 && paths.front().ends_with(".series"))
  {
    steps = StepsIn(paths.front());
  }
  else
  {
    for (const std::string& path : paths)
    {
      steps.push_back({ path, StepFromName(path).value_or(static_cast<double>(steps.size())) });
    }
  }
  if (steps.empty())
  {
    throw Error(Fault::Usage, "no step is named: say the files, or the .series beside them");
  }
  std::stable_sort(steps.begin(), steps.end(),
    [](const SeriesStep& one, const SeriesStep& other) { return one.Time < other.Time; });
  return steps;
}

std::vector<std::string> WriteVirtualSeries(
  const std::string& path, const std::vector<SeriesStep>& steps)
{
  const Hdf5Silence quiet;
  std::vector<std::string> left;
  const std::string temporary = NameBeside(path, ".part");
  std::size_t joined = 0;
  try
  {
    const Hdf5Object first = OpenFile(steps.front().Path);
    const Hdf5Object file(
      H5Fcreate(temporary.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
    Require(file >= 0, "a part", path);
    bool hasTime = false;
    for (const std::string& name : DatasetsIn(first))
    {
      const Hdf5Object dataset(H5Dopen2(first, name.c_str(), H5P_DEFAULT), H5Dclose);
      const std::string why = WhyNot(name, dataset, steps);
      if (!why.empty())
      {
        left.push_back(fmt::format("/{}: {}", name, why));
        continue;
      }
      Join(file, path, name, dataset, steps);
      hasTime = hasTime || name == TimeName;
      ++joined;
    }
    if (joined == 0)
    {
      throw Error(Fault::Usage, "{} and the {} files after it have no dataset in common",
        steps.front().Path, steps.size() - 1);
    }
    if (!hasTime)
    {
      WriteTimes(file, path, steps);
    }
    Require(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0, "all", path);
  }
  catch (...)
  {
    std::remove(temporary.c_str());
    throw;
  }
  if (std::rename(temporary.c_str(), path.c_str()) != 0)
  {
    const int why = errno;
    std::remove(temporary.c_str());
    throw Error(Fault::System, "{} cannot be written: {}", path, SystemText(why));
  }
  return left;
}

}
