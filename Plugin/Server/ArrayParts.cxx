// SPDX-License-Identifier: BSD-3-Clause
#include "ArrayParts.h"

#include "Base/Error.h"
#include "Mpi/Agreement.h"
#include "Mpi/Communicator.h"

#include <algorithm>
#include <cstring>

using dsm::Error;
using dsm::Fault;

namespace
{
struct Head
{
  std::vector<std::int64_t> Block;
};

void Describe(dsm::Fields& fields, Head& head)
{
  fields("Block", head.Block);
}

// Returns the blocks of all ranks. Collective.
std::vector<GridBlock> GatherBlocks(const dsm::Communicator& ranks, const GridBlock& mine)
{
  std::vector<GridBlock> blocks;
  for (const Head& head : dsm::GatherAll(ranks, Head{ { mine.begin(), mine.end() } }))
  {
    std::ranges::copy(head.Block, blocks.emplace_back().begin());
  }
  return blocks;
}

// Points that follow each other along x.
struct Row
{
  std::uint64_t InPart = 0; ///< the first one
  std::uint64_t InWhole = 0;
  std::uint64_t Points = 0;
};

// Calls `work` with each row of a part.
template <typename Work>
void ForEachRow(const GridBlock& part, const GridBlock& whole, const Work& work)
{
  const auto sizes = SizesOf(part);
  const auto wholeSizes = SizesOf(whole);
  for (std::uint64_t z = 0; z < sizes[2]; ++z)
  {
    for (std::uint64_t y = 0; y < sizes[1]; ++y)
    {
      const std::uint64_t there =
        ((z + static_cast<std::uint64_t>(part[4] - whole[4])) * wholeSizes[1] + y +
          static_cast<std::uint64_t>(part[2] - whole[2])) *
          wholeSizes[0] +
        static_cast<std::uint64_t>(part[0] - whole[0]);
      work(Row{ (z * sizes[1] + y) * sizes[0], there, sizes[0] });
    }
  }
}

void Place(ArrayPart& joined, const ArrayPart& part, std::uint64_t pointBytes, Overlap overlap)
{
  ForEachRow(part.Block, joined.Block,
    [&](const Row& row)
    {
      for (std::uint64_t index = 0; index < row.Points; ++index)
      {
        if (!part.Known[row.InPart + index])
        {
          continue;
        }
        std::byte* place = joined.Elements.data() + (row.InWhole + index) * pointBytes;
        const std::byte* value = part.Elements.data() + (row.InPart + index) * pointBytes;
        if (joined.Known[row.InWhole + index])
        {
          if (overlap == Overlap::MustAgree && std::memcmp(place, value, pointBytes) != 0)
          {
            throw Error(Fault::Refused,
              "the parts of the source overlap with different values: it is no single grid");
          }
          continue;
        }
        std::memcpy(place, value, pointBytes);
        joined.Known[row.InWhole + index] = 1;
      }
    });
}

// Messages of MPI are shorter than 2 GiB.
constexpr std::uint64_t LongestMessage = UINT64_C(1) << 30;
constexpr int Tag = 7301;

void Send(const dsm::Communicator& ranks, const void* data, std::uint64_t bytes)
{
  const auto* from = static_cast<const std::byte*>(data);
  for (std::uint64_t done = 0; done < bytes; done += LongestMessage)
  {
    const auto now = static_cast<int>(std::min(LongestMessage, bytes - done));
    dsm::CheckMpi(MPI_Send(from + done, now, MPI_BYTE, 0, Tag, ranks.Handle()), "MPI_Send");
  }
}

void Receive(const dsm::Communicator& ranks, int rank, void* data, std::uint64_t bytes)
{
  auto* to = static_cast<std::byte*>(data);
  for (std::uint64_t done = 0; done < bytes; done += LongestMessage)
  {
    const auto now = static_cast<int>(std::min(LongestMessage, bytes - done));
    dsm::CheckMpi(
      MPI_Recv(to + done, now, MPI_BYTE, rank, Tag, ranks.Handle(), MPI_STATUS_IGNORE), "MPI_Recv");
  }
}
}

std::array<std::uint64_t, 3> SizesOf(const GridBlock& block)
{
  std::array<std::uint64_t, 3> sizes{};
  for (std::size_t axis = 0; axis < sizes.size(); ++axis)
  {
    sizes[axis] = static_cast<std::uint64_t>(
      std::max<std::int64_t>(block[2 * axis + 1] - block[2 * axis] + 1, 0));
  }
  return sizes;
}

std::uint64_t ArrayPart::Points() const
{
  const auto sizes = SizesOf(this->Block);
  return sizes[0] * sizes[1] * sizes[2];
}

GridBlock UnionOf(const dsm::Communicator& ranks, const GridBlock& mine)
{
  GridBlock all = { 0, -1, 0, -1, 0, -1 };
  bool first = true;
  for (const GridBlock& block : GatherBlocks(ranks, mine))
  {
    if (std::ranges::count(SizesOf(block), 0U) > 0)
    {
      continue;
    }
    for (std::size_t axis = 0; axis < 3; ++axis)
    {
      all[2 * axis] = first ? block[2 * axis] : std::min(all[2 * axis], block[2 * axis]);
      all[2 * axis + 1] =
        first ? block[2 * axis + 1] : std::max(all[2 * axis + 1], block[2 * axis + 1]);
    }
    first = false;
  }
  return all;
}

ArrayPart Join(const dsm::Communicator& ranks, const ArrayPart& part, const GridBlock& whole,
  std::uint64_t pointBytes, Overlap overlap)
{
  const auto blocks = GatherBlocks(ranks, part.Block);
  ArrayPart joined;
  std::string problem;
  if (ranks.Rank() > 0)
  {
    Send(ranks, part.Elements.data(), part.Elements.size());
    Send(ranks, part.Known.data(), part.Points());
  }
  else
  {
    joined.Block = whole;
    joined.Elements.resize(joined.Points() * pointBytes);
    joined.Known.resize(joined.Points());
    for (int rank = 0; rank < ranks.Size(); ++rank)
    {
      ArrayPart other;
      if (rank > 0)
      {
        other.Block = blocks[static_cast<std::size_t>(rank)];
        other.Elements.resize(other.Points() * pointBytes);
        other.Known.resize(other.Points());
        Receive(ranks, rank, other.Elements.data(), other.Elements.size());
        Receive(ranks, rank, other.Known.data(), other.Points());
      }
      try
      {
        Place(joined, rank > 0 ? other : part, pointBytes, overlap);
      }
      catch (const Error& error)
      {
        // The other ranks still send.
        problem = problem.empty() ? error.what() : problem;
      }
    }
  }
  dsm::RunOnRankZero(ranks,
    [&]
    {
      if (!problem.empty())
      {
        throw Error(Fault::Refused, "{}", problem);
      }
    });
  return joined;
}
