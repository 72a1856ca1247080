// SPDX-License-Identifier: BSD-3-Clause
#include "Tools/Repack/ValueCopy.h"

#include <algorithm>
#include <cstddef>

namespace dsm::repack
{

namespace
{
// So much is read at a time, or one chunk.
constexpr std::uint64_t Step = UINT64_C(8) << 20;

constexpr const char* Reading = "read values";
constexpr const char* Writing = "write values";

struct Chunk
{
  Place Start;
  haddr_t Address = 0;
  hsize_t Size = 0;
};

// Those of a box, in the order in which they lie in the file.
std::vector<Chunk> ChunksIn(hid_t dataset, const Box& box)
{
  struct Search
  {
    const Box& Wanted;
    std::vector<Chunk> Found;
  } search{ box, {} };
  const auto note = [](const hsize_t* offset, unsigned, haddr_t address, hsize_t size,
                      void* data) -> int
  {
    auto& all = *static_cast<Search*>(data);
    Place start(offset, offset + all.Wanted.Start.size());
    if (all.Wanted.Contains(start))
    {
      all.Found.push_back({ std::move(start), address, size });
    }
    return H5_ITER_CONT;
  };
  CheckedHdf5(H5Dchunk_iter(dataset, H5P_DEFAULT, note, &search), "list chunks");
  std::sort(search.Found.begin(), search.Found.end(),
    [](const Chunk& one, const Chunk& other) { return one.Address < other.Address; });
  return std::move(search.Found);
}

// Reads a chunk as it lies in the file. Says which filters were skipped.
herr_t ReadChunk(
  hid_t dataset, const Chunk& chunk, std::uint32_t& skipped, std::vector<std::byte>& bytes)
{
#if H5_VERSION_GE(2, 0, 0)
  std::size_t size = bytes.size();
  return H5Dread_chunk2(dataset, H5P_DEFAULT, chunk.Start.data(), &skipped, bytes.data(), &size);
#else
  return H5Dread_chunk(dataset, H5P_DEFAULT, chunk.Start.data(), &skipped, bytes.data());
#endif
}

// Selects it in a dataset's own shape, from its beginning on where it has a part only.
Hdf5Object Selected(hid_t dataset, const Box& box, const Place& origin)
{
  Hdf5Object space(CheckedHdf5(H5Dget_space(dataset), "look at a dataset's shape"), H5Sclose);
  if (!origin.empty())
  {
    Place start(box.Start);
    std::transform(start.begin(), start.end(), origin.begin(), start.begin(), std::minus<>());
    CheckedHdf5(
      H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, box.Count.data(), nullptr),
      "select values");
  }
  return space;
}
}

void ValueCopy::Copy(hid_t from, hid_t to, const DatasetPlan& plan, const Box& box) const
{
  if (plan.KeepsChunks())
  {
    this->CopyChunks(from, to, box);
  }
  else
  {
    this->CopyPieces(from, to, plan, box);
  }
}

void ValueCopy::CopyChunks(hid_t from, hid_t to, const Box& box) const
{
  std::vector<std::byte> bytes;
  for (const Chunk& chunk : ChunksIn(from, box))
  {
    bytes.resize(std::max<std::size_t>(bytes.size(), chunk.Size));
    std::uint32_t skipped = 0; // filters
    CheckedHdf5(ReadChunk(from, chunk, skipped, bytes), Reading);
    Place there(chunk.Start);
    std::transform(there.begin(), there.end(), box.Start.begin(), there.begin(), std::minus<>());
    CheckedHdf5(
      H5Dwrite_chunk(to, H5P_DEFAULT, skipped, there.data(), chunk.Size, bytes.data()), Writing);
    this->Moved(chunk.Size);
  }
}

void ValueCopy::CopyPieces(hid_t from, hid_t to, const DatasetPlan& plan, const Box& box) const
{
  // As they are in the file: nothing is converted.
  const Hdf5Object type(CheckedHdf5(H5Dget_type(from), "look at a dataset's type"), H5Tclose);
  std::vector<std::byte> bytes;
  const auto move = [&](const Box& piece)
  {
    const hsize_t values = piece.Values();
    const std::uint64_t size = values * plan.ValueSize();
    bytes.resize(std::max<std::size_t>(bytes.size(), size));
    const Hdf5Object memory(CheckedHdf5(H5Screate_simple(1, &values, nullptr), "select"), H5Sclose);
    const Hdf5Object source = Selected(from, piece, Place(piece.Start.size()));
    CheckedHdf5(H5Dread(from, type, memory, source, H5P_DEFAULT, bytes.data()), Reading);
    const Hdf5Object target = Selected(to, piece, box.Start);
    CheckedHdf5(H5Dwrite(to, type, memory, target, H5P_DEFAULT, bytes.data()), Writing);
    this->Moved(size);
  };
  if (plan.Extent().empty())
  {
    move({}); // one value without a dimension
    return;
  }
  if (!plan.TellsChunks())
  {
    ForEachPiece(box, plan.Unit(), plan.ValueSize(), Step, move);
    return;
  }
  // A chunk that nobody has written is none in the new file, either.
  for (const Chunk& chunk : ChunksIn(from, box))
  {
    Box piece{ chunk.Start, plan.Unit() };
    for (std::size_t i = 0; i < piece.Start.size(); ++i)
    {
      piece.Count[i] = std::min(piece.Count[i], plan.Extent()[i] - piece.Start[i]);
    }
    move(piece);
  }
}

}
