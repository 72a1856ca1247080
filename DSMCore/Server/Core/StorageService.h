// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Protocol/SnapshotMessages.h"
#include "Server/Core/AllocationService.h"
#include "Server/Core/AnnouncementService.h"
#include "Server/Core/Call.h"
#include "Server/Core/CoreState.h"
#include "Server/Core/DiskBook.h"
#include "Server/Core/FileLocks.h"
#include "Server/Core/SaveOrders.h"
#include "Server/Core/ServerStatus.h"
#include "Server/Core/SnapshotEvents.h"
#include "Server/Core/SnapshotTable.h"
#include "Server/Core/Waiters.h"

#include <cstdint>
#include <optional>
#include <string>

namespace dsm
{

class RequestRouter;

/// Decides which snapshots are written to disk: by the server's own rule, and by orders of viewers.
/// Threads of the host program write them.
class StorageService final : public SnapshotObserver
{
public:
  /// The objects that the service uses; all must outlive it.
  struct Parts
  {
    CoreState& State;
    SnapshotTable& Snapshots;
    DiskBook& Disk;
    FileLocks& Locks;
    AllocationService& Allocations;
    AnnouncementService& Announcer;
    Waiters& Waiting;
  };

  explicit StorageService(const Parts& parts)
    : Part(parts)
  {
  }

  /// Takes its requests from a router, which must not outlive this service.
  void Serve(RequestRouter& router);
  void Handle(const Call& call, const NoteSaved& message);

  /// \name Files that are on disk as well, under their own names
  ///@{
  void OfferDisk(bool offered);
  bool WritesToDisk() const { return this->IsWritingToDisk; }
  /// None if there is nothing to write now.
  std::optional<SnapshotDescription> TakeDiskOrder();
  std::optional<Clock::time_point> NextDiskTry() const { return this->Part.Disk.NextTry(); }
  void EnterWritten(const SnapshotDescription& snapshot, const FilePut& file);
  void DiskDone(const SnapshotDescription& snapshot, const DiskOutcome& outcome);
  void TryDiskNow();
  bool IsDiskBusy() const { return this->Part.Disk.IsBusy(this->Part.State.Time.Now); }
  DiskBacklog Backlog() const;
  const DiskBook& Book() const { return this->Part.Disk; }
  ///@}

  /// \name Orders to save snapshots
  ///@{
  void OfferSaving(bool offered);
  bool OffersSaving() const { return this->IsSaving; }
  /// Empty, or why it cannot be done.
  std::string Order(std::uint64_t ticket, const SaveRequest& request);
  /// The ticket of an order that the server knows to be done by itself, each once.
  std::optional<std::uint64_t> TakeKnown() { return this->Saves.TakeKnown(); }
  std::optional<SaveOrder> TakeSaveOrder();
  std::optional<Clock::time_point> NextSaveTry() const { return this->Saves.NextTry(); }
  void NoteSaving(std::uint64_t bytes);
  void SaveDone(const SaveOrder& order, const std::string& failure);
  ///@}

  /// Snapshots belong to other streams than before: applies the rules that count streams again.
  void Recount();

  void FillIn(ServerStatus& status) const;

  void OnSealed(const SnapshotSealed& snapshot) override;
  void OnAnnounced(const SnapshotDescription& snapshot) override;
  void OnExtended(const SnapshotDescription& snapshot) override;
  void OnWithheld(const SnapshotDescription& snapshot) override;
  void OnRenamed(const SnapshotRenamed& renamed) override;
  void OnReplaced() override;
  void OnAllAnnounced() override;
  void OnEvicted(const SnapshotDescription& snapshot) override;

private:
  const Parts Part;
  SaveOrders Saves;
  bool IsWritingToDisk = false;
  bool IsSaving = false;
  std::optional<FileBeingSaved> Writing;
  bool ArchiveFails = false; ///< the last file of a standing order could not be written
};

}
