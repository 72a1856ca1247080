// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/FileAccess.h"
#include "Encoding/Fields.h"
#include "Mapping/AddressMap.h"
#include "Mapping/AsideBytes.h"
#include "Protocol/TransportChoice.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// The things that messages are about, as plain records. Each has a function Describe that says
/// which of its fields travel.
namespace dsm
{

/// How peers reach a host by one transport.
struct TransportOffer
{
  std::string Name; ///< as it is chosen: "fabric/tcp"
  Bytes Content;    ///< what that transport's peers' side needs to know
  Bytes ReadOnly{}; ///< the same for a peer that may only read, where the transport can see to that

  bool operator==(const TransportOffer&) const = default;
};

/// One host's memory, as peers need to know it.
struct HostDescription
{
  std::string Node;    ///< identifies the machine (and boot) whose processes can map the segment
  std::string Name;    ///< of the machine, for people
  std::string Network; ///< identifies the network namespace: equal ones share the loopback
  std::vector<TransportOffer> Offers; ///< by preference

  bool operator==(const HostDescription&) const = default;
};

/// Everything a peer must know of a server to move bytes.
struct ServerDescription
{
  std::string Session; ///< unique to one Start of one server
  std::vector<HostDescription> Hosts;
  std::uint64_t SlotSize = 0;  ///< bytes of address space per slot on each host
  std::uint64_t SlotCount = 0; ///< slot k begins at offset k * SlotSize of each segment; see
                               ///< SegmentLayout
  std::uint64_t DiskSize = 0;  ///< bytes behind them for files that outgrow the memory: DiskWindows
  bool Pinned = false;         ///< a slot is no larger than its pages, which are always there
  TransportChoice Transport;

  bool operator==(const ServerDescription&) const = default;
};

/// Who a peer is, for people.
struct PeerDescription
{
  std::string Role;    ///< "writer", "steering", "host", "viewer"; "archive": it brings files back
  std::string Program; ///< the executable's name
  std::string Node;    ///< host name
  std::string Mpi;     ///< MPI library and version; empty without MPI
  std::uint64_t Ranks = 1;
  std::uint64_t Process = 0;
  std::string Machine;            ///< NodeIdentity: where it has that number
  std::string Job;                ///< LaunchedJob
  std::uint64_t JobProcesses = 1; ///< of which it is one, or some
  std::string Launch;             ///< LaunchOfThisProcess

  bool operator==(const PeerDescription&) const = default;
};

/// An image somebody writes.
struct ImageDescription
{
  ImageId Image = 0; ///< number of the image, for Extend, Seal and Discard
  SlotIndex Slot = 0;
  std::uint64_t Generation = 0; ///< of the slot, as long as the image has it
  MapParameters Map;
  std::uint64_t Grant = 0; ///< file bytes that may be written without asking again
  std::uint64_t Key = 0;   ///< that only the ranks that write it know
  /// Bytes of the slot on each host, from its beginning, that may hold old contents, which those
  /// who write it clear (StaleChunks); empty: none.
  std::vector<std::uint64_t> Stale;
  bool Foreseen = false; ///< what is granted is what it will likely have
  /// Of a file that is written further in its place: how long it is already. A snapshot shows these
  /// bytes, so whoever changes them asks first (KeepBytes). 0: nothing is there.
  std::uint64_t Begins = 0;
  /// What its memory has no room for may go to the hosts' disks: bytes that each has for it there;
  /// 0: it may not.
  std::uint64_t DiskCapacity = 0;

  bool operator==(const ImageDescription&) const = default;
};

/// How a snapshot was written, measured by the writer: seconds of wall time, the slowest rank's.
struct WriteStatistics
{
  std::uint64_t Bytes = 0;   ///< bytes that all ranks handed to the driver, metadata included
  double WriteSeconds = 0;   ///< inside the driver's transfer callbacks
  double BlockedSeconds = 0; ///< inside the driver altogether: open, transfers, flush, close
  /// Bytes that all ranks put to each host: counted where they are put, so what is written twice
  /// counts twice.
  std::vector<std::uint64_t> HostBytes;

