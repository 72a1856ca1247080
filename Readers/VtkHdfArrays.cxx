// SPDX-License-Identifier: BSD-3-Clause
#include "VtkHdfArrays.h"

#include "ArrayMemory.h"
#include "ArrayTypes.h"
#include "Base/Error.h"
#include "Describe/Hdf5Attributes.h"
#include "Describe/Hdf5File.h"
#include "Describe/Hdf5Group.h"
#include "MappedArray.h"

#include <fmt/core.h>
#include <vtkDataArraySelection.h>
#include <vtkDataSet.h>
#include <vtkDataSetAttributes.h>
#include <vtkHDFReader.h>
#include <vtkVersionMacros.h>

#include <algorithm>
#include <functional>
#include <numeric>

namespace dsm::readers
{

namespace
{
using describe::Role;

// The place of an array's numbers in the file, or the reason why it is not known.
struct Place
{
  describe::Source Source{};
  describe::Window Window{};
  std::string Why{};
};

herr_t AddName(hid_t, const char* name, const H5L_info2_t*, void* names) noexcept
{
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

// Returns the members of a group in the order in which vtkHDFReader goes through them.
std::vector<std::string> NamesOf(hid_t file, const std::string& path)
{
  std::vector<std::string> names;
  const hdf5::GroupHandle group(H5Gopen2(file, path.c_str(), H5P_DEFAULT));
  if (group >= 0)
  {
    H5Literate2(group, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, AddName, &names);
  }
  return names;
}

// The shape of a dataset, and its bytes.
struct Size
{
  std::vector<hsize_t> Shape;
  std::uint64_t Bytes = 0;
};

Size SizeOf(hid_t file, const std::string& path)
{
  const hdf5::DatasetHandle dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT));
  const hdf5::SpaceHandle space(dataset < 0 ? H5I_INVALID_HID : H5Dget_space(dataset));
  const hdf5::TypeHandle type(dataset < 0 ? H5I_INVALID_HID : H5Dget_type(dataset));
  Size size;
  if (space >= 0 && type >= 0)
  {
    size.Shape.resize(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
    H5Sget_simple_extent_dims(space, size.Shape.data(), nullptr);
    size.Bytes = std::accumulate(size.Shape.begin(), size.Shape.end(),
      static_cast<std::uint64_t>(H5Tget_size(type)), std::multiplies<>());
  }
  return size;
}

// Returns whether vtkHDFReader does more with a dataset than to read its numbers: that of VTK 9.7
// makes an array the active one of the role that an attribute names.
bool HasRole(hid_t file, const std::string& path)
{
#if VTK_VERSION_NUMBER >= VTK_VERSION_CHECK(9, 6, 0)
  return H5Aexists_by_name(file, path.c_str(), "Attribute", H5P_DEFAULT) > 0;
#else
  static_cast<void>(file);
  static_cast<void>(path);
  return false;
#endif
}

// Returns the type that vtkHDFReader gives arrays of such numbers, if it is the same in all
// versions of VTK.
std::optional<int> TypeOf(describe::Number number)
{
  switch (number)
  {
    case describe::Number::Int8: // characters, or small integers
      return std::nullopt;
    case describe::Number::Int64:
      return sizeof(long) == sizeof(std::int64_t) ? VTK_LONG : VTK_LONG_LONG;
    case describe::Number::UInt64:
      return sizeof(long) == sizeof(std::int64_t) ? VTK_UNSIGNED_LONG : VTK_UNSIGNED_LONG_LONG;
    default:
      return VtkTypeOf(number);
  }
}

// Knows from where in the file vtkHDFReader takes the arrays of a piece.
class Layout
{
public:
  Layout(hid_t file, describe::SourceReader& reader, const VtkHdfPiece& piece)
    : File(file)
    , Reader(reader)
    , Piece(piece)
    , Type(hdf5::TextAttribute(file, piece.Group, "Type"))
    , Steps(hdf5::NumberAttribute(file, piece.Group + "/Steps", "NSteps").value_or(1))
    , Step(this->Steps > 1 ? piece.Step : std::nullopt)
  {
  }

  // Returns the place of an array of points or cells. Throws dsm::Error.
  Place PlaceOf(int association, const std::string& name, const std::vector<hsize_t>& shape)
  {
    const bool cells = association == vtkDataObject::CELL;
    const std::string folder = cells ? "CellData" : "PointData";
    Place place = this->Type == "ImageData" ? this->OfImage(cells, folder, name, shape)
                                            : this->OfMesh(cells, folder, name);
    auto& dimensions = place.Source.Dimensions;
    if (shape.size() == dimensions.size() + 1)
    {
      dimensions.push_back({ Role::Component, 0, shape.back() });
    }
    place.Source.From =
      describe::Stored{ fmt::format("{}/{}/{}", this->Piece.Group, folder, name) };
    return place;
  }

private:
  using Numbers = std::vector<double>;

  // A run of parts in the lists of all parts.
  struct Parts
  {
    std::uint64_t First = 0, Count = 0;
  };

