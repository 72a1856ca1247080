// SPDX-License-Identifier: BSD-3-Clause
#include "Client/SteeredArrays.h"

#include "Base/Error.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace dsm
{

namespace
{
// Bytes that are broadcast at once: what the other ranks need beside their parts.
constexpr std::uint64_t Piece = std::uint64_t(4) << 20;
}

void SteeredArrays::Declare(
  const std::string& name, const ArrayShape& shape, std::unique_ptr<Array> array)
{
  if (shape.Sizes.empty())
  {
    throw Error(Fault::Usage, "the array \"{}\" has no directions", name);
  }
  if (!array->Memory && ArrayShape{ shape.Element, array->Part }.Bytes() > 0)
  {
    throw Error(Fault::Usage, "the array \"{}\" is a null pointer", name);
  }
  ParameterDeclaration declaration;
  declaration.Name = name;
  declaration.Type = ValueType::Array;
  declaration.Array = shape;
  array->Name = name;
  array->ElementBytes = shape.ElementBytes();
  Array& made = *array;
  this->Known.AddParameter(std::move(declaration),
    { [&made] { return Value(made.Now); },
      [this, &made](const Value& value) { this->Receive(made, std::get<std::string>(value)); } });
  this->All.push_back(std::move(array));
}

void SteeredArrays::AddStacked(const std::string& name, ArrayShape part, std::byte* memory)
{
  auto array = std::make_unique<Array>();
  array->Memory = memory;
  array->Part = part.Sizes;
  if (!part.Sizes.empty())
  {
    part.Sizes.front() = 0; // which the ranks do not know yet
  }
  this->Declare(name, part, std::move(array));
}

void SteeredArrays::AddBlock(const std::string& name, const ArrayShape& whole,
  std::vector<std::uint64_t> starts, std::vector<std::uint64_t> counts, std::byte* memory)
{
  auto array = std::make_unique<Array>();
  array->Memory = memory;
  array->Part = counts;
  array->Slab.emplace(
    whole.Sizes, std::move(starts), std::move(counts), whole.ElementBytes(), memory);
  this->Declare(name, whole, std::move(array));
}

void SteeredArrays::Place()
{
  std::vector<Array*> unplaced;
  for (const auto& array : this->All)
  {
    if (!array->Slab)
    {
      unplaced.push_back(array.get());
    }
  }
  if (unplaced.empty())
  {
    return;
  }
  // The ranks' sizes in the first direction follow one another, array by array.
  const auto ranks = static_cast<std::size_t>(this->Ranks.Size());
  const auto rank = static_cast<std::size_t>(this->Ranks.Rank());
  std::vector<std::uint64_t> parts(unplaced.size() * ranks);
  for (std::size_t index = 0; index < unplaced.size(); ++index)
  {
    parts[index * ranks + rank] = unplaced[index]->Part.front();
  }
  parts = this->Ranks.Sum(parts);
  for (std::size_t index = 0; index < unplaced.size(); ++index)
  {
    Array& array = *unplaced[index];
    const auto begin = parts.begin() + static_cast<std::ptrdiff_t>(index * ranks);
    const auto own = begin + static_cast<std::ptrdiff_t>(rank);
    auto sizes = array.Part;
    sizes.front() =
      std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(ranks), std::uint64_t(0));
    std::vector<std::uint64_t> starts(sizes.size(), 0);
    starts.front() = std::accumulate(begin, own, std::uint64_t(0));
    array.Slab.emplace(sizes, starts, array.Part, array.ElementBytes, array.Memory);
    this->Known.SetSizes(array.Name, sizes);
  }
}

// Brings the elements to all ranks, which carry out the same plan.
void SteeredArrays::Receive(Array& array, const std::string& text)
{
  if (!array.Slab)
  {
    throw Error(Fault::System, "\"{}\" was set before its parts were placed", array.Name);
  }
  const std::uint64_t size = SentArray::FromText(text).Shape.Bytes();
  const std::byte* bytes = nullptr;
  std::vector<std::byte> room;
  if (this->Ranks.Rank() == 0)
  {
    const auto found = std::ranges::find(this->Fetched, text, &FetchedArray::Text);
    if (found == this->Fetched.end() || !found->Bytes)
    {
      throw Error(Fault::System, "the elements of \"{}\" were not fetched", array.Name);
    }
    bytes = found->Bytes.get();
  }
  else
  {
    room.resize(std::min(Piece, size));
  }
  for (std::uint64_t offset = 0; offset < size; offset += Piece)
  {
    const std::uint64_t now = std::min(Piece, size - offset);
    // MPI only reads what rank 0 broadcasts.
    std::byte* const piece = bytes ? const_cast<std::byte*>(bytes + offset) : room.data();
    this->Ranks.Broadcast(piece, now);
    array.Slab->Take(offset, piece, now);
  }
  array.Now = text;
}

}