  bool operator==(const WriteStatistics&) const = default;
};

/// What a snapshot that a flush has made shares with the image it is of: all that is not aside.
struct SharedBytes
{
  SlotIndex Slot = 0;            ///< of the image
  std::uint64_t Generation = 0;  ///< of that slot, as long as the image is being written
  std::vector<AsideBytes> Aside; ///< for each host: what is in the snapshot's own slot

  bool operator==(const SharedBytes&) const = default;
};

/// A sealed image. What is in its slot, and how, may change while it has one and shares bytes: then
/// the slot's generation changes.
struct SnapshotDescription
{
  SnapshotId Number = 0;      ///< 1, 2, 3, … in the order of sealing
  std::string FileName;       ///< absolute, as the simulation named it
  std::uint64_t FileSize = 0; ///< EOF, bytes
  double Step = 0;            ///< from the file name's number; else Count
  /// Counts those closed before whose names differ in numbers only. Peers are not told.
  double Count = 0;
  SlotIndex Slot = 0;
  std::uint64_t Generation = 0; ///< of the slot, as long as the snapshot is in the ring
  MapParameters Map;
  std::optional<SharedBytes> Shared; ///< what a flush has shown: bytes of the image it is of
  WriteStatistics Statistics;
  double SealedAt = 0; ///< seconds since 1970, by the server's clock
  /// The numbers of all parts, this among them, in the order of the parts: of a snapshot in several
  /// files, one of each process, that this one stands for. Empty: it is in one file. In lists, the
  /// rest is then of all parts: their sizes and what was written of them in all, the slowest one's
  /// seconds, and their names with '*' for what they differ in.
  std::vector<SnapshotId> Parts;
  std::string Stream{};  ///< of those that follow each other: StreamBook
  std::uint64_t Run = 0; ///< of the simulation that wrote it, likewise
  std::string Program{}; ///< that wrote it
  std::string Machine{}; ///< where that runs (NodeIdentity)
  /// Its writer has left its name on disk: a placeholder, or the file that this is a newer state
  /// of.
  bool Named = false;
  /// Which snapshots were left under the same name on disk, one after the other, whatever it was
  /// renamed to meanwhile: the number of the first of them.
  SnapshotId Family = 0;
  /// Who may do what with the file that the writer left on disk; none: the writer does not know.
  std::optional<FileAccess> Access{};

  bool operator==(const SnapshotDescription&) const = default;
};

/// Where the bytes of a snapshot are that has a slot for itself, for a process that has not asked
/// the server: valid in one session, and as long as the slot has this generation.
struct SlotAddress
{
  std::string Session; ///< ServerDescription::Session
  std::uint64_t FileSize = 0;
  SlotIndex Slot = 0;
  std::uint64_t Generation = 0;
  MapParameters Map;

  /// Whether such a slot is part of the server's memory. What says so may be anybody's file.
  bool IsOf(const ServerDescription& server) const;

  bool operator==(const SlotAddress&) const = default;
};

/// The description as those get it who may only read.
ServerDescription ForReading(ServerDescription server);

void Describe(Fields&, FileAccess&);
void Describe(Fields&, DiskShare&);
void Describe(Fields&, MapParameters&);
void Describe(Fields&, TransportOffer&);
void Describe(Fields&, HostDescription&);
void Describe(Fields&, ServerDescription&);
void Describe(Fields&, PeerDescription&);
void Describe(Fields&, ImageDescription&);
void Describe(Fields&, WriteStatistics&);
void Describe(Fields&, AsideBytes::Moved&);
void Describe(Fields&, AsideBytes&);
void Describe(Fields&, SharedBytes&);
void Describe(Fields&, SnapshotDescription&);
void Describe(Fields&, SlotAddress&);

}