  // vtkHDFReader expects two dimensions for an image of one layer, and one for a line.
  Place OfImage(bool cells, const std::string& folder, const std::string& name,
    const std::vector<hsize_t>& shape)
  {
    const auto whole =
      hdf5::NumbersAttribute(this->File, this->Piece.Group, "WholeExtent").value_or(Numbers());
    Place place;
    std::size_t axes = 3;
    for (; axes > 1 && whole.at(2 * axes - 1) == whole.at(2 * axes - 2); --axes)
    {
    }
    for (std::size_t axis = 0; axis < axes; ++axis)
    {
      if (whole.at(2 * axis) != 0 || whole.at(2 * axis + 1) == 0)
      {
        place.Why = "the image's extent does not begin at 0, or has a flat axis before others";
        return place;
      }
    }
    if (const auto step = this->Step)
    {
      const auto offset = this->OffsetOf(*step, folder, name);
      place.Source.Dimensions.push_back({ Role::Time, offset.value_or(*step) });
    }
    for (std::size_t axis = axes; axis-- > 0;)
    {
      const int low = this->Piece.Extent.at(2 * axis), high = this->Piece.Extent.at(2 * axis + 1);
      const auto count = static_cast<std::uint64_t>(std::max(0, high - low + (cells ? 0 : 1)));
      auto& dimensions = place.Source.Dimensions;
      const hsize_t all = dimensions.size() < shape.size() ? shape[dimensions.size()] : 0;
      dimensions.push_back({ describe::SpatialRoles.at(axis), 0, all });
      auto& window = place.Window;
      describe::Range& range = axis == 0 ? window.X : axis == 1 ? window.Y : window.Z;
      range = { static_cast<std::uint64_t>(std::max(0, low)), count };
    }
    return place;
  }

  Place OfMesh(bool cells, const std::string& folder, const std::string& name)
  {
    const auto [first, all] = this->AllParts();
    const std::uint64_t own =
      this->Piece.Number < all ? (all - this->Piece.Number - 1) / this->Piece.Of + 1 : 0;
    Place place;
    if (own > 1 && this->Piece.Of > 1)
    {
      place.Why = "its parts are apart in the file";
      return place;
    }
    const bool isSurface = this->Type == "PolyData";
    if (own > 1 && cells && isSurface)
    {
      place.Why = "the cells of its parts are put in another order";
      return place;
    }
    std::vector<const char*> topologies{ "" };
    if (isSurface && cells)
    {
      topologies = { "Vertices/", "Lines/", "Polygons/", "Strips/" };
    }
    // These count the rows ahead of the rank's parts, and those of the parts.
    std::uint64_t before = 0, count = 0;
    for (const char* topology : topologies)
    {
      const auto counts =
        this->Rows(fmt::format("{}NumberOf{}", topology, cells ? "Cells" : "Points"), first,
          own > 0 ? this->Piece.Number + own : 0);
      const auto middle =
        counts.begin() + static_cast<std::ptrdiff_t>(own > 0 ? this->Piece.Number : 0);
      before = std::accumulate(counts.begin(), middle, before);
      count = std::accumulate(middle, counts.end(), count);
    }
    if (const auto step = this->Step)
    {
      const auto offset = this->OffsetOf(*step, folder, name);
      const auto starts = this->Rows(cells ? "Steps/CellOffsets" : "Steps/PointOffsets", *step, 1);
      before += offset.value_or(std::accumulate(starts.begin(), starts.end(), std::uint64_t(0)));
    }
    place.Source.Dimensions.push_back({ Role::Index, before, count });
    place.Window.Index.Count = count;
    return place;
  }

  // Returns the parts that the step has, among those of all steps.
  Parts AllParts()
  {
    const std::uint64_t listed =
      SizeOf(this->File, this->Piece.Group + "/NumberOfPoints").Shape.at(0);
    if (!this->Step)
    {
      return { 0, listed };
    }
    const std::uint64_t first = this->Rows("Steps/PartOffsets", *this->Step, 1).at(0);
    const std::uint64_t count = this->Has("Steps/NumberOfParts")
      ? this->Rows("Steps/NumberOfParts", *this->Step, 1).at(0)
      : listed / static_cast<std::uint64_t>(this->Steps);
    return { first, count };
  }

  // Returns where the step begins in an array, if the file says so.
  std::optional<std::uint64_t> OffsetOf(
    std::size_t step, const std::string& folder, const std::string& name)
  {
    const std::string path = fmt::format("Steps/{}Offsets/{}", folder, name);
    if (!this->Has(path))
    {
      return std::nullopt;
    }
    const std::int64_t offset = this->Integers(path, step, 1).at(0);
    return offset < 0 ? std::nullopt : std::optional(static_cast<std::uint64_t>(offset));
  }

  bool Has(const std::string& name) const
  {
    return hdf5::WhatIs(this->File, fmt::format("{}/{}", this->Piece.Group, name)) ==
      hdf5::Thing::Dataset;
  }

  std::vector<std::uint64_t> Rows(const std::string& name, std::uint64_t first, std::uint64_t count)
  {
    const auto numbers = this->Integers(name, first, count);
    return { numbers.begin(), numbers.end() };
  }

