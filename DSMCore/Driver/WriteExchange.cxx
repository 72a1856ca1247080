// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/WriteExchange.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

namespace dsm
{

WriteExchange::WriteExchange(const Communicator& ranks, MemoryFile& file)
  : PieceExchange(ranks, file)
  , SlotSize(this->LargestPiece() + sizeof(PieceRow))
{
}

void WriteExchange::Add(std::span<const PutPiece> pieces)
{
  this->ForEachPart(
    pieces,
    [this](Slot& slot, std::size_t owner, const std::byte* memory, std::uint64_t size)
    {
      std::byte* sent = this->Sent.Get(this->SlotSize * this->Slots.size());
      CopyPiece(sent + owner * this->SlotSize + slot.Bytes, memory, size);
    },
    [this] { this->Round(true); });
}

void WriteExchange::Finish(std::exception_ptr failure)
{
  if (failure)
  {
    this->Note(std::move(failure));
  }
  while (!this->Broken && this->Round(false))
  {
  }
  // Of the last round.
  if (std::exchange(this->IsWriting, false))
  {
    this->File.Complete();
  }
  if (this->Failure)
  {
    std::rethrow_exception(this->Failure);
  }
}

// True when some rank has more.
bool WriteExchange::Round(bool more)
{
  this->Broken = true; // unless all of this goes well
  const Announced from = this->Announce(more);
  if (from.Keeps)
  {
    this->KeepBytes();
  }
  Scratch& going = from.Keeps ? this->Left : this->Sent;
  Communicator::Parcels sent{ going.Get(this->SlotSize * this->Slots.size()), {}, {} };
  for (std::size_t rank = 0; rank < this->Going.size(); ++rank)
  {
    const Slot& slot = this->Going[rank];
    std::byte* bytes = sent.Bytes + rank * this->SlotSize;
    std::memcpy(bytes + slot.Bytes, slot.Places.List().data(), slot.Places.Bytes());
    sent.Offsets.push_back(rank * this->SlotSize);
    sent.Sizes.push_back(slot.Bytes + slot.Places.Bytes());
  }
  Communicator::Parcels received;
  for (std::size_t rank = 0; rank < this->Slots.size(); ++rank)
  {
    received.Sizes.push_back(from.Bytes[rank] + from.Rows[rank] * sizeof(PieceRow));
  }
  received.Offsets = OneBehindTheOther(received.Sizes);
  received.Bytes = this->Received.Get(received.Offsets.back() + received.Sizes.back());
  this->Ranks.AllToAll(sent, received);
  this->Broken = false;
  try
  {
    this->WriteReceived(from, received.Bytes);
  }
  catch (...)
  {
    // The others do not know, and go on.
    this->Note(std::current_exception());
  }
  return from.More;
}

// Moves what stays behind what goes to the begin of memory of its own, where more can be added.
void WriteExchange::KeepBytes()
{
  const std::uint64_t size = this->SlotSize * this->Slots.size();
  std::swap(this->Sent, this->Left);
  for (std::size_t rank = 0; rank < this->Slots.size(); ++rank)
  {
    std::memcpy(this->Sent.Get(size) + rank * this->SlotSize,
      this->Left.Get(size) + rank * this->SlotSize + this->Going[rank].Bytes,
      this->Slots[rank].Bytes);
  }
}

void WriteExchange::WriteReceived(const Announced& from, const std::byte* received)
{
  if (std::exchange(this->IsWriting, false))
  {
    this->File.Complete(); // what Joined has had in it
  }
  std::vector<PieceRow> rows(
    std::accumulate(from.Rows.begin(), from.Rows.end(), std::uint64_t{ 0 }));
  PieceMerge merge;
  std::uint64_t position = 0;
  std::size_t row = 0;
  for (std::size_t rank = 0; rank < from.Bytes.size(); ++rank)
  {
    const std::size_t size = from.Rows[rank] * sizeof(PieceRow);
    std::memcpy(rows.data() + row, received + position + from.Bytes[rank], size);
    merge.Add(std::span(rows).subspan(row, from.Rows[rank]), position);
    position += from.Bytes[rank] + size;
    row += from.Rows[rank];
  }
  std::byte* const joined = this->Joined.Get(position);
  std::vector<PutPiece> runs;
  std::uint64_t begin = 0; // of the last run
  std::uint64_t end = 0;
  std::byte* place = joined; // its bytes
  const auto endRun = [&]
  {
    if (end > begin)
    {
      runs.push_back({ begin, place, end - begin });
      place += end - begin;
    }
  };
  merge.ForEach(
    [&](FileOffset address, std::uint64_t size, std::uint64_t at)
    {
      if (address > end || end == begin)
      {
        endRun();
        begin = address;
        end = address;
      }
      CopyPiece(place + (address - begin), received + at, size);
      end = std::max<std::uint64_t>(end, address + size);
    });
  endRun();
  if (!runs.empty())
  {
    this->IsWriting = true;
    this->File.WritePieces(runs, true);
  }
}

}
