// SPDX-License-Identifier: BSD-3-Clause
#include "Tools/Repack/DatasetPlan.h"

#include "Tools/Repack/MasterFile.h"

#include <algorithm>

namespace dsm::repack
{

namespace
{
// Where one dimension alone is unlimited and it is not the first, HDF5 1.14.5 has an extensible
// array of chunks in another order of the dimensions (with libver "latest"), and H5Dchunk_iter and
// H5Dget_chunk_info tell their places as if it were the usual one.
bool AreMisplaced(const Place& most)
{
  return std::count(most.begin(), most.end(), H5S_UNLIMITED) == 1 && most.front() != H5S_UNLIMITED;
}
}

DatasetPlan::DatasetPlan(
  hid_t dataset, const std::vector<Filter>& filters, std::uint64_t minimum, bool gathers)
  : Creation(CheckedHdf5(H5Dget_create_plist(dataset), "look at a dataset"), H5Pclose)
{
  const Hdf5Object type(CheckedHdf5(H5Dget_type(dataset), "look at a dataset's type"), H5Tclose);
  const Hdf5Object space(CheckedHdf5(H5Dget_space(dataset), "look at a dataset's shape"), H5Sclose);
  this->Fixed = HasFixedSize(type);
  this->BytesPerValue = H5Tget_size(type);
  const bool isGathered = gathers && IsOverParts(this->Creation);
  if (isGathered)
  {
    CheckedHdf5(H5Pset_layout(this->Creation, H5D_CONTIGUOUS), "set where values are");
    CheckedHdf5(
      H5Pset_alloc_time(this->Creation, H5D_ALLOC_TIME_DEFAULT), "set when values are made");
  }
  const H5D_layout_t layout = H5Pget_layout(this->Creation);
  const bool isHere = layout == H5D_COMPACT || layout == H5D_CHUNKED ||
    (layout == H5D_CONTIGUOUS && H5Pget_external_count(this->Creation) == 0);
  const hssize_t values = H5Sget_simple_extent_npoints(space);
  this->Stored = isHere && values > 0 && (isGathered || H5Dget_storage_size(dataset) > 0);
  this->Chunked = layout == H5D_CHUNKED;
  if (H5Sget_simple_extent_type(space) != H5S_SIMPLE)
  {
    return;
  }
  const auto rank = static_cast<std::size_t>(H5Sget_simple_extent_ndims(space));
  this->Sizes.resize(rank);
  this->Most.resize(rank);
  this->Units.assign(rank, 1);
  H5Sget_simple_extent_dims(space, this->Sizes.data(), this->Most.data());
  if (this->Chunked)
  {
    H5Pget_chunk(this->Creation, static_cast<int>(rank), this->Units.data());
    this->Misplaced = AreMisplaced(this->Most);
  }
  this->Large = this->Fixed && isHere && layout != H5D_COMPACT && rank > 0 && values > 0 &&
    static_cast<std::uint64_t>(values) * this->BytesPerValue >= std::max<std::uint64_t>(minimum, 1);
  if (this->Large && H5Pget_nfilters(this->Creation) == 0)
  {
    this->Added = filters;
  }
  // HDF5 extends what is in chunks only.
  this->Rechunks =
    !this->Chunked && (!this->Added.empty() || (isGathered && this->Most != this->Sizes));
  if (this->Rechunks)
  {
    this->Units = ChunkFor(this->Sizes, this->BytesPerValue);
  }
}

Hdf5Object DatasetPlan::CreationList() const
{
  Hdf5Object list(CheckedHdf5(H5Pcopy(this->Creation), "copy properties"), H5Pclose);
  if (this->Rechunks)
  {
    CheckedHdf5(
      H5Pset_chunk(list, static_cast<int>(this->Units.size()), this->Units.data()), "set chunks");
  }
  if (this->Chunked || this->Rechunks)
  {
    // Parallel HDF5 has made all chunks at once, and filled them.
    CheckedHdf5(H5Pset_alloc_time(list, H5D_ALLOC_TIME_INCR), "set when chunks are made");
  }
  for (const Filter& filter : this->Added)
  {
    filter.AddTo(list);
  }
  return list;
}

Hdf5Object DatasetPlan::Space(const Box& box) const
{
  Place most(this->Most);
  for (std::size_t i = 0; i < most.size(); ++i)
  {
    if (box.Count[i] != this->Sizes[i] && most[i] != H5S_UNLIMITED)
    {
      // A chunk must not be larger than that.
      most[i] = (box.Count[i] + this->Units[i] - 1) / this->Units[i] * this->Units[i];
    }
  }
  return { CheckedHdf5(
             H5Screate_simple(static_cast<int>(most.size()), box.Count.data(), most.data()),
             "make a shape"),
    H5Sclose };
}

Hdf5Object DatasetPlan::VirtualList(
  const std::vector<std::string>& files, const std::string& path) const
{
  Hdf5Object list(CheckedHdf5(H5Pcopy(this->Creation), "copy properties"), H5Pclose);
  H5Premove_filter(list, H5Z_FILTER_ALL);
  CheckedHdf5(H5Pset_alloc_time(list, H5D_ALLOC_TIME_DEFAULT), "set when values are made");
  CheckedHdf5(H5Pset_layout(list, H5D_VIRTUAL), "make a virtual dataset");
  const Hdf5Object whole = this->Space(this->Whole());
  for (std::size_t part = 0; part < files.size(); ++part)
  {
    const Box box = BoxOfPart(this->Sizes, this->Units, part, files.size());
    if (box.IsEmpty())
    {
      continue;
    }
    CheckedHdf5(H5Sselect_hyperslab(
                  whole, H5S_SELECT_SET, box.Start.data(), nullptr, box.Count.data(), nullptr),
      "select a part");
    const Hdf5Object there = this->Space(box);
    CheckedHdf5(H5Pset_virtual(list, whole, VirtualSourceName(files[part]).c_str(),
                  VirtualSourceName(path).c_str(), there),
      "make a virtual dataset");
  }
  return list;
}

}
