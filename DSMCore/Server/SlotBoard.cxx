// SPDX-License-Identifier: BSD-3-Clause
#include "Server/SlotBoard.h"

#include "Base/Log.h"
#include "Memory/DatedBytes.h"
#include "Memory/FlushedSize.h"
#include "Memory/RefusalText.h"

#include <algorithm>
#include <cstring>

namespace dsm
{

SlotBoard::SlotBoard(const Segment& memory, const SegmentLayout& layout)
  : Memory(memory)
  , Layout(layout)
{
}

SharedNumber SlotBoard::Number(const SlotTable& table, SlotIndex slot) const
{
  return table.In(this->Memory.Data(), slot);
}

std::byte* SlotBoard::Signal(SegmentLayout::Signal which) const
{
  return this->Memory.Data() + this->Layout.Signals.OffsetOf(which);
}

SlotEnding SlotBoard::Ending(SlotIndex slot) const
{
  return SlotEnding(this->Number(this->Layout.Endings, slot));
}

bool SlotBoard::DecideSealed(SlotIndex slot, std::uint64_t generation)
{
  return this->Ending(slot).Decide(generation, SlotEnding::Kind::Sealed) !=
    SlotEnding::Kind::GivenUp;
}

bool SlotBoard::Disown(SlotIndex slot, std::uint64_t generation)
{
  const SlotEnding ending = this->Ending(slot);
  if (ending.HasEnded(generation))
  {
    return false;
  }
  ending.Decide(generation, SlotEnding::Kind::GivenUp);
  return true;
}

bool SlotBoard::WentAlone(SlotIndex slot, std::uint64_t generation) const
{
  return this->Ending(slot).IsAlone(generation);
}

void SlotBoard::RaiseGeneration(SlotIndex slot, std::uint64_t generation)
{
  this->Number(this->Layout.Generations, slot).Raise(generation);
  ReaderGate::ResetSlot(this->Number(this->Layout.Readers, slot));
}

std::uint64_t SlotBoard::Wanted(SlotIndex slot, std::uint64_t generation) const
{
  return DatedBytes::Decode(this->Number(this->Layout.Wanted, slot).Load(), generation);
}

std::uint64_t SlotBoard::Reached(SlotIndex slot, std::uint64_t generation) const
{
  return DatedBytes::Decode(this->Number(this->Layout.Reached, slot).Load(), generation);
}

std::uint64_t SlotBoard::Flushed(SlotIndex slot, std::uint64_t generation) const
{
  return FlushedSize::Decode(this->Number(this->Layout.Flushed, slot).Load(), generation);
}

ReaderGate SlotBoard::Gate() const
{
  return ReaderGate(SharedNumber(this->Signal(SegmentLayout::Gate)));
}

void SlotBoard::CloseToReaders()
{
  this->Gate().Close();
}

void SlotBoard::OpenToReaders()
{
  this->Gate().Open();
}

bool SlotBoard::HasReaders(SlotIndex slot) const
{
  return ReaderGate::HasReaders(this->Number(this->Layout.Readers, slot));
}

void SlotBoard::NoteReader(SlotIndex slot)
{
  ReaderGate::Leave(this->Number(this->Layout.Readers, slot));
}

void SlotBoard::CloseSlot(SlotIndex slot)
{
  ReaderGate::CloseSlot(this->Number(this->Layout.Readers, slot));
}

MappedEntry SlotBoard::Mapped(std::uint64_t place) const
{
  return MappedEntry(this->Layout.Mapped.In(this->Memory.Data(), place));
}

// The grant last: who sees it sees the share on disk as well.
void SlotBoard::TellGrant(SlotIndex slot, std::uint64_t bytes, const DiskShare& disk)
{
  this->Number(this->Layout.DiskOffset, slot).Store(disk.Offset);
  this->Number(this->Layout.DiskFrom, slot).Store(disk.From);
  this->Number(this->Layout.Grants, slot).Store(bytes);
  this->RingAnswers();
}

// The words first, and then that there are some.
void SlotBoard::TellRefusal(SlotIndex slot, std::uint64_t generation, std::uint64_t bytes,
  const Error& why, const std::string& file)
{
  const std::string words = refusaltext::Encode(generation, why);
  try
  {
    const std::uint64_t place = this->Layout.ReasonOf(slot);
    this->Memory.Reserve(place, words.size());
    std::memcpy(this->Memory.Data() + place, words.data(), words.size());
  }
  catch (const Error& error)
  {
    Log().warn(
      "{}\ndsm warning: the ranks of {} are not told this: {}", error.what(), file, why.what());
  }
  const SharedNumber refused = this->Number(this->Layout.Refused, slot);
  const std::uint64_t before = DatedBytes::Decode(refused.Load(), generation);
  refused.Store(DatedBytes::Encode(generation, before == 0 ? bytes : std::min(before, bytes)));
  this->Number(this->Layout.Wanted, slot).Store(0);
  this->RingAnswers();
}

void SlotBoard::RingAnswers() const
{
  Doorbell(this->Signal(SegmentLayout::Answers)).Ring();
}

Doorbell SlotBoard::Bell() const
{
  return Doorbell(this->Signal(SegmentLayout::Bell));
}

void SlotBoard::Increment(SegmentLayout::Signal which) const
{
  const SharedNumber number(this->Signal(which));
  number.Store(number.Load() + 1);
}

void SlotBoard::Beat()
{
  this->Increment(SegmentLayout::Pulse);
}

void SlotBoard::CountAnnouncement()
{
  this->Increment(SegmentLayout::Announced);
}

}
