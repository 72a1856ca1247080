// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/RoundUp.h"
#include "Base/StrongType.h"
#include "Memory/QuestionBoard.h"
#include "Memory/SlotTable.h"
#include "Memory/StaleChunks.h"

#include <cstdint>

namespace dsm
{

/// Where things are in a host's segment: its slots, and behind them tables with a number for each.
struct SegmentLayout
{
  SegmentLayout(std::uint64_t slotSize, std::uint64_t slotCount)
    : Generations(slotSize * slotCount, slotCount)
    , Endings(Generations.End(), slotCount)
    , Grants(Endings.End(), slotCount)
    , Wanted(Grants.End(), slotCount)
    , Refused(Wanted.End(), slotCount)
    , Reached(Refused.End(), slotCount)
    , DiskFrom(Reached.End(), slotCount)
    , DiskOffset(DiskFrom.End(), slotCount)
    , Flushed(DiskOffset.End(), slotCount)
    , Readers(Flushed.End(), slotCount)
    , Signals(Readers.End(), Signal::Count)
    , Mapped(Signals.End(), MostMapped)
    , Mailboxes(RoundUp(this->ReasonOf(SlotIndex(slotCount)), Alignment))
    , Questions(this->Mailboxes + MailboxesSize)
    , ChunkTable(RoundUp(StaleChunks::TableSize(slotSize), Alignment))
    , Slots(slotCount)
  {
  }

  /// Where what follows the tables begins.
  static constexpr std::uint64_t Alignment = 4096;
  /// Bytes of the mailboxes.
  static constexpr std::uint64_t MailboxesSize = UINT64_C(33) * 4096;

  /// A slot's generation is raised before bytes change in it that somebody might still take for
  /// what they were: those of a snapshot that was evicted, or of an image whose writer was lost.
  /// Whoever reads a slot compares its generation behind the data with the one it was given, and
  /// whoever writes compares before: a process that was stopped for so long that the server gave it
  /// up then gets an error instead of another file's bytes. The same idea as a sequence lock's
  /// counter (H.-J. Boehm, "Can seqlocks get along with programming language memory models?", MSPC
  /// 2012) and as the fencing tokens of leases.
  SlotTable Generations;

  /// How the image in a slot ended (SlotEnding). That of host 0 counts.
  SlotTable Endings;

  /// How many bytes of the image in a slot its ranks may write, so that those that map the table
  /// ask for more only where none of them has got it before. That of host 0 counts.
  SlotTable Grants;

  /// \name How ranks that have no channel get more room (SharedGrants), in the memory of host 0
  /// A rank says how much it wants (DatedBytes), and the coordinator, when it has got it, raises
  /// the grant, or says what it has refused, and why.
  ///@{
  SlotTable Wanted;
  SlotTable Refused;

  /// How much of what an image was granted its ranks have used (DatedBytes), said now and then: the
  /// coordinator gets more before anybody waits for it.
  SlotTable Reached;

  /// What is most of it.
  static constexpr std::uint64_t MostOf(std::uint64_t granted) { return granted - granted / 4; }

  /// Where the share of the image in a slot is that is on disk (DiskShare), for the same ranks:
  /// said before that is granted. DiskFrom is 0 where all of it is in memory.
  SlotTable DiskFrom;
  SlotTable DiskOffset;

  /// The size of the image's file at its last H5Fflush (FlushedSize), so that the coordinator keeps
  /// that much if the writer is lost. That of host 0 counts.
  SlotTable Flushed;

  /// How many processes have begun to read a slot and not told the server yet (ReaderGate). That of
  /// host 0 counts.
  SlotTable Readers;

  /// Numbers that are none of a slot's.
  enum Signal : std::uint64_t
  {
    Bell,     ///< a Doorbell: something is wanted or asked
    Answers,  ///< a Doorbell: something was granted, refused or answered
    Pulse,    ///< grows as long as the coordinator's thread runs
    Gate,     ///< whether the gate for readers is closed (ReaderGate)
    DiskFile, ///< on each host, one more than the descriptor of Segment::MakeDisk; 0: there is none
    Announced, ///< grows whenever viewers may hear of something new
    Count
  };
  SlotTable Signals;

  /// Snapshots that viewers have mapped, each at a place of its own (MappedEntry). Those of host 0
  /// count.
  SlotTable Mapped;
  static constexpr std::uint64_t MostMapped = 1024;

  /// Where the words of a refusal are: LongestReason bytes, which exist once there was one.
  static constexpr std::uint64_t LongestReason = 1024;
  std::uint64_t ReasonOf(SlotIndex slot) const { return this->TablesEnd() + slot * LongestReason; }
  ///@}

  /// Where peers on the node ask and are answered (Control/Mailboxes). Those of host 0 count.
  std::uint64_t Mailboxes;

  /// Where ranks without a channel ask and are answered (QuestionBoard). Those of host 0 count.
  std::uint64_t Questions;

  /// The state of a slot's chunks (StaleChunks), on each host of what is there.
  std::uint64_t ChunksOf(SlotIndex slot) const
  {
    return this->Questions + QuestionBoard::Size + slot * this->ChunkTable;
  }

  /// The bytes of the slots, of the tables, and of all there is.
  std::uint64_t TablesBegin() const { return this->Generations.OffsetOf(0); }
  std::uint64_t TablesEnd() const { return this->Mapped.End(); }
  std::uint64_t Size() const { return this->ChunksOf(SlotIndex(this->Slots)); }

private:
  std::uint64_t ChunkTable; ///< bytes, of one slot: pages of its own
  std::uint64_t Slots;
};

}
