// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Peer/Connection.h"
#include "Peer/SnapshotFence.h"
#include "Peer/SnapshotLease.h"
#include "Protocol/SnapshotPlaces.h"
#include "Transport/HostPieces.h"
#include "Transport/Way.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace dsm
{

/// A snapshot opened for reading by one process. While it exists the snapshot stays as it is and
/// where it is; closing it counts as having read the snapshot, unless it was opened within a Peek.
/// For one thread at a time, const or not: threads that read one snapshot open a view each.
class SnapshotView
{
public:
  /// Opens by number. Throws Error(Refused) when the ring has it no longer (or not yet).
  SnapshotView(const std::shared_ptr<Connection>& connection, SnapshotId number);

  /// Opens the newest of a file name (AbsoluteName). Throws Error(Refused) when there never was
  /// one, or the file on disk of that name has changed since; and Error(Gone) when the newest has
  /// left the ring. `onDiskSince`: when that file was changed last, seconds since 1970; none: there
  /// is no file.
  SnapshotView(const std::shared_ptr<Connection>& connection, const std::string& fileName,
    std::optional<double> onDiskSince = std::nullopt);

  /// One that somebody else holds as long as this exists, who was told this of it.
  SnapshotView(std::shared_ptr<Connection> connection, const SnapshotDescription& held);

  /// Opens the newest of all. Throws Error(Refused) when there is none yet.
  static std::unique_ptr<SnapshotView> Latest(const std::shared_ptr<Connection>& connection);

  /// Opens the snapshot of a file that belongs to the snapshot `master`, which leads to that file
  /// (SnapshotTable::Version). `known`: any snapshot of the file, or 0. Throws Error(Refused) if
  /// the server knows no such file, Error(Gone) if the snapshot has left the ring.
  static std::unique_ptr<SnapshotView> Version(const std::shared_ptr<Connection>& connection,
    const std::string& fileName, SnapshotId known, SnapshotId master);

  /// Opens the newest snapshot of a file that is being written. Throws Error(Refused) if there is
  /// none yet, Error(Gone) if it has left the ring.
  static std::unique_ptr<SnapshotView> Unfinished(const std::shared_ptr<Connection>& connection,
    const std::string& fileName, const UnfinishedFile& file);

  /// Opens the newest version of the file that has a placeholder with a snapshot's number. Throws
  /// as by number, and Error(Gone) if the newest has left the ring. `identity`: the file's
  /// (FileIdentity).
  static std::unique_ptr<SnapshotView> Behind(
    const std::shared_ptr<Connection>& connection, SnapshotId number, const std::string& identity);

  /// Opens one whose place is known, without a word of the server's. Null where it is not there any
  /// more or its file has a newer version, this process does not map that memory, or has no channel
  /// to say by that it reads: then the server has to be asked.
  static std::unique_ptr<SnapshotView> At(const std::shared_ptr<Connection>& connection,
    SnapshotId number, const std::string& fileName, const SlotAddress& place);

  SnapshotView(const SnapshotView&) = delete;
  SnapshotView& operator=(const SnapshotView&) = delete;

  const std::shared_ptr<Connection>& GetConnection() const { return this->Link; }
  const SnapshotDescription& Description() const { return this->Lease.Description(); }

  /// Copies bytes out of the snapshot: they are there when it returns. Past the end they are zero.
  /// Throws Error(PeerLost) when they may be another file's, since the server gave this process up
  /// meanwhile, or when the snapshot had to go.
  void Read(FileOffset address, void* destination, std::uint64_t size) const;

  /// The same of pieces at their addresses, all of which are there when it returns. Where this
  /// process maps a host's memory, each is copied at once. Elsewhere each is a transfer of its own,
  /// unless `together`: then a host's pieces are as few operations as the transport needs.
  void ReadPieces(std::span<const GetPiece> pieces, bool together) const;

  /// How the file's bytes are spread over the hosts.
  const AddressMap& Mapping() const { return this->Places.Mapping(); }

  /// True when this process reaches all hosts' memory without them. Opens the way to them.
  bool IsMapped() const;

  /// \name The file's pages as this process's own memory (StitchedView)
  ///@{
  /// Returns whether the bytes are still where Description says, and no image shares them. Whoever
  /// writes an image that shares them changes them behind the readers.
  bool IsInPlace() const
  {
    return !this->Places.IsShared() && this->Generation == this->Description().Generation;
  }

  /// Calls visit(host, offset, position, length) for each run of bytes: SnapshotPlaces::ForEachRun.
  template <typename Visitor>
  void ForEachRun(FileOffset address, std::uint64_t size, Visitor&& visit) const
  {
    this->Places.ForEachRun(address, size, std::forward<Visitor>(visit));
  }

  /// Returns whether this process maps a host's memory. Opens the way to the hosts.
  bool IsMapped(HostIndex host) const;

  /// Maps pages of a run at `place`: Transport::MapPrivate. What is there counts if RequireHeld,
  /// called afterwards, does not throw.
  bool MapPrivate(HostIndex host, std::uint64_t offset, std::byte* place, std::uint64_t size) const;
  ///@}

  /// Returns true if the bytes may go to a GPU's memory (DeviceBuffers).
  bool TakesDeviceMemory() const { return this->Data().TakesDeviceMemory(); }

  /// The bytes in place when they are consecutive in memory that this process maps, else null. What
  /// was made of them counts once RequireHeld, called afterwards, does not throw.
  const std::byte* Direct(FileOffset address, std::uint64_t size) const;

  /// How many bytes from an address on are consecutive in one host's memory.
  std::uint64_t Consecutive(FileOffset address) const { return this->Places.At(address).Size; }

  /// How bytes from an address on are reached: as many as follow one another there, of `size`.
  Way WayTo(FileOffset address, std::uint64_t size) const;

  /// Throws as Read does.
  void RequireHeld() const;

  /// False where no transport reaches the memory of all hosts from this process: then nothing of it
  /// can be read here. Opens the way to them.
  bool IsInReach() const;

  /// Asks the server where the bytes are now, for what others read of them and found to have moved
  /// (ArchiveAccess::WriteByHosts). Throws Error(PeerLost) behind the deadline, or when it has
  /// gone.
  SnapshotDescription FindAgain(const Deadline& deadline) const;

  /// Where rank 0 holds it for this rank, which may have asked the server for itself where its
  /// bytes are by now: Connection::HangUp.
  void HangUp() const noexcept { this->Link->HangUp(); }

private:
  SnapshotView(std::shared_ptr<Connection> connection, SnapshotLease lease);
  Transport& Data() const;
  void Describe(const SnapshotDescription& snapshot) const;
  void Get(FileOffset address, void* destination, std::uint64_t size) const;
  void GetPieces(std::span<const GetPiece> pieces, bool together) const;
  bool Holds() const;
  template <typename Work>
  void GetAgain(const Work& work) const;
  [[noreturn]] void ThrowGone() const;

  std::shared_ptr<Connection> Link;
  SnapshotLease Lease;
  mutable SnapshotPlaces Places;
  mutable std::uint64_t Generation = 0;     ///< of the slot, where the places are these
  mutable std::shared_ptr<Transport> Route; ///< the connection's, from the first read on
  mutable SnapshotFence Fence;              ///< made with the route
  mutable std::vector<bool> ReadFrom;       ///< hosts, by one Read
  mutable HostPieces<GetPiece> Gets;
};

}
