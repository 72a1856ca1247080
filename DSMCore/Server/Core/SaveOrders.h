// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Protocol/Descriptions.h"
#include "Server/Core/DiskQueue.h"
#include "Steering/SteeringMessages.h"

#include <cstdint>
#include <deque>
#include <list>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace dsm
{

class SnapshotTable;

/// A snapshot that is to be written to disk now.
struct SaveOrder
{
  std::uint64_t Ticket = 0;     ///< its steering transaction
  std::string Path;             ///< empty: the writer's choice
  std::string Form = "single";  ///< as FileForm::FromText has it
  bool OfMany = false;          ///< of a standing order: the path is the folder for all of them
  SnapshotDescription Snapshot; ///< held until the order is done
  bool IsRename = false;        ///< it is written already, and gets the name that its file has now
};

/// What a standing order is, and how far.
struct StandingOrder
{
  std::uint64_t Ticket = 0; ///< its steering transaction
  std::string Rule;         ///< as KeepRule::FromText has it
  bool Hold = false;        ///< what cannot be written stays in memory by all means
  std::string Path;         ///< the folder; empty: the writer's choice
  std::string Form = "single";
  std::uint64_t Written = 0; ///< files
  std::uint64_t Waiting = 0; ///< files
  std::string Failure;       ///< of one that could not be written; empty: none failed
};

void Describe(Fields&, StandingOrder&);

/// Which snapshots are to be written to disk: each is retained from the order until it is written.
/// Archive/DiskWriter writes them, in a thread of its own. Decides only; not thread safe.
class SaveOrders
{
public:
  using Time = DiskQueue::Time;

  /// Does what a viewer asks for, by one of those below. Empty, or why it cannot be done.
  std::string Order(std::uint64_t ticket, const SaveRequest& request, SnapshotTable& snapshots);

  /// The ticket of a standing order that has begun or ended by Order, each once; none: no more.
  std::optional<std::uint64_t> TakeKnown();

  /// The newest snapshot of a file whose name fits, as MatchesPattern has it. Empty, or why there
  /// is none.
  std::string OrderNewest(SaveOrder order, const std::string& file, SnapshotTable& snapshots);

  /// The one of a number. As above.
  std::string OrderNumber(SaveOrder order, SnapshotId number, SnapshotTable& snapshots);

  /// Orders the next snapshot that fits, of those that Come is told of: none that was closed before
  /// the order, though viewers may not have been told of it yet.
  void OrderNext(SaveOrder order, const std::string& file, const SnapshotTable& snapshots);

  /// All that a rule keeps, those that are there as well, until EndEach; what was ordered by then
  /// is written all the same. Throws Error(Usage) for a rule that makes no sense.
  void OrderEach(const StandingOrder& order, SnapshotTable& snapshots);

  /// Empty, or why there is nothing to end.
  std::string EndEach(std::uint64_t ticket, SnapshotTable& snapshots);

  /// A new snapshot may be one that orders wait for.
  void Come(const SnapshotDescription& whole, SnapshotTable& snapshots);

  /// \name What happens in the ring, as DiskQueue hears of it
  ///@{
  void Entered(SnapshotId number, SnapshotTable& snapshots);
  void Told(const SnapshotDescription& whole, SnapshotTable& snapshots);
  void Renamed(const SnapshotRenamed& renamed, SnapshotTable& snapshots);
  void ForgetReplaced(SnapshotTable& snapshots);
  void Recount(SnapshotTable& snapshots);
  /// Why it could not be written, though a standing order wanted it; none where it was.
  std::optional<std::string> Left(SnapshotId number);
  ///@}

  /// The next that can be written now, which is under way then.
  std::optional<SaveOrder> Take(Time now, SnapshotTable& snapshots);

  /// When something may be taken that cannot be now; none: not before something happens.
  std::optional<Time> NextTry() const;

  /// What Take gave has ended: empty, or why it could not be written. Then one of a standing order
  /// is tried again, and is retained until then if that holds.
  void Done(const SaveOrder& order, const std::string& failure, Time now, SnapshotTable& snapshots);

  /// Whether nothing is ordered, and nothing to be told of what was.
  bool IsEmpty() const
  {
    return this->Next.empty() && this->Ready.empty() && this->Many.empty() && this->Known.empty();
  }

  bool HasStanding() const { return !this->Many.empty(); }

  /// Those that have not ended, by their tickets.
  std::vector<StandingOrder> Standing(Time now, const SnapshotTable& snapshots) const;

private:
  std::string OrderStanding(
    std::uint64_t ticket, const SaveRequest& request, SnapshotTable& snapshots);
  std::optional<SaveOrder> TakeRename(const SnapshotTable& snapshots);

  struct Awaited
  {
    SaveOrder Order;
    std::string File;
    SnapshotId After = 0; ///< the last snapshot when it was ordered
  };

  struct Each
  {
    StandingOrder Order;
    DiskQueue Queue;
    std::set<SnapshotId> Written; ///< of those in the ring
    std::set<SnapshotId> Renamed; ///< of those: they are to be renamed in the archive
    bool Ended = false;           ///< but for what waits

    void NoteWritten(const SnapshotDescription& written, const SnapshotTable& snapshots);
  };

  std::vector<Awaited> Next;   ///< their snapshots are not there yet
  std::deque<SaveOrder> Ready; ///< their snapshots are held
  std::list<Each> Many;
  std::vector<std::uint64_t> Known; ///< see TakeKnown
};

}
