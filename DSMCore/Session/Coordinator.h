// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Control/Listener.h"
#include "Memory/Ring.h"
#include "Session/Housekeeping.h"
#include "Session/JointReads.h"
#include "Session/Matchmaker.h"
#include "Session/Server.h"
#include "Session/SnapshotTable.h"
#include "Steering/SteeringDesk.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace dsm
{

/// The server's mind, on host rank 0: answers peers, keeps the books of images and snapshots, and
/// decides who waits. Its state changes in the listener's thread and in the calls of the host
/// program; one lock guards it all, and nothing is done under it that could block.
///
/// An image's life:  begin -> (room? cleaned?) -> granted -> extend* -> seal -> snapshot
///                                                              '----> abandon, or writer lost
class Coordinator
{
public:
  /// `lent`: bytes per host at Start; a slot's size is what it may grow to.
  Coordinator(const ServerOptions& options, const ServerDescription& description,
    std::uint64_t lent, MpiOffer offer = {});
  ~Coordinator();

  /// Binds the socket and begins to answer; fills in the contact.
  void Listen(Contact& contact);

  /// Tells the peers and ends the thread.
  void Close();

  ServerStatus Status() const;
  std::optional<SnapshotDescription> WaitForSnapshot(
    std::uint64_t after, bool next, const Deadline& deadline);
  void Release(std::uint64_t number);
  void SetMap(const Redistribution& map);
  void SetIntake(const Intake& intake);

  /// Throws Error(Usage) when Adjust could not do that.
  void Check(const ServerOptions& options) const;
  /// As Server::Adjust; the hosts can be reached as `description` says.
  void Adjust(const ServerOptions& options, const ServerDescription& description);

  /// See Server.
  void OfferSaving(bool offered);
  std::optional<SaveOrder> WaitForSaveOrder();
  void SaveDone(const SaveOrder& order, const std::string& path, const std::string& failure);

  /// Has a lock of its own and sends under it: never call it with this coordinator's lock held.
  SteeringDesk& Steering() { return this->Steered; }

private:
  using Json = nlohmann::json;
  using Answer = void (Coordinator::*)(const PeerId&, const Json&);

  struct Lease
  {
    std::uint64_t Snapshot = 0;
    bool Peek = false;        ///< its end does not count as having read the snapshot
    std::string Viewer;       ///< whose ranks read it together; empty: nobody's
    std::uint64_t Wanted = 0; ///< the number that those asked for
  };

  struct Peer
  {
    PeerDescription Who;
    std::optional<std::uint64_t> Host; ///< which host's agent it is
    std::map<std::uint64_t, Lease> Leases;
    double Since = 0;         ///< seconds since 1970
    std::uint64_t ToldOf = 0; ///< the revision of the settings it knows
    Seconds Patience{ 0 };    ///< how long it is ready to wait for room
  };

  struct OpenImage
  {
    PeerId Owner;
    std::string FileName;
    AddressMap Map;
    std::uint64_t Slot = 0;
    std::uint64_t Grant = 0;
    bool ToldUnpublished = false; ///< people know that a flush of it could not be shown
  };

  /// A copy of an image at a flush, until its writer has heard of it and confirms: then it becomes
  /// a snapshot. A writer that stopped waiting may write on while the hosts still copy, so that its
  /// copy must not be seen.
  struct FlushCopy
  {
    std::uint64_t Image = 0;
    AddressMap Map;
    SnapshotDescription Snapshot;
  };

  /// A request that waits for room. Try returns true when it has been dealt with.
  struct Waiting
  {
    PeerId Peer;
    Json Request;
    Deadline Until;
    std::function<bool()> Try;
    Clock::time_point Since;
  };

  void Received(const PeerId& peer, const Json& message);
  void Gone(const PeerId& peer, bool lost);
  void Tick();

  void Hello(const PeerId& peer, const Json& message);
  void Begin(const PeerId& peer, const Json& message);
  void Extend(const PeerId& peer, const Json& message);
  void Seal(const PeerId& peer, const Json& message);
  void Abandon(const PeerId& peer, const Json& message);
  void Finish(const PeerId& peer, const Json& message);
  void Publish(const PeerId& peer, const Json& message);
  void Confirm(const PeerId& peer, const Json& message);
  void OpenSnapshot(const PeerId& peer, const Json& message);
  void CloseSnapshot(const PeerId& peer, const Json& message);
  void ListSnapshots(const PeerId& peer, const Json& message);
  void DeleteFile(const PeerId& peer, const Json& message);
  void Cleaned(const PeerId& peer, const Json& message);
  void Trouble(const PeerId& peer, const Json& message);
  void JoinHosts(const PeerId& peer, const Json& message);
  void EnterLink(const PeerId& peer, const Json& message);
  void LinkMet(const PeerId& peer, const Json& message);
  void Linked(const PeerId& peer, const Json& message);
  void LeaveLink(const PeerId& peer, const Json& message);
  void ToHost(std::uint64_t host, Json event);

  bool TryBegin(const PeerId& peer, const Json& message);
  bool TryExtend(const PeerId& peer, const Json& message);
  bool TryPublish(const PeerId& peer, const Json& message);
  void DropCopies(std::uint64_t image);
  SnapshotDescription Describe(const OpenImage& image, const Json& message) const;
  void Date(SnapshotDescription& snapshot);
  std::uint64_t Enter(SnapshotDescription snapshot);
  void GrantImage(const PeerId& peer, const Json& message, std::uint64_t image,
    const SnapshotDescription* source, const std::string& failure);
  void TryOrWait(const PeerId& peer, const Json& message, const std::function<bool()>& attempt);
  void RetryWaiting();
  bool MakeRoom(const std::function<bool(const Ring&, std::uint64_t)>& enough);
  std::vector<std::uint64_t> Victims() const;
  void Evict(std::uint64_t number);
  void TellIntake();
  void Count(const WriteStatistics& statistics);
  void Drop(std::uint64_t image, const std::string& why);
  void PrepareNext(const std::string& fileName);
  std::uint64_t Expected(const std::string& fileName) const;
  const AddressMap& MapFor(std::uint64_t likelySize);
  std::string FullText() const;
  SteeringDesk::Mail SteeringMail();
  std::string OrderSave(std::uint64_t ticket, const Json& request);
  void MeetSaveOrders(const SnapshotDescription& snapshot);
  void Report(const std::string& trouble);
  void EndLease(const PeerId& peer, const Lease& lease);
  Json WithNews(const PeerId& peer, Json reply);
  bool IsToBeSkipped(const OpenImage& image, std::uint64_t size);
  std::uint64_t BudgetFor(const ServerOptions& options) const;
  bool KeepsUnread() const { return this->Options.WhenFull != FullRing::DropOldest; }
  const SnapshotDescription& Snapshot(const Json& message) const;
  std::uint64_t HoldFor(Peer& peer, Lease lease);
  Peer& Known(const PeerId& peer);
  OpenImage& Writing(const Json& message);
  bool HasSimulations() const;
  std::vector<ConnectedWriter> Simulations() const;

  const std::uint64_t LentAtStart;

  mutable std::mutex Guard; ///< of all below
  ServerOptions Options;    ///< Map and Transport: as in Wanted and Description
  ServerDescription Description;
  std::uint64_t Revision = 0; ///< counts changes that peers must know of
  std::vector<std::string> Pending;
  std::condition_variable Changed;
  Ring Memory;
  SnapshotTable Snapshots;
  JointReads Together;
  Housekeeping Keeper;
  Matchmaker Links;
  Redistribution Wanted; ///< for images that begin from now on
  AddressMap Current;    ///< the last map made from that
  std::map<PeerId, Peer> Peers;
  std::map<std::uint64_t, OpenImage> Images;
  std::map<std::uint64_t, FlushCopy> Copies; ///< by their tickets
  std::deque<Waiting> Queue;
  std::vector<SaveOrder> AwaitedSaves;               ///< of snapshots that are not there yet
  std::deque<SaveOrder> ReadySaves;                  ///< their snapshots are held
  bool Saving = false;                               ///< somebody carries the orders out
  std::map<std::string, std::uint64_t> LastSizes;    ///< by stream
  std::map<std::string, std::uint64_t> StreamCounts; ///< snapshots sealed, by stream
  std::uint64_t LastImage = 0;
  std::uint64_t LastLease = 0;
  bool LostLastSimulation = false;
  std::uint64_t LastCopy = 0;
  bool HostLost = false;
  ServerStatus Counters; ///< only the counters and the last error are kept here

  SteeringDesk Steered;

  std::unique_ptr<Listener> Door; ///< last: its thread uses all the above
};

}
