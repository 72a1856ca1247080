// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/SourceReader.h"

#include "Base/Error.h"
#include "Describe/Hdf5File.h"
#include "Describe/Hdf5Filters.h"
#include "Describe/SourceFolder.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <ranges>

namespace dsm::describe
{

namespace
{
// A slab that is read at once where its numbers are not in memory's order: it stays in the caches.
constexpr std::uint64_t SlabBytes = std::uint64_t(4) << 20;

// One dimension's selection, and the step in the target for one step in the file.
struct Loop
{
  std::uint64_t Start = 0, Count = 1, Stride = 1;
  std::int64_t In = 0, Out = 0;
};

struct Nest
{
  std::vector<Loop> Dimensions; ///< one for each of the source's, slowest first
  std::vector<Loop> Repeated;   ///< roles of the target that the source does not have
  std::int64_t Base = 0;        ///< in the target
};

const Range* RangeOf(const Window& window, Role role)
{
  switch (role)
  {
    case Role::X:
      return &window.X;
    case Role::Y:
      return &window.Y;
    case Role::Z:
      return &window.Z;
    case Role::Index:
      return &window.Index;
    default:
      return nullptr;
  }
}

// The distance in the target between neighbours along a role.
std::int64_t StrideOf(Role role, const Window& window, std::uint64_t components)
{
  std::uint64_t stride = components;
  for (const Role faster : { Role::X, Role::Y, Role::Z, Role::Index })
  {
    if (faster == role)
    {
      break;
    }
    stride *= RangeOf(window, faster)->Count;
  }
  return static_cast<std::int64_t>(stride);
}

std::string NameOf(const Source& source)
{
  const auto* stored = std::get_if<Stored>(&source.From);
  return stored ? "dataset " + stored->Path : "what the description gives as numbers";
}

[[noreturn]] void ThrowBeyond(const Source& source)
{
  throw Error(
    Fault::Usage, "the description of this file asks for more of {} than it has", NameOf(source));
}

Nest NestOf(const Source& source, const Window& window, const Target& target)
{
  Nest nest;
  nest.Base = static_cast<std::int64_t>(target.First);
  std::int64_t component = 1;
  std::array<bool, 8> has{};
  // Fastest first, since of several dimensions of components the last is the fastest.
  for (auto dimension = source.Dimensions.rbegin(); dimension != source.Dimensions.rend();
    ++dimension)
  {
    Loop loop{ dimension->Start, 1, dimension->Stride };
    has.at(static_cast<std::size_t>(dimension->Is)) = true;
    if (dimension->Is == Role::Component)
    {
      loop.Count = dimension->Count;
      loop.Out = component;
      component *= static_cast<std::int64_t>(dimension->Count);
    }
    else if (dimension->Is == Role::Block)
    {
      if (window.Block >= dimension->Count)
      {
        ThrowBeyond(source);
      }
      loop.Start += window.Block * dimension->Stride;
    }
    else if (const Range* range = RangeOf(window, dimension->Is))
    {
      if (range->Count > dimension->Count || range->First > dimension->Count - range->Count)
      {
        ThrowBeyond(source);
      }
      const std::uint64_t first =
        dimension->Reversed ? dimension->Count - range->First - range->Count : range->First;
      loop.Start += first * dimension->Stride;
      loop.Count = range->Count;
      loop.Out = StrideOf(dimension->Is, window, target.Components);
      if (dimension->Reversed && range->Count > 0)
      {
        nest.Base += static_cast<std::int64_t>(range->Count - 1) * loop.Out;
        loop.Out = -loop.Out;
      }
    }
    nest.Dimensions.insert(nest.Dimensions.begin(), loop);
  }
  if (static_cast<std::uint64_t>(component) > target.Components - target.First)
  {
    ThrowBeyond(source);
  }
  for (const Role role : { Role::X, Role::Y, Role::Z, Role::Index })
  {
    const std::uint64_t count = RangeOf(window, role)->Count;
    if (!has.at(static_cast<std::size_t>(role)) && count > 1)
    {
      nest.Repeated.push_back({ 0, count, 1, 0, StrideOf(role, window, target.Components) });
    }
  }
  return nest;
}

// Whether the numbers lie in the target as HDF5 delivers them: in the file's order, without gaps.
bool IsDirect(const Nest& nest)
{
  if (!nest.Repeated.empty())
  {
    return false;
  }
  std::int64_t expected = 1;
  for (const auto& loop : std::ranges::reverse_view(nest.Dimensions))
  {
    if (loop.Count > 1 && loop.Out != expected)
    {
      return false;
    }
    expected *= static_cast<std::int64_t>(loop.Count);
  }
  return true;
}

// Calls `with` for each inner run: its place in the buffer and in the target.
template <typename Function>
void ForEachRun(const std::vector<Loop>& loops, std::size_t depth, std::int64_t in,
  std::int64_t out, const Function& with)
{
  if (depth + 1 >= loops.size())
  {
    with(in, out);
    return;
  }
  const Loop& loop = loops[depth];
  for (std::uint64_t index = 0; index < loop.Count; ++index)
  {
    ForEachRun(loops, depth + 1, in, out, with);
    in += loop.In;
    out += loop.Out;
  }
}

template <typename T>
void Scatter(const T* from, T* to, std::vector<Loop> loops, std::int64_t base, bool add)
{
  std::erase_if(loops, [](const Loop& loop) { return loop.Count == 1; });
  // The target is written in its order.
  std::stable_sort(loops.begin(), loops.end(),
    [](const Loop& a, const Loop& b) { return std::abs(a.Out) > std::abs(b.Out); });
  const Loop inner = loops.empty() ? Loop{} : loops.back();
  ForEachRun(loops, 0, 0, base,
    [&](std::int64_t in, std::int64_t out)
    {
      for (std::uint64_t index = 0; index < inner.Count; ++index)
      {
        to[out] = static_cast<T>(add ? to[out] + from[in] : from[in]);
        in += inner.In;
        out += inner.Out;
      }
    });
}

bool Transforms(const Source& source)
{
  return source.Scale != 1 || source.Offset != 0 || !source.Missing.empty();
}

template <typename T>
void Transform(T* values, std::uint64_t count, const Source& source)
{
  std::vector<T> missing;
  for (const double value : source.Missing)
  {
    if (!std::is_floating_point_v<T>)
    {
      break; // no such value says "none"
    }
    missing.push_back(static_cast<T>(value));
  }
  const bool moves = source.Scale != 1 || source.Offset != 0;
  for (T* value = values; value != values + count; ++value)
  {
    if (std::find(missing.begin(), missing.end(), *value) != missing.end())
    {
      *value = std::numeric_limits<T>::quiet_NaN();
    }
    else if (moves)
    {
      *value = static_cast<T>(static_cast<double>(*value) * source.Scale + source.Offset);
    }
  }
}

std::uint64_t Product(const std::vector<Loop>& loops)
{
  std::uint64_t product = 1;
  for (const Loop& loop : loops)
  {
    product *= loop.Count;
  }
  return product;
}

[[noreturn]] void ThrowUnreadable(hid_t dataset, const std::string& path)
{
  const std::string reason = hdf5::LastErrorText();
  const std::string filter = hdf5::FilterCheck().WhyUnreadable(dataset);
  if (!filter.empty())
  {
    throw Error(Fault::Unsupported, "dataset {} cannot be read: {}", path, filter);
  }
  throw Error(Fault::System, "dataset {} cannot be read: {}", path, reason);
}

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

// A selection of a dataset, which has the same shape in memory, and how many elements at its
// beginning are not wanted.
struct Selection
{
  std::vector<hsize_t> Start, Stride, Count;
  std::uint64_t Skipped = 0;

