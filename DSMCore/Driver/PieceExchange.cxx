// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/PieceExchange.h"

#include <algorithm>
#include <utility>

namespace dsm
{

namespace
{
// What a rank sends in a round, and what it receives. Much less makes more rounds; with much more
// the processor's caches do not help.
constexpr std::uint64_t RoundBytes = UINT64_C(4) << 20;
// Where there are many ranks.
constexpr std::uint64_t LeastRoom = UINT64_C(16) << 10;

// An announcement.
enum : std::size_t
{
  BytesWord,
  RowsWord,
  MoreWord,
  Words
};
}

PieceExchange::PieceExchange(const Communicator& ranks, MemoryFile& file)
  : Ranks(ranks)
  , File(file)
  , Slots(static_cast<std::size_t>(ranks.Size()))
  , Owners(*file.Mapping(), ranks.Size())
  , Room(std::max(LeastRoom, RoundBytes / static_cast<std::uint64_t>(ranks.Size())))
{
}

int PieceExchange::OwnerOf(std::uint64_t address, std::uint64_t& size)
{
  // What lies before it becomes a large number.
  if (address - this->DomainBegin >= this->Domain.Size)
  {
    this->Domain = this->Owners.At(address);
    this->DomainBegin = address;
  }
  size = std::min(size, this->Domain.Size - (address - this->DomainBegin));
  return this->Domain.Rank;
}

PieceExchange::Announced PieceExchange::Announce(bool more) const
{
  std::vector<std::uint64_t> mine;
  mine.reserve(this->Slots.size() * Words);
  for (const Slot& slot : this->Slots)
  {
    mine.insert(mine.end(), { slot.Bytes, slot.Places.List().size(), more ? 1U : 0U });
  }
  const auto theirs = this->Ranks.AllToAll(mine, Words);
  Announced announced;
  for (std::size_t rank = 0; rank < this->Slots.size(); ++rank)
  {
    announced.Bytes.push_back(theirs[rank * Words + BytesWord]);
    announced.Rows.push_back(theirs[rank * Words + RowsWord]);
    announced.More = announced.More || theirs[rank * Words + MoreWord] != 0;
  }
  return announced;
}

std::vector<std::uint64_t> PieceExchange::OneBehindTheOther(const std::vector<std::uint64_t>& sizes)
{
  std::vector<std::uint64_t> offsets;
  offsets.reserve(sizes.size());
  std::uint64_t sum = 0;
  for (const std::uint64_t size : sizes)
  {
    offsets.push_back(sum);
    sum += size;
  }
  return offsets;
}

std::byte* PieceExchange::Scratch::Get(std::uint64_t size)
{
  if (size > this->Size)
  {
    this->Memory = std::make_unique_for_overwrite<std::byte[]>(size);
    this->Size = size;
  }
  return this->Memory.get();
}

void PieceExchange::Note(std::exception_ptr failure)
{
  if (!this->Failure)
  {
    this->Failure = std::move(failure);
  }
}

}
