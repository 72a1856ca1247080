// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Control/Listener.h"
#include "Memory/QuestionBoard.h"
#include "Memory/Segment.h"
#include "Memory/SegmentLayout.h"
#include "Protocol/GuestMessages.h"
#include "Protocol/HostMessages.h"
#include "Protocol/SessionMessages.h"
#include "Protocol/SnapshotMessages.h"
#include "Protocol/TransportMessages.h"
#include "Server/Core/AllocationQueue.h"
#include "Server/Core/Announcements.h"
#include "Server/Core/DiskBook.h"
#include "Server/Core/GuestBook.h"
#include "Server/Core/HostOrders.h"
#include "Server/Core/HostTasks.h"
#include "Server/Core/ImageManager.h"
#include "Server/Core/LeaseBook.h"
#include "Server/Core/RunTable.h"
#include "Server/Core/SaveOrders.h"
#include "Server/Core/ServerMessages.h"
#include "Server/Core/ServerStatus.h"
#include "Server/Core/ShareTasks.h"
#include "Server/Core/SnapshotGroups.h"
#include "Server/Core/StreamBook.h"
#include "Server/GrantWatch.h"
#include "Server/PlaceholderTeller.h"
#include "Server/SlotBoard.h"
#include "Steering/SteeringService.h"
#include "Transport/TransportMediator.h"

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace dsm
{

/// The server's side of the control channel, on host rank 0: answers peers, knows which are
/// connected and what they have open, and carries out the decisions of the server's parts:
/// ImageManager (images and snapshots), AllocationQueue (requests that wait), HostTasks (the hosts'
/// work), SaveOrders, the transports' mediators, SteeringService.
///
/// Its state changes in the listener's thread and in the calls of the host program; one lock guards
/// it all, and nothing is done under it that could block.
class Coordinator
{
public:
  /// By the transports' names.
  using Mediators = std::map<std::string, std::unique_ptr<TransportMediator>>;

  /// `memory`: that of host 0, which must outlive the coordinator. `lent`: bytes per host at Start;
  /// a slot's size is what it may grow to. `secret`: by which it knows its hosts.
  Coordinator(const ServerOptions& options, const ServerDescription& description,
    const Segment& memory, std::uint64_t lent, const std::string& secret, Mediators mediators = {});
  ~Coordinator();

  /// Binds the socket and begins to answer; fills in the contact.
  void Listen(Contact& contact);

  /// From now on no file is begun or sealed.
  void TakeNoMore();
  void TakeAgain();

  /// Notifies the peers and ends the thread.
  void Close();

  ServerStatus Status() const;
  std::optional<SnapshotDescription> WaitForSnapshot(
    std::uint64_t after, bool next, const Deadline& deadline);
  void Release(std::uint64_t number);
  void SetMap(const Redistribution& map);
  void SetFilePolicy(const FilePolicy& filePolicy);

  /// Throws Error(Usage) when Adjust could not do that.
  void Check(const ServerOptions& options) const;
  /// As Server::Adjust; the hosts can be reached as `description` says.
  void Adjust(const ServerOptions& options, const ServerDescription& description);

  /// See Server.
  void OfferSaving(bool offered);
  std::optional<SaveOrder> WaitForSaveOrder();
  void NoteSaving(std::uint64_t bytes);
  void SaveDone(const SaveOrder& order, const std::string& path, const std::string& failure);

  /// See Server.
  void OfferDisk(bool offered);
  std::optional<SnapshotDescription> WaitForDiskOrder();
  void EnterWritten(const SnapshotDescription& snapshot, const FileMark& mark);
  void DiskDone(const SnapshotDescription& snapshot, const DiskOutcome& outcome);
  std::optional<WrittenFiles::File> WrittenAs(const FileMark& mark) const;
  std::uint64_t FamilyOf(const PlaceholderAddress& placeholder) const;
  DiskBacklog AwaitDisk(const Deadline& deadline);
  void TryDiskNow();

  /// See Server.
  bool WriteByHosts(const WriteShare& share, const std::function<void(std::uint64_t)>& wrote);

  /// See Server.
  void OnSealed(std::function<void(const SnapshotDescription&)> call);

  /// See Server.
  void OfferAttaching(bool offered);
  std::optional<HostOrder> TakeOrder();
  void OrderDone(const HostOrder& order, const std::string& failure);

  /// What ServerStatus says of the transports.
  void NoteTransports(std::vector<std::string> lines);

  /// Has a lock of its own and sends under it: never call it with this coordinator's lock held.
  SteeringService& Steering() { return this->Steered; }

private:
  struct Peer
  {
    PeerDescription Process;
    std::string Guest;                 ///< whose key it has; empty: the owner's
    std::optional<std::uint64_t> Host; ///< which host's agent it is
    double Since = 0;                  ///< seconds since 1970
    std::uint64_t KnownRevision = 0;   ///< the revision of the settings it knows
    bool Attached = false;             ///< it takes care of the server, from outside
    Seconds AllocationTimeout{ 0 };    ///< how long it is ready to wait for memory
    /// The last snapshot that it has opened before it wrote anything.
    std::optional<RunOrigin> Opened;
    bool HasRead = false;            ///< a snapshot that it has awaited was there
    std::uint64_t WritersBefore = 0; ///< how many had come before it, and itself
  };

  /// One who waits for a snapshot.
  struct Taker
  {
    RequestId Request;
    TakeSnapshot Wanted;
    Deadline Until;
  };

  /// One who waits for a snapshot of a file.
  struct Awaiter
  {
    RequestId Request;
    AwaitSnapshot Wanted;
    Deadline Until;
  };

  /// A question for more room, and who hears the answer beside those who see it in this host's
  /// memory.
  struct Growth
  {
    PeerId Owner; ///< of the image
    std::uint64_t Image = 0;
    std::uint64_t Bytes = 0;
    std::function<void(std::uint64_t grant)> Granted;
    std::function<void(const std::exception&)> Refused;
  };

  using Answer = std::function<void(const RequestId&, const Envelope&)>;

  /// Hears that bytes are kept (null), or why not.
  using WhenKept = std::function<void(const std::exception* why)>;

  template <typename Message>
  void On(void (Coordinator::*answer)(const RequestId&, const Message&));
  void Received(const RequestId& request, const Envelope& message);
  std::string Admit(const RequestId& request, const Envelope& message) const;
  bool Steer(const RequestId& request, const Envelope& message, const std::string& guest);
  static void CheckVersion(const Envelope& hello);
  void Gone(const PeerId& peer, bool lost);
  void Tick();

  // What peers ask for or say, one each.
  void Register(const RequestId& request, const Hello& message);
  void Begin(const RequestId& request, const BeginImage& message);
  void Extend(const RequestId& request, const ExtendImage& message);
  bool LookInMemory();
  void LookForWants();
  void AnswerQuestion(const QuestionBoard::Question& question);
  template <typename Record>
  void AnswerInMemory(const QuestionBoard::Question& question, const Record& record) const;
  void RefuseInMemory(const QuestionBoard::Question& question, const std::exception& error) const;
  bool RanksRead() const;
  void Seal(const RequestId& request, const SealImage& message);
  void RequireNotGivenUp(std::uint64_t image) const;
  void TellGrant(std::uint64_t image) const;
  void Discard(const RequestId& request, const DiscardImage& message);
  void Finish(const RequestId& request, const FinishImage& message);
  void Publish(const RequestId& request, const PublishImage& message);
  void Keep(const RequestId& request, const KeepBytes& message);
  void Locate(const RequestId& request, const LocateSnapshot& message);
  void Confirm(const RequestId& request, const ConfirmCopy& message);
  void Open(const RequestId& request, const OpenSnapshot& message);
  void Hold(const RequestId& request, const HoldSnapshots& message);
  void CloseLease(const RequestId& request, const CloseSnapshot& message);
  void List(const RequestId& request, const ListSnapshots& message);
  void Delete(const RequestId& request, const DeleteFile& message);
  void EnterSaved(const RequestId& request, const NoteSaved& message);
  void Find(const RequestId& request, const FindOnDisk& message);
  void TellTraffic(const RequestId& request, const AskTraffic& message);
  void Take(const RequestId& request, const TakeSnapshot& message);
  void Await(const RequestId& request, const AwaitSnapshot& message);
  void OrderAdjust(const RequestId& request, const AdjustServer& message);
  void OrderStop(const RequestId& request, const StopServer& message);
  void Prepared(const RequestId& request, const MemoryPrepared& message);
  void Fail(const RequestId& request, const HostFailure& message);
  void EnterWrittenShare(const RequestId& request, const ShareWritten& message);
  void Invite(const RequestId& request, const InviteGuest& message);
  void Withdraw(const RequestId& request, const WithdrawGuest& message);
  void TellGuests(const RequestId& request, const ListGuests& message);
  void AskTransport(const RequestId& request, const TransportRequest& message);
  void TellTransport(const RequestId& request, const TransportNotice& message);

  bool TellStatus(const RequestId& request, const Envelope& message);
  void RequireAttached(const PeerId& peer);
  bool NoneWillCome() const;
  bool NoneWillCome(const Awaiter& one) const;
  void ServeTakers();
  bool TryBegin(const RequestId& request, const BeginImage& message);
  void Grant(
    const RequestId& request, const ImageManager::Granted& granted, const std::string& failure);
  void Grow(const std::shared_ptr<const Growth>& growth);
  bool TryGrow(const std::shared_ptr<const Growth>& growth);
  std::uint64_t ReachedBy(std::uint64_t image) const;
  void GrowFurther(std::uint64_t image);
  void TellRefusal(std::uint64_t image, std::uint64_t bytes, const std::exception& why);
  bool TryPublish(const RequestId& request, const PublishImage& message);
  void KeepFor(const PeerId& owner, const KeepBytes& message, const WhenKept& outcome);
  bool TryKeep(const KeepBytes& message, const WhenKept& outcome);
  const SnapshotDescription& Located(const LocateSnapshot& message) const;
  Peer& Speaking(const PeerId& id);
  LeasedSnapshot Leased(const PeerId& id, const OpenSnapshot& message);
  LeasedSnapshot LeasedForRank(const OpenForRank& message);
  const SnapshotDescription& Lease(
    const PeerId& id, Peer& peer, std::uint64_t number, const OpenSnapshot& message);
  ProgramInteractions Interactions(const ReadInteractions& message);
  void Kept(const SnapshotDescription& snapshot, const std::string& failure,
    const std::function<void()>& answer);
  void TryOrWait(const RequestId& request, AllocationQueue::Attempt attempt);
  void TryOrWait(
    const PeerId& peer, AllocationQueue::Attempt attempt, AllocationQueue::Refusal refuse);
  bool Seat(const RequestId& request, const HostSeat& host);
  void LoseHost(std::uint64_t host, const std::string& why);
  std::uint64_t RequireHost(const PeerId& peer); // which one it is
  void RequireWriter(const RequestId& request, std::uint64_t image);
  void RequireTaking() const;
  void RequireHosts(const char* what) const;
  void AwaitShares(std::unique_lock<std::mutex>& lock, std::uint64_t ticket,
    const std::function<void(std::uint64_t)>& wrote);
  void RetryAllocations();
  void Refuse(const RequestId& request, const std::exception& error);
  void ForgetOnDisk();
  void Submit(const ImageManager::Work& work, const HostTasks::Done& done = {});
  void Submit(const std::vector<ImageManager::Work>& work);
  void Drop(std::uint64_t image, const std::string& why);
  void PrepareNext(const std::string& fileName);
  bool IsBusyWriting() const;
  void WarmNext();
  void Entered(std::uint64_t snapshot, std::uint64_t image);
  void EnterName(std::uint64_t image, const NameLeft& name);
  bool MayOutgrow(const PeerDescription& writer, const std::string& fileName) const;
  bool IsWriting(const std::string& identity) const;
  void EnterStream(const PeerId& peer, std::uint64_t image, const BeginImage& message);
  void NoteOpened(Peer& peer, const SnapshotDescription& snapshot) const;
  void EnterRun(std::uint64_t run, const PeerDescription& writer);
  void TellRuns();
  SnapshotGroups::Writer WriterOf(const PeerId& peer);
  void EndWithout(std::uint64_t image, bool skipped = false);
  void Show(const std::vector<SnapshotGroups::Group>& groups);
  void WakeAll();
  void ShowDue();
  void ShowAll();
  void TellPlaceholder(const std::string& file, std::uint64_t number, PlaceholderState state);
  void TellEvicted();
  template <typename Message>
  void ToHost(std::uint64_t host, const Message& event);
  FilePolicy ToldFilePolicy() const;
  void AnnounceFilePolicy();
  void SetDiskRule(const std::string& rule);
  void AnnounceServer(const PeerId& peer);
  void NoteChanges(const Redistribution& map);
  void NoteChange(const char* what);
  void Report(const std::string& trouble);
  std::string RoomAdvice() const;
  std::vector<SnapshotDescription> ListedSnapshots(bool hiddenToo = false) const;
  void RequireRoom(const PeerId& id, const Peer& peer) const;
  void WakeWatchFor(const Peer& peer) const;
  Peer& Known(const PeerId& peer);
  bool HasEnded(const Peer& peer) const;
  bool HasSimulations() const;
  std::vector<ConnectedWriter> Simulations() const;
  ServerStatus StatusWithoutSteering() const;
  std::vector<ConnectedPeer> Connected() const;
  std::uint64_t BudgetFor(const ServerOptions& options) const;
  TransportMediator::Callbacks CallbacksFor(const std::string& transport);
  TransportMediator& MediatorOf(const std::string& transport);
  SteeringService::Callbacks SteeringCallbacks();
  std::string OrderSave(std::uint64_t ticket, const SaveRequest& request);

  std::map<std::string, Answer> Answers;
  std::byte* const Mailboxes; ///< in host 0's memory
  const SlotBoard Slots;
  const std::uint64_t LentAtStart;
  const std::string HostSecret;
  const std::string Machine; ///< NodeIdentity

  mutable std::mutex Guard; ///< of all below
  ServerOptions Options;    ///< in force; Transport: as in Description
  ServerDescription Description;
  std::uint64_t Revision = 0; ///< counts changes that peers must know of
  std::vector<std::string> Pending;
  std::condition_variable Changed;
  std::condition_variable ToWrite; ///< for those who write to disk, where they may have to
  ImageManager Images;
  AllocationQueue Allocations;
  Announcements Telling;
  SnapshotGroups Gathering;
  StreamBook Streams;
  RunTable Runs;
  std::vector<SteeringService::BegunRun> UntoldRuns; ///< that Steering has yet to be told of
  LeaseBook Leases;
  HostTasks Tasks;
  ShareTasks Shares;
  Mediators Transports;
  SaveOrders Saves;
  bool Saving = false; ///< orders to save are accepted
  std::optional<FileBeingSaved> Writing;
  bool ArchiveFails = false; ///< the last file of a standing order could not be written
  std::function<void(const SnapshotDescription&)> Tell; ///< OnSealed
  HostOrders Orders;
  std::vector<Taker> Takers;
  std::vector<Awaiter> Awaiting;
  std::vector<std::string> TransportLines;
  std::string OwnersKey;
  std::string OwnKey; ///< the public one, by which placeholders name this server
  PlaceholderTeller Placeholders;
  GuestBook Guests;
  std::map<PeerId, Peer> Peers;
  std::vector<PeerId> HostPeers; ///< by the hosts' numbers; empty: not here
  /// Of images that several ranks write: the bytes that these have asked for in memory.
  std::map<std::uint64_t, std::uint64_t> Wants;
  QuestionBoard Board;
  /// How far images have come, as was last seen.
  std::map<std::uint64_t, std::uint64_t> Reached;
  DiskBook Disk;
  bool WritesToDisk = false; ///< somebody carries out what that says
  std::uint64_t WritersSeen = 0;
  bool LostLastSimulation = false;
  bool Ending = false;                            ///< TakeNoMore
  std::map<std::uint64_t, std::string> LostHosts; ///< why; until they are back
  std::set<std::uint64_t> Growing;                ///< images that get more before it is asked for
  std::string LastFile;                           ///< that was sealed
  Clock::time_point LastBegin;                    ///< when an image was last begun
  Clock::time_point LastSealed;                   ///< when one was last sealed
  bool WasBrief = false;                          ///< the pause before that one began
  bool Warming = false;                           ///< hosts make a piece of memory ready ahead
  bool Scarce = false;                            ///< they could not, the last time
  std::string LastError;
  double LastErrorAt = 0; ///< seconds since 1970

  SteeringService Steered;

  std::unique_ptr<Listener> Channel; ///< its thread uses all the above
  std::unique_ptr<GrantWatch> Watch; ///< as does that one
};

}