  // Returns the whole numbers in rows of a list.
  std::vector<std::int64_t> Integers(
    const std::string& name, std::uint64_t first, std::uint64_t count)
  {
    const std::string path = fmt::format("{}/{}", this->Piece.Group, name);
    describe::Source source{ describe::Stored{ path } };
    source.Dimensions.push_back({ Role::Index, first, count });
    if (const auto shape = SizeOf(this->File, path).Shape; shape.size() == 2)
    {
      source.Dimensions.push_back({ Role::Component, 0, shape[1] });
    }
    describe::Window window;
    window.Index.Count = count;
    return this->Reader.Integers(source, window);
  }

  hid_t File;
  describe::SourceReader& Reader;
  const VtkHdfPiece& Piece;
  const std::string Type;
  const double Steps;
  const std::optional<std::size_t> Step; ///< nothing: the group has the same in all steps
};
}

VtkHdfArrays::VtkHdfArrays(hid_t file, const VtkHdfPiece& piece, vtkHDFReader* reader)
{
  const hdf5::SilenceErrors silence;
  describe::SourceReader sources(file);
  Layout layout(file, sources, piece);
  const auto map = [&](int association, const std::string& path, Array& array)
  {
    const Size size = SizeOf(file, path);
    if (size.Bytes < ArrayMemory::LargeArray)
    {
      array.Why = "it is small";
    }
    else if (array.Name == vtkDataSetAttributes::GhostArrayName() || HasRole(file, path))
    {
      array.Why = "vtkHDFReader has to read it";
    }
    else
    {
      const Place place = layout.PlaceOf(association, array.Name, size.Shape);
      const auto type = place.Why.empty() ? TypeOf(sources.TypeOf(place.Source)) : std::nullopt;
      if (type)
      {
        array.Mapped = MapArray(sources, { place.Source, place.Window, *type }, array.Why);
      }
      else
      {
        array.Why = place.Why.empty() ? "vtkHDFReader chooses its type" : place.Why;
      }
    }
  };
  for (const int association : { vtkDataObject::POINT, vtkDataObject::CELL })
  {
    const bool cells = association == vtkDataObject::CELL;
    Kind& kind = this->Kinds.emplace_back(Kind{ association,
      cells ? reader->GetCellDataArraySelection() : reader->GetPointDataArraySelection(), {} });
    const std::string folder = fmt::format("{}/{}", piece.Group, cells ? "CellData" : "PointData");
    for (const std::string& name : NamesOf(file, folder))
    {
      if (!kind.Selection->ArrayIsEnabled(name.c_str()))
      {
        continue;
      }
      Array& array = kind.Arrays.emplace_back(Array{ name, nullptr, {} });
      try
      {
        map(association, fmt::format("{}/{}", folder, name), array);
      }
      catch (const Error& error)
      {
        if (error.GetFault() == Fault::PeerLost)
        {
          throw;
        }
        // The reader has its own text for what is wrong.
        array.Why = error.what();
      }
      if (array.Mapped)
      {
        array.Mapped->SetName(name.c_str());
      }
    }
  }
  this->Enable(false);
}

VtkHdfArrays::~VtkHdfArrays()
{
  this->Enable(true);
}

void VtkHdfArrays::Enable(bool enabled) const
{
  for (const Kind& kind : this->Kinds)
  {
    for (const Array& array : kind.Arrays)
    {
      if (array.Mapped)
      {
        kind.Selection->SetArraySetting(array.Name.c_str(), enabled ? 1 : 0);
      }
    }
  }
}

void VtkHdfArrays::AddTo(vtkDataSet* data) const
{
  for (const Kind& kind : this->Kinds)
  {
    vtkDataSetAttributes* const attributes = data->GetAttributes(kind.Association);
    std::array<std::string, vtkDataSetAttributes::NUM_ATTRIBUTES> active;
    for (std::size_t role = 0; role < active.size(); ++role)
    {
      auto* const array = attributes->GetAbstractAttribute(static_cast<int>(role));
      active.at(role) = array && array->GetName() ? array->GetName() : "";
    }
    for (const Array& array : kind.Arrays)
    {
      const vtkSmartPointer<vtkDataArray> added =
        array.Mapped ? array.Mapped.Get() : attributes->GetArray(array.Name.c_str());
      if (!added)
      {
        continue;
      }
      if (added->GetNumberOfTuples() != data->GetNumberOfElements(kind.Association))
      {
        throw Error(Fault::System,
          "cannot add the array {}: it has {} tuples, and the data needs {}", array.Name,
          added->GetNumberOfTuples(), data->GetNumberOfElements(kind.Association));
      }
      NoteMemory(added, array.Mapped ? "shared with the snapshot" : "copied: " + array.Why);
      // Each array in turn becomes the last one.
      attributes->RemoveArray(array.Name.c_str());
      attributes->AddArray(added);
    }
    for (std::size_t role = 0; role < active.size(); ++role)
    {
      if (!active.at(role).empty())
      {
        attributes->SetActiveAttribute(active.at(role).c_str(), static_cast<int>(role));
      }
    }
  }
}

}
