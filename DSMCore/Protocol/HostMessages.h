// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Right.h"
#include "Mapping/AsideBytes.h"
#include "Protocol/Descriptions.h"

#include <cstdint>
#include <string>
#include <vector>

/// Between the coordinator and the hosts' agents.
namespace dsm
{

/// Bytes [Begin, End) of a slot, on one host.
struct SlotRange
{
  SlotIndex Slot = 0;
  std::uint64_t Begin = 0;
  std::uint64_t End = 0;
};

/// A slot's bytes are another's from now on.
struct SlotGeneration
{
  SlotIndex Slot = 0;
  std::uint64_t Number = 0;
};

/// Event: what a host is to do with its memory, in this order, before it reports the tickets.
struct PrepareMemory
{
  static constexpr const char* Name = "prepare";

  std::vector<std::uint64_t> Tickets; ///< to report when all but Populate is done
  SlotIndex Slot = 0;           ///< for whose sake; what was to be done ahead in it comes first
  std::vector<SlotRange> Ahead; ///< pages to make exist in the background, of several slots: nobody
                                ///< waits for them, yet. Then there is nothing else
  bool Touches = true;          ///< those: they are cleared and mapped, too
  bool Rests = false;           ///< those: the host rests meanwhile if others want its cores
  std::vector<SlotGeneration> Raise; ///< before anything else
  std::vector<SlotRange> Release;    ///< pages to give back to the system
  std::vector<SlotRange> Forget;     ///< room on disk to give back
  SlotRange Reserve;                 ///< pages to make exist, or to fail
  SlotRange OnDisk;                  ///< the same for room on disk
  std::string Folder;                ///< where that is, if the host has no file there yet
  SlotRange Zero;                    ///< to be cleared
  SlotRange Stale;                   ///< to be noted as stale (StaleChunks)
  SlotIndex From = 0;                ///< slots: what is to be copied, and where
  SlotIndex To = 0;
  std::vector<AsideBytes::Moved> Copy;
  SlotRange Populate;     ///< pages to touch, in the background
  bool InWriting = false; ///< a writer may wait for it in the midst of its file
};

/// Notification: a host has done what these tickets stand for.
struct MemoryPrepared
{
  static constexpr const char* Name = "cleaned";
  static constexpr Right Needs = Right::Own;

  std::vector<std::uint64_t> Tickets;
  std::string Failure; ///< empty when all went well
  bool Ahead = false;  ///< nobody needs it yet
  /// The bytes of memory that the host lacked, if that is why it failed; otherwise 0.
  std::uint64_t Lacked = 0;
};

/// A file that is there on disk, for processes on several machines to write into.
struct FileOnDisk
{
  std::string Path;        ///< absolute
  std::uint64_t Inode = 0; ///< by which a process knows that it has found that one
};

/// Event: a host is to write what it has of a snapshot into files, in stripes that go round:
///
///     address           0 ........ s ........ 2s ....... 3s ....... 4s
///     in file, there    0, 0       1, 0       0, s       1, s
struct WriteShare
{
  static constexpr const char* Name = "write share";

  std::uint64_t Ticket = 0;
  HostIndex Host = 0;            ///< which one it is
  SnapshotDescription Snapshot;  ///< held until the host has said that it is done
  std::uint64_t Begin = 0;       ///< which of its bytes: from this address on
  std::uint64_t End = 0;         ///< and not from this on
  std::uint64_t StripeSize = 0;  ///< s, bytes; of no meaning for a single file
  std::vector<FileOnDisk> Files; ///< in their order
};

/// Event: what a host was told to write is not wanted any more. It is reported as done.
struct CancelShare
{
  static constexpr const char* Name = "cancel share";

  std::uint64_t Ticket = 0;
};

/// Notification: how far a host is with what it was told to write.
struct ShareWritten
{
  static constexpr const char* Name = "share written";
  static constexpr Right Needs = Right::Own;

  std::uint64_t Ticket = 0;
  std::uint64_t Bytes = 0;  ///< until now
  bool Done = false;        ///< nothing more is written, and the files are closed
  std::string Failure;      ///< empty when all went well
  bool IsElsewhere = false; ///< that was since the host's machine does not have these files
  /// What was written may not be the snapshot's, for its bytes have got another place, or have
  /// gone: to be written again, from where they are then.
  bool HasMoved = false;
};

void Describe(Fields&, SlotRange&);
void Describe(Fields&, SlotGeneration&);
void Describe(Fields&, PrepareMemory&);
void Describe(Fields&, MemoryPrepared&);
void Describe(Fields&, FileOnDisk&);
void Describe(Fields&, WriteShare&);
void Describe(Fields&, CancelShare&);
void Describe(Fields&, ShareWritten&);

}
