// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Memory/SlotTable.h"

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
    , Mailboxes((Grants.End() + Alignment - 1) / Alignment * Alignment)
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

  /// Where peers on the node ask and are answered (Control/Mailboxes). Those of host 0 count.
  std::uint64_t Mailboxes;

  /// Bytes of the slots, and of all there is.
  std::uint64_t TablesBegin() const { return this->Generations.OffsetOf(0); }
  std::uint64_t Size() const { return this->Mailboxes + MailboxesSize; }
};

}
