// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/StoredDataset.h"

#include "Base/Error.h"
#include "Describe/Hdf5File.h"
#include "Describe/Hdf5Filters.h"
#include "Describe/SourceFolder.h"

#include <algorithm>
#include <cstddef>

namespace dsm::describe
{

namespace
{
// A type of memory for numbers of this type, for arrays of them, or for that member of a compound.
hdf5::TypeHandle ReadAs(
  const std::string& member, Number number, const std::vector<hsize_t>& array = {})
{
  hdf5::TypeHandle element(array.empty()
      ? H5Tcopy(MemoryType(number))
      : H5Tarray_create2(MemoryType(number), static_cast<unsigned>(array.size()), array.data()));
  if (member.empty())
  {
    return element;
  }
  hdf5::TypeHandle compound(H5Tcreate(H5T_COMPOUND, H5Tget_size(element)));
  H5Tinsert(compound, member.c_str(), 0, element);
  return compound;
}

// Returns whether the selected elements of a shape lie one after the other.
bool IsConsecutive(const Selection& selection, const std::vector<hsize_t>& shape)
{
  bool isWhole = true; // all dimensions that are faster
  for (std::size_t at = shape.size(); at-- > 0;)
  {
    const hsize_t count = selection.Count[at];
    if (count != 1 && (!isWhole || selection.Stride[at] != 1))
    {
      return false;
    }
    isWhole = isWhole && count == shape[at];
  }
  return true;
}

// The first element that is selected, counted in the file's order.
std::uint64_t FirstOf(const Selection& selection, const std::vector<hsize_t>& shape)
{
  std::uint64_t first = 0;
  for (std::size_t at = 0; at < shape.size(); ++at)
  {
    first = first * shape[at] + selection.Start[at];
  }
  return first;
}

// Selects in the space of a dataset, and makes one in memory with as many elements.
hdf5::SpaceHandle Select(hid_t space, const Selection& selection)
{
  const int rank = static_cast<int>(selection.Count.size());
  if (rank > 0 &&
    H5Sselect_hyperslab(space, H5S_SELECT_SET, selection.Start.data(), selection.Stride.data(),
      selection.Count.data(), nullptr) < 0)
  {
    return {};
  }
  return hdf5::SpaceHandle(
    rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, selection.Count.data(), nullptr));
}
}

