// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/SourceReader.h"

#include "Base/Error.h"
#include "Describe/Hdf5File.h"
#include "Describe/LoopNest.h"
#include "Describe/SourceSelection.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace dsm::describe
{

namespace
{
// A slab that is read at once where its numbers are not in memory's order: it stays in the caches.
constexpr std::uint64_t SlabBytes = std::uint64_t(4) << 20;

template <typename T>
void Transform(T* values, std::uint64_t count, const Source& source)
{
  const bool moves = source.Scale != 1 || source.Offset != 0;
  std::vector<T> missing;
  for (const double value : source.Missing)
  {
    if (!std::is_floating_point_v<T>)
    {
      break; // no such value says "none"
    }
    missing.push_back(static_cast<T>(value));
  }
  if (!moves && missing.empty())
  {
    return;
  }
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
}

SourceReader::SourceReader(hid_t file)
  : File(file)
{
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

const StoredDataset& SourceReader::Open(const Stored& from)
{
  const std::pair key(from.File, from.Path + '\n' + from.Member);
  auto found = this->Datasets.find(key);
  if (found == this->Datasets.end())
  {
    found = this->Datasets.emplace(key, StoredDataset(this->FileNamed(from.File), from)).first;
  }
  return found->second;
}

Number SourceReader::TypeOf(const Source& source)
{
  const auto* stored = std::get_if<Stored>(&source.From);
  if (!stored || source.Scale != 1 || source.Offset != 0 || !source.Added.empty())
  {
    return Number::Float64;
  }
  const Number number = this->Open(*stored).Type();
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

StoredDataset::Place SourceReader::PlaceOf(const Source& source, const Window& window, Number as)
{
  StoredDataset::Place none;
  const auto* const from = std::get_if<Stored>(&source.From);
  if (!from || source.Scale != 1 || source.Offset != 0 || !source.Missing.empty() ||
    !source.Added.empty())
  {
    none.Why = "its values are computed";
    return none;
  }
  const StoredDataset& dataset = this->Open(*from);
  LoopNest nest(source, window, { nullptr, as, ComponentsOf(source), 0 });
  const Selection all = SelectionOf(source, dataset.Shape(), nest.Dimensions);
  if (!nest.IsDirect() || nest.Base != 0 || all.Skipped != 0 || all.Size() != nest.Count())
  {
    none.Why = "its order in the file is another one";
    return none;
  }
  return dataset.PlaceOf(all, as);
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
  LoopNest nest(source, window, target);
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
      Transform(values.data(), values.size(), source);
      nest.Scatter(values.data(), static_cast<T*>(target.To), add);
    });
}

void SourceReader::ReadStored(
  const Source& source, const Window& window, const Target& target, bool add)
{
  const auto& from = std::get<Stored>(source.From);
  const StoredDataset& dataset = this->Open(from);
  const LoopNest nest(source, window, target);

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
      auto loops = nest.Dimensions;
      const Selection all = SelectionOf(source, dataset.Shape(), loops);
      const std::uint64_t count = nest.Count();
      if (!add && nest.IsDirect() && all.Size() == count)
      {
        dataset.Read(all, target.Type, to + nest.Base);
        Transform(to + nest.Base, count, source);
        return;
      }
      const std::uint64_t rows = cut < nest.Dimensions.size() ? nest.Dimensions[cut].Count : 1;
      std::uint64_t step = std::max<std::uint64_t>(1, SlabBytes / sizeof(T) / (count / rows));
      if (!from.FlatFrom && cut < dataset.Chunk().size() && nest.Dimensions[cut].Stride == 1)
      {
        // Whole chunks: each is decompressed once.
        const std::uint64_t chunk = std::max<std::uint64_t>(1, dataset.Chunk()[cut]);
        step = std::max<std::uint64_t>(1, step / chunk) * chunk;
      }
      std::vector<T> buffer;
      for (std::uint64_t done = 0; done < rows;)
      {
        LoopNest slab = nest;
        std::uint64_t here = std::min(step, rows - done);
        if (cut < slab.Dimensions.size())
        {
          // The first slab ends where a chunk does.
          Loop& loop = slab.Dimensions[cut];
          here = std::min(rows - done, step - (loop.Start + done) % step);
          loop.Start += done * loop.Stride;
          loop.Count = here;
          slab.Base += static_cast<std::int64_t>(done) * loop.Out;
        }
        const Selection selection = SelectionOf(source, dataset.Shape(), slab.Dimensions);
        buffer.resize(selection.Size());
        dataset.Read(selection, target.Type, buffer.data());
        Transform(buffer.data(), buffer.size(), source);
        slab.Scatter(buffer.data() + selection.Skipped, to, add);
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