  std::uint64_t Size() const;
};

std::uint64_t Selection::Size() const
{
  return std::accumulate(
    this->Count.begin(), this->Count.end(), std::uint64_t(1), std::multiplies<std::uint64_t>());
}

// HDF5 does not convert enumerations to numbers: they are read as what they are, and then turned.
void ReadEnumeration(
  hid_t dataset, hid_t type, hid_t memory, hid_t space, std::uint64_t count, Number as, void* to)
{
  const hdf5::TypeHandle native(H5Tget_native_type(type, H5T_DIR_ASCEND));
  const hdf5::TypeHandle integer(H5Tget_super(native));
  const std::size_t size = std::max(H5Tget_size(native), SizeOf(as));
  std::vector<std::byte> values(count * size);
  if (H5Dread(dataset, native, memory, space, H5P_DEFAULT, values.data()) < 0 ||
    H5Tconvert(integer, MemoryType(as), count, values.data(), nullptr, H5P_DEFAULT) < 0)
  {
    throw Error(Fault::System, "the enumeration cannot be read: {}", hdf5::LastErrorText());
  }
  std::copy_n(values.data(), count * SizeOf(as), static_cast<std::byte*>(to));
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

void ReadSelection(hid_t dataset, hid_t type, const Stored& from, const Selection& selection,
  std::uint64_t count, Number as, void* to)
{
  const hdf5::SpaceHandle space(H5Dget_space(dataset));
  const hdf5::SpaceHandle memory = Select(space, selection);
  if (space < 0 || memory < 0)
  {
    ThrowUnreadable(dataset, from.Path);
  }
  if (from.Member.empty() && H5Tget_class(type) == H5T_ENUM)
  {
    ReadEnumeration(dataset, type, memory, space, count, as, to);
    return;
  }
  const hdf5::TypeHandle readAs = ReadAs(from.Member, as);
  if (readAs < 0 || H5Dread(dataset, readAs, memory, space, H5P_DEFAULT, to) < 0)
  {
    ThrowUnreadable(dataset, from.Path);
  }
}

// Reads what is selected of elements that are arrays. HDF5 reads arrays whole: what is wanted of
// them is gathered from a copy.
void ReadArrays(hid_t dataset, const std::vector<hsize_t>& array, const Stored& from,
  const Selection& selection, Number as, void* to)
{
  const auto outer = static_cast<std::ptrdiff_t>(selection.Count.size() - array.size());
  const auto cut = [outer](const std::vector<hsize_t>& all)
  { return std::vector<hsize_t>(all.begin(), all.begin() + outer); };
  const Selection elements{ cut(selection.Start), cut(selection.Stride), cut(selection.Count) };
  const hdf5::SpaceHandle space(H5Dget_space(dataset));
  const hdf5::SpaceHandle memory = Select(space, elements);
  const hdf5::TypeHandle readAs = ReadAs(from.Member, as, array);
  std::vector<std::byte> whole(elements.Size() * H5Tget_size(readAs));
  if (space < 0 || memory < 0 || readAs < 0 ||
    H5Dread(dataset, readAs, memory, space, H5P_DEFAULT, whole.data()) < 0)
  {
    ThrowUnreadable(dataset, from.Path);
  }
  Selection wanted = selection;
  std::copy_n(elements.Count.begin(), outer, wanted.Count.begin());
  std::fill_n(wanted.Start.begin(), outer, 0);
  std::fill_n(wanted.Stride.begin(), outer, 1);
  std::vector<hsize_t> shape = elements.Count;
  shape.insert(shape.end(), array.begin(), array.end());
  const hdf5::SpaceHandle all(
    H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr));
  const hdf5::SpaceHandle chosen = Select(all, wanted);
  if (chosen < 0 ||
    H5Dgather(all, whole.data(), MemoryType(as), wanted.Size() * SizeOf(as), to, nullptr, nullptr) <
      0)
  {
    ThrowUnreadable(dataset, from.Path);
  }
}

// The distances in a buffer that holds just what was selected.
void SetInStrides(std::vector<Loop>& loops)
{
  std::int64_t stride = 1;
  for (Loop& loop : std::ranges::reverse_view(loops))
  {
    loop.In = stride;
    stride *= static_cast<std::int64_t>(loop.Count);
  }
}

// A source whose elements are counted through, whatever the dataset's shape.
struct FlatRun
{
  std::uint64_t First = 0, Count = 0;
};

// The run of elements that a nest touches, and the distances in it.
FlatRun FlatRunOf(const Source& source, std::uint64_t from, std::vector<Loop>& loops)
{
  std::uint64_t stride = 1, first = from, last = from;
  for (std::size_t index = loops.size(); index-- > 0;)
  {
    Loop& loop = loops[index];
    loop.In = static_cast<std::int64_t>(stride * loop.Stride);
    first += loop.Start * stride;
    last += (loop.Start + (loop.Count - 1) * loop.Stride) * stride;
    const Dimension& dimension = source.Dimensions[index];
    stride *= std::max(dimension.Of, dimension.Count);
  }
  return { first, last - first + 1 };
}

Selection HyperslabOf(
  const Source& source, const std::vector<hsize_t>& shape, std::vector<Loop>& loops)
{
  if (loops.size() != shape.size())
  {
    throw Error(Fault::Usage, "{} has {} dimensions, and the description of this file says {}",
      NameOf(source), shape.size(), loops.size());
  }
  SetInStrides(loops);
  Selection selection;
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
  {
    const Loop& loop = loops[axis];
    if (loop.Start >= shape[axis] || loop.Stride == 0 ||
      loop.Count - 1 > (shape[axis] - 1 - loop.Start) / loop.Stride)
    {
      ThrowBeyond(source);
    }
    selection.Start.push_back(loop.Start);
    selection.Stride.push_back(loop.Stride);
    selection.Count.push_back(loop.Count);
  }
  return selection;
}

// Whole rows of the dataset around the run of elements that is wanted.
Selection RowsAround(const Source& source, std::uint64_t from, const std::vector<hsize_t>& shape,
  std::vector<Loop>& loops)
{
  const FlatRun run = FlatRunOf(source, from, loops);
  Selection selection;
  selection.Start.assign(shape.size(), 0);
  selection.Stride.assign(shape.size(), 1);
  selection.Count = shape;
  if (!shape.empty())
  {
    selection.Count[0] = 1;
  }
  const std::uint64_t row = selection.Size();
  const std::uint64_t rows = shape.empty() ? 1 : shape[0];
  if (row == 0 || run.First >= row * rows || run.Count > row * rows - run.First)
  {
    ThrowBeyond(source);
  }
  selection.Skipped = run.First % row;
  if (!shape.empty())
  {
    selection.Start[0] = run.First / row;
    selection.Count[0] = (run.First + run.Count + row - 1) / row - run.First / row;
  }
  return selection;
}

Selection SelectionOf(
  const Source& source, const std::vector<hsize_t>& shape, std::vector<Loop>& loops)
{
  const auto& from = std::get<Stored>(source.From);
  return from.FlatFrom ? RowsAround(source, *from.FlatFrom, shape, loops)
                       : HyperslabOf(source, shape, loops);
}
}

std::uint64_t Window::Tuples() const
{
  return this->X.Count * this->Y.Count * this->Z.Count * this->Index.Count;
}

SourceReader::SourceReader(hid_t file)
  : File(file)
{
}

std::uint64_t SourceReader::ComponentsOf(const Source& source)
{
  std::uint64_t components = 1;
  for (const Dimension& dimension : source.Dimensions)
  {
    components *= dimension.Is == Role::Component ? dimension.Count : 1;
  }
  return components;
}

hid_t SourceReader::FileNamed(const std::string& name)
{
  if (name.empty())
  {
    return this->File;
  }
  auto found = this->Others.find(name);
  if (found == this->Others.end())
  {
    found = this->Others.emplace(name, hdf5::OpenFile(name)).first;
  }
  return found->second;
}

const SourceReader::Dataset& SourceReader::Open(const Stored& from)
{
  const std::pair key(from.File, from.Path + '\n' + from.Member);
  if (const auto found = this->Datasets.find(key); found != this->Datasets.end())
  {
    return found->second;
  }
  const hid_t file = this->FileNamed(from.File);
  const hdf5::SilenceErrors silence;
  Dataset dataset;
  dataset.Id = hdf5::OpenDataset(file, from.Path);
  const hdf5::SpaceHandle space(dataset.Id < 0 ? H5I_INVALID_HID : H5Dget_space(dataset.Id));
  dataset.Type = hdf5::TypeHandle(dataset.Id < 0 ? H5I_INVALID_HID : H5Dget_type(dataset.Id));
  if (dataset.Id < 0 || space < 0 || dataset.Type < 0)
  {
    throw Error(Fault::System, "dataset {} cannot be opened: {}", from.Path, hdf5::LastErrorText());
  }
  if (!from.Member.empty())
  {
    const int member = H5Tget_class(dataset.Type) == H5T_COMPOUND
      ? H5Tget_member_index(dataset.Type, from.Member.c_str())
      : -1;
    if (member < 0)
    {
      throw Error(Fault::Usage, "dataset {} has no member {}", from.Path, from.Member);
    }
    dataset.Type =
      hdf5::TypeHandle(H5Tget_member_type(dataset.Type, static_cast<unsigned>(member)));
  }
  dataset.Shape.resize(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
  H5Sget_simple_extent_dims(space, dataset.Shape.data(), nullptr);
  const std::size_t rank = dataset.Shape.size();
  if (H5Tget_class(dataset.Type) == H5T_ARRAY)
  {
    dataset.Array.resize(static_cast<std::size_t>(H5Tget_array_ndims(dataset.Type)));
    H5Tget_array_dims2(dataset.Type, dataset.Array.data());
    dataset.Type = hdf5::TypeHandle(H5Tget_super(dataset.Type));
    dataset.Shape.insert(dataset.Shape.end(), dataset.Array.begin(), dataset.Array.end());
  }
  const hdf5::PropertiesHandle creation(H5Dget_create_plist(dataset.Id));
  if (H5Pget_layout(creation) == H5D_CHUNKED)
  {
    dataset.Chunk.resize(rank);
    H5Pget_chunk(creation, static_cast<int>(rank), dataset.Chunk.data());
    dataset.Chunk.insert(dataset.Chunk.end(), dataset.Array.begin(), dataset.Array.end());
  }
  return this->Datasets.emplace(key, std::move(dataset)).first->second;
}

Number SourceReader::TypeOf(const Source& source)
{
  const auto* stored = std::get_if<Stored>(&source.From);
  if (!stored || source.Scale != 1 || source.Offset != 0 || !source.Added.empty())
  {
    return Number::Float64;
  }
  const Dataset& dataset = this->Open(*stored);
  Number number{};
  try
  {
    number = NumberOf(dataset.Type);
  }
  catch (const Error& error)
  {
    throw Error(error.GetFault(), "dataset {} cannot be shown: {}", stored->Path, error.what());
  }
  return source.Missing.empty() ? number : Common(number, Number::Float32);
}

Number SourceReader::TypeOf(const std::vector<Source>& sources)
{
  // A constant takes the type of those beside it, if that is one of floating-point numbers.
  bool constant = false;
  std::optional<Number> common;
  for (const Source& source : sources)
  {
    if (!std::holds_alternative<Stored>(source.From))
    {
      constant = true;
      continue;
    }
    const Number number = this->TypeOf(source);
    common = common ? Common(*common, number) : number;
  }
  return !common ? Number::Float64 : constant ? Common(*common, Number::Float32) : *common;
}

void SourceReader::Read(const Source& source, const Window& window, const Target& target)
{
  if (window.Tuples() == 0)
  {
    return;
  }
  const hdf5::SilenceErrors silence;
  this->ReadOne(source, window, target, false);
  for (const Source& added : source.Added)
  {
    this->ReadOne(added, window, target, true);
  }
}

void SourceReader::ReadOne(
  const Source& source, const Window& window, const Target& target, bool add)
{
  if (std::holds_alternative<Stored>(source.From))
  {
    this->ReadStored(source, window, target, add);
    return;
  }
  Nest nest = NestOf(source, window, target);
  WithType(target.Type,
    [&](auto example)
    {
      using T = decltype(example);
      std::vector<T> values;
      if (const auto* constant = std::get_if<Constant>(&source.From))
      {
        values.push_back(static_cast<T>(constant->Value));
      }
      else
      {
        const auto& all = std::get<Literal>(source.From).Values;
        const FlatRun run = FlatRunOf(source, 0, nest.Dimensions);
        if (run.Count > all.size() || run.First > all.size() - run.Count)
        {
          ThrowBeyond(source);
        }
        values.reserve(run.Count);
        std::transform(all.begin() + static_cast<std::ptrdiff_t>(run.First),
          all.begin() + static_cast<std::ptrdiff_t>(run.First + run.Count),
          std::back_inserter(values), [](double value) { return static_cast<T>(value); });
      }
      if (Transforms(source))
      {
        Transform(values.data(), values.size(), source);
      }
      auto loops = nest.Dimensions;
      loops.insert(loops.end(), nest.Repeated.begin(), nest.Repeated.end());
      Scatter(values.data(), static_cast<T*>(target.To), loops, nest.Base, add);
    });
}

void SourceReader::ReadStored(
  const Source& source, const Window& window, const Target& target, bool add)
{
  const auto& from = std::get<Stored>(source.From);
  const Dataset& dataset = this->Open(from);
  const Nest nest = NestOf(source, window, target);

  // Slabs are cut along the first dimension that has several elements.
  const std::size_t cut =
    static_cast<std::size_t>(std::find_if(nest.Dimensions.begin(), nest.Dimensions.end(),
                               [](const Loop& loop) { return loop.Count > 1; }) -
      nest.Dimensions.begin());
  WithType(target.Type,
    [&](auto example)
    {
      using T = decltype(example);
      auto* to = static_cast<T*>(target.To);
      const auto read = [&](const Selection& selection, std::uint64_t numbers, T* here)
      {
        if (dataset.Array.empty())
        {
          ReadSelection(dataset.Id, dataset.Type, from, selection, numbers, target.Type, here);
        }
        else
        {
          ReadArrays(dataset.Id, dataset.Array, from, selection, target.Type, here);
        }
      };
      auto loops = nest.Dimensions;
      const Selection all = SelectionOf(source, dataset.Shape, loops);
      const std::uint64_t count = Product(nest.Dimensions);
      if (!add && IsDirect(nest) && all.Size() == count)
      {
        read(all, count, to + nest.Base);
        if (Transforms(source))
        {
          Transform(to + nest.Base, count, source);
        }
        return;
      }
      const std::uint64_t rows = cut < nest.Dimensions.size() ? nest.Dimensions[cut].Count : 1;
      std::uint64_t step = std::max<std::uint64_t>(1, SlabBytes / sizeof(T) / (count / rows));
      if (!from.FlatFrom && cut < dataset.Chunk.size() && nest.Dimensions[cut].Stride == 1)
      {
        // Whole chunks: each is decompressed once.
        const std::uint64_t chunk = std::max<std::uint64_t>(1, dataset.Chunk[cut]);
        step = std::max<std::uint64_t>(1, step / chunk) * chunk;
      }
      std::vector<T> buffer;
      for (std::uint64_t done = 0; done < rows;)
      {
        loops = nest.Dimensions;
        std::uint64_t here = std::min(step, rows - done);
        std::int64_t base = nest.Base;
        if (cut < loops.size())
        {
          // The first slab ends where a chunk does.
          here = std::min(rows - done, step - (loops[cut].Start + done) % step);
          loops[cut].Start += done * loops[cut].Stride;
          loops[cut].Count = here;
          base += static_cast<std::int64_t>(done) * loops[cut].Out;
        }
        const Selection selection = SelectionOf(source, dataset.Shape, loops);
        buffer.resize(selection.Size());
        read(selection, buffer.size(), buffer.data());
        if (Transforms(source))
        {
          Transform(buffer.data(), buffer.size(), source);
        }
        loops.insert(loops.end(), nest.Repeated.begin(), nest.Repeated.end());
        Scatter(buffer.data() + selection.Skipped, to, loops, base, add);
        done += here;
      }
    });
}

std::vector<double> SourceReader::Numbers(const Source& source, const Window& window)
{
  const std::uint64_t components = ComponentsOf(source);
  std::vector<double> numbers(window.Tuples() * components);
  this->Read(source, window, { numbers.data(), Number::Float64, components, 0 });
  return numbers;
}

std::vector<std::int64_t> SourceReader::Integers(const Source& source, const Window& window)
{
  const std::uint64_t components = ComponentsOf(source);
  std::vector<std::int64_t> numbers(window.Tuples() * components);
  this->Read(source, window, { numbers.data(), Number::Int64, components, 0 });
  return numbers;
}

}
