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
  BeginWord,
  EndWord,
  NextWord,
  Words
};
}

PieceExchange::PieceExchange(const Communicator& ranks, MemoryFile& file)
  : Ranks(ranks)
  , File(file)
  , Slots(static_cast<std::size_t>(ranks.Size()))
  , Going(this->Slots.size())
  , Owners(*file.Mapping(), ranks.Size())
  , Room(std::max(LeastRoom, RoundBytes / static_cast<std::uint64_t>(ranks.Size())))
{
}

int PieceExchange::OwnerOf(FileOffset address, std::uint64_t& size)
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

PieceExchange::Announced PieceExchange::Announce(bool more)
{
  const RoundReach mine = this->Reach(more);
  for (std::size_t rank = 0; rank < this->Slots.size(); ++rank)
  {
    this->Going[rank].Clear();
    std::swap(this->Going[rank], this->Slots[rank]);
  }
  this->IsRising = true; // else nothing is kept
  Announced announced;
  const RoundLimits limits(this->AnnounceAll(announced, mine, more));
  if (limits.Keep())
  {
    // Who keeps how much all know only now.
    if (const std::uint64_t limit = limits.Of(mine); limit != RoundReach::None)
    {
      this->Keep(limit);
      announced.Keeps = true;
    }
    const bool keeps = announced.Keeps;
    this->AnnounceAll(announced, mine, more);
    announced.Keeps = keeps;
    announced.More = true;
  }
  return announced;
}

// How far this rank is with what it has.
RoundReach PieceExchange::Reach(bool more) const
{
  RoundReach reach;
  if (!this->IsRising)
  {
    return reach;
  }
  std::uint64_t end = 0;
  for (const Slot& slot : this->Slots)
  {
    if (const auto& rows = slot.Places.List(); !rows.empty())
    {
      const PieceRow& last = rows.back();
      reach.Begin = std::min(reach.Begin, rows.front().Begin);
      end = std::max(end, last.At(last.Count - 1) + last.Size);
    }
  }
  if (end > 0)
  {
    reach.End = end;
  }
  if (more)
  {
    reach.Next = this->Latest;
  }
  return reach;
}

// Tells all what is going, and how far this rank has come; returns how far all have.
std::vector<RoundReach> PieceExchange::AnnounceAll(
  Announced& announced, const RoundReach& mine, bool more)
{
  std::vector<std::uint64_t> words;
  words.reserve(this->Going.size() * Words);
  for (const Slot& slot : this->Going)
  {
    words.insert(words.end(),
      { slot.Bytes, slot.Places.List().size(), more ? 1U : 0U, mine.Begin, mine.End, mine.Next });
  }
  words = this->Ranks.AllToAll(words, Words);
  announced = {};
  std::vector<RoundReach> reaches;
  for (auto word = words.begin(); word != words.end(); word += Words)
  {
    announced.Bytes.push_back(word[BytesWord]);
    announced.Rows.push_back(word[RowsWord]);
    announced.More = announced.More || word[MoreWord] != 0;
    reaches.push_back({ word[BeginWord], word[EndWord], word[NextWord] });
  }
  return reaches;
}

// What is going stays from that address on.
void PieceExchange::Keep(std::uint64_t limit)
{
  for (std::size_t rank = 0; rank < this->Slots.size(); ++rank)
  {
    Slot& going = this->Going[rank];
    Slot& kept = this->Slots[rank];
    std::swap(going, kept);
    going.Bytes = kept.Places.BytesBefore(limit);
    going.Places = kept.Places.TakeFirst(going.Bytes);
    going.Memory = kept.Memory.TakeFirst(going.Bytes);
    kept.Bytes -= going.Bytes;
  }
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