StoredDataset::StoredDataset(hid_t file, const Stored& from)
  : Path(from.Path)
  , Member(from.Member)
{
  const hdf5::SilenceErrors silence;
  this->Id = hdf5::OpenDataset(file, this->Path);
  const hdf5::SpaceHandle space(this->Id < 0 ? H5I_INVALID_HID : H5Dget_space(this->Id));
  this->Element = hdf5::TypeHandle(this->Id < 0 ? H5I_INVALID_HID : H5Dget_type(this->Id));
  if (this->Id < 0 || space < 0 || this->Element < 0)
  {
    throw Error(
      Fault::System, "dataset {} cannot be opened: {}", this->Path, hdf5::LastErrorText());
  }
  if (!this->Member.empty())
  {
    const int member = H5Tget_class(this->Element) == H5T_COMPOUND
      ? H5Tget_member_index(this->Element, this->Member.c_str())
      : -1;
    if (member < 0)
    {
      throw Error(Fault::Usage, "dataset {} has no member {}", this->Path, this->Member);
    }
    this->Element =
      hdf5::TypeHandle(H5Tget_member_type(this->Element, static_cast<unsigned>(member)));
  }
  this->Extent.resize(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
  H5Sget_simple_extent_dims(space, this->Extent.data(), nullptr);
  const std::size_t rank = this->Extent.size();
  if (H5Tget_class(this->Element) == H5T_ARRAY)
  {
    this->Array.resize(static_cast<std::size_t>(H5Tget_array_ndims(this->Element)));
    H5Tget_array_dims2(this->Element, this->Array.data());
    this->Element = hdf5::TypeHandle(H5Tget_super(this->Element));
    this->Extent.insert(this->Extent.end(), this->Array.begin(), this->Array.end());
  }
  const hdf5::PropertiesHandle creation(H5Dget_create_plist(this->Id));
  if (H5Pget_layout(creation) == H5D_CHUNKED)
  {
    this->Chunks.resize(rank);
    H5Pget_chunk(creation, static_cast<int>(rank), this->Chunks.data());
    this->Chunks.insert(this->Chunks.end(), this->Array.begin(), this->Array.end());
  }
}

const std::vector<hsize_t>& StoredDataset::Shape() const
{
  return this->Extent;
}

const std::vector<hsize_t>& StoredDataset::Chunk() const
{
  return this->Chunks;
}

Number StoredDataset::Type() const
{
  try
  {
    return NumberOf(this->Element);
  }
  catch (const Error& error)
  {
    throw Error(error.GetFault(), "dataset {} cannot be shown: {}", this->Path, error.what());
  }
}

StoredDataset::Place StoredDataset::PlaceOf(const Selection& selection, Number as) const
{
  const hdf5::SilenceErrors silence;
  const hdf5::PropertiesHandle creation(H5Dget_create_plist(this->Id));
  Place place;
  place.Why = this->WhyNotInPlace(creation, selection, as);
  if (!place.Why.empty())
  {
    return place;
  }
  const haddr_t begin = H5Dget_offset(this->Id);
  place.File = hdf5::FileHandle(H5Iget_file_id(this->Id));
  if (begin == HADDR_UNDEF || place.File < 0)
  {
    place.Why = "the file has no bytes of it";
    return place;
  }
  place.Address = begin + FirstOf(selection, this->Extent) * SizeOf(as);
  place.Bytes = selection.Size() * SizeOf(as);
  return place;
}

std::string StoredDataset::WhyNotInPlace(
  hid_t creation, const Selection& selection, Number as) const
{
  if (H5Pget_external_count(creation) > 0)
  {
    return "its bytes are in another file";
  }
  switch (H5Pget_layout(creation))
  {
    case H5D_CONTIGUOUS:
      break;
    case H5D_VIRTUAL:
      return "it consists of other datasets";
    case H5D_CHUNKED:
      return H5Pget_nfilters(creation) > 0 ? "it is compressed" : "it is stored in chunks";
    default:
      return "it is part of its header";
  }
  if (!this->Member.empty())
  {
    return "it is a member of a compound";
  }
  if (H5Tequal(this->Element, MemoryType(as)) <= 0)
  {
    return "its numbers are converted";
  }
  return IsConsecutive(selection, this->Extent) ? "" : "a part of it is shown";
}

void StoredDataset::Read(const Selection& selection, Number as, void* to) const
{
  if (this->Array.empty())
  {
    this->ReadNumbers(selection, as, to);
  }
  else
  {
    this->ReadArrays(selection, as, to);
  }
}

void StoredDataset::ReadNumbers(const Selection& selection, Number as, void* to) const
{
  const hdf5::SpaceHandle space(H5Dget_space(this->Id));
  const hdf5::SpaceHandle memory = Select(space, selection);
  if (space < 0 || memory < 0)
  {
    this->ThrowUnreadable();
  }
  if (this->Member.empty() && H5Tget_class(this->Element) == H5T_ENUM)
  {
    this->ReadEnumeration(memory, space, selection.Size(), as, to);
    return;
  }
  const hdf5::TypeHandle readAs = ReadAs(this->Member, as);
  if (readAs < 0 || H5Dread(this->Id, readAs, memory, space, H5P_DEFAULT, to) < 0)
  {
    this->ThrowUnreadable();
  }
}

// HDF5 does not convert enumerations to numbers: they are read as what they are, and then turned.
void StoredDataset::ReadEnumeration(
  hid_t memory, hid_t space, std::uint64_t count, Number as, void* to) const
{
  const hdf5::TypeHandle native(H5Tget_native_type(this->Element, H5T_DIR_ASCEND));
  const hdf5::TypeHandle integer(H5Tget_super(native));
  const std::size_t size = std::max(H5Tget_size(native), SizeOf(as));
  std::vector<std::byte> values(count * size);
  if (H5Dread(this->Id, native, memory, space, H5P_DEFAULT, values.data()) < 0 ||
    H5Tconvert(integer, MemoryType(as), count, values.data(), nullptr, H5P_DEFAULT) < 0)
  {
    throw Error(Fault::System, "the enumeration cannot be read: {}", hdf5::LastErrorText());
  }
  std::copy_n(values.data(), count * SizeOf(as), static_cast<std::byte*>(to));
}

void StoredDataset::ReadArrays(const Selection& selection, Number as, void* to) const
{
  const auto outer = static_cast<std::ptrdiff_t>(selection.Count.size() - this->Array.size());
  const auto cut = [outer](const std::vector<hsize_t>& all)
  { return std::vector<hsize_t>(all.begin(), all.begin() + outer); };
  const Selection elements{ cut(selection.Start), cut(selection.Stride), cut(selection.Count) };
  const hdf5::SpaceHandle space(H5Dget_space(this->Id));
  const hdf5::SpaceHandle memory = Select(space, elements);
  const hdf5::TypeHandle readAs = ReadAs(this->Member, as, this->Array);
  std::vector<std::byte> whole(elements.Size() * H5Tget_size(readAs));
  if (space < 0 || memory < 0 || readAs < 0 ||
    H5Dread(this->Id, readAs, memory, space, H5P_DEFAULT, whole.data()) < 0)
  {
    this->ThrowUnreadable();
  }
  Selection wanted = selection;
  std::copy_n(elements.Count.begin(), outer, wanted.Count.begin());
  std::fill_n(wanted.Start.begin(), outer, 0);
  std::fill_n(wanted.Stride.begin(), outer, 1);
  std::vector<hsize_t> shape = elements.Count;
  shape.insert(shape.end(), this->Array.begin(), this->Array.end());
  const hdf5::SpaceHandle all(
    H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr));
  const hdf5::SpaceHandle chosen = Select(all, wanted);
  if (chosen < 0 ||
    H5Dgather(all, whole.data(), MemoryType(as), wanted.Size() * SizeOf(as), to, nullptr, nullptr) <
      0)
  {
    this->ThrowUnreadable();
  }
}

void StoredDataset::ThrowUnreadable() const
{
  const std::string reason = hdf5::LastErrorText();
  const std::string filter = hdf5::FilterCheck().WhyUnreadable(this->Id);
  throw Error(filter.empty() ? Fault::System : Fault::Unsupported, "dataset {} cannot be read: {}",
    this->Path, filter.empty() ? reason : filter);
}

}
