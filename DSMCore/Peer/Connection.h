// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"
#include "Base/Log.h"
#include "Base/Timeouts.h"
#include "Control/Channel.h"
#include "Peer/SnapshotHolds.h"
#include "Protocol/Descriptions.h"
#include "Protocol/FilePolicy.h"
#include "Protocol/SessionMessages.h"
#include "Transport/TransportPeer.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <unistd.h>

namespace dsm
{

/// One process's link to one server: the control channel, opened when first needed, and the
/// transport to the hosts' memory. Files and snapshots share it by shared_ptr. Thread safe but for
/// the transport.
class Connection final
  : public TransportPeer
  , public std::enable_shared_from_this<Connection>
{
public:
  /// Connects to the server of a contact file and introduces itself, within the deadline. `ranks`
  /// is the number of the program's ranks that work together, for status and log. Throws as
  /// ReadContact and Channel::Request do.
  static std::shared_ptr<Connection> Open(const std::string& contactPath, const std::string& role,
    std::uint64_t ranks, const Deadline& deadline);

  /// The same for a thread that may not call MPI: `self` is how the process introduces itself.
  static std::shared_ptr<Connection> Open(
    const std::string& contactPath, const PeerDescription& self, const Deadline& deadline);

  /// For a rank that got the server's description from another rank: opens no channel until one is
  /// needed. `role` is "rank" for a program's other ranks, "viewer" for a host's.
  static std::shared_ptr<Connection> FromDescription(const std::string& contactPath,
    const Contact& contact, const ServerDescription& server, const std::string& role);

  const std::string& ContactPath() const { return this->Path; }
  /// True in a child of the process that made it.
  bool Forked() const { return getpid() != this->Maker; }
  /// Says goodbye where it can do so at once, as Channel::Leave.
  void Leave(Seconds limit) noexcept;
  const Contact& GetContact() const { return this->Address; }
  /// This process as it introduces itself to the server.
  const PeerDescription& ThisProcess() const { return this->Process; }
  /// The server's description as last received; it changes with the server's settings: see Follow.
  std::shared_ptr<const ServerDescription> Server() const override;

  /// Takes over a description of the server: files that begin now use its transport. Ranks that
  /// begin a file together take over that of their rank 0.
  void Follow(const ServerDescription& server);

  /// A number that two equal descriptions have in common.
  std::uint64_t Digest() const;

  /// What a server says of itself beside its description, that changes now and then.
  struct Settings
  {
    double FullRingLimit = 0; ///< seconds a writer may have to wait for room
    FilePolicy Files;
    std::string Speaker; ///< which peer it is to the server that tells this (Channel::Identity)
  };
  Settings Known() const;
  /// Takes over what rank 0 knows; what the server tells this process itself counts more.
  void Heed(const Settings& settings);

  /// How long the server may make a writer wait for room, and its answer be on its way.
  Seconds AllocationTimeout() const;

  /// The control channel; connects at the first call.
  std::shared_ptr<Channel> Control(const Deadline& deadline);

  /// This process speaks for itself from now on: it writes a file of its own, or with others of
  /// which it is rank 0.
  void Stay();

  /// Whether all ranks that wrote the last file by this connection map all of the hosts' memory.
  /// Thread safe.
  bool WritersMap() const { return this->AllMap; }
  void NoteWritersMap(bool all) { this->AllMap = all; }

  /// While one of these exists, HangUp does nothing.
  std::shared_ptr<const void> Use() const { return this->Users; }

  /// Ends the channel of a rank that is spoken for by rank 0 and had to ask something itself, where
  /// nothing needs it any more: so ranks cost a server nothing when their file is closed. The next
  /// question opens another.
  void HangUp() noexcept;

  /// Sends a request and waits for the reply, for RequestTimeout() at most or as given.
  template <typename Message>
  typename Message::Reply Request(const Message& request, Seconds limit = RequestTimeout())
  {
    const Deadline deadline(limit);
    auto reply = this->Control(deadline)->Request(request, deadline);
    this->ApplyAnnouncements();
    return reply;
  }

  /// A request that may have to wait because the ring is full: the limit is the server's limit for
  /// that, plus RequestTimeout(), plus what the work itself may take. `late` as for
  /// Channel::Request.
  template <typename Message>
  typename Message::Reply RequestMemory(const Message& request, Seconds work = Seconds(0),
    std::function<void(const typename Message::Reply&)> late = {})
  {
    const auto channel = this->Control(Deadline(RequestTimeout()));
    auto reply =
      channel->Request(request, Deadline(this->AllocationTimeout() + work), std::move(late));
    this->ApplyAnnouncements();
    return reply;
  }

  /// Who speaks for this process where it asks in memory.
  std::string SpokenForBy() const;

  /// False for a rank that is spoken for by rank 0, as long as it has not had to open one.
  bool HasChannel() const;

  /// Asks in the memory of host 0 what this process need not ask for itself: it is spoken for by
  /// rank 0, and has no channel. None where it has one, or the server does not answer there: then
  /// Request is the way. Throws what the server answers. Not thread safe, as the transport is not.
  template <typename Message>
  std::optional<typename Message::Reply> AskInMemory(const Message& request)
  {
    const auto reply = this->AskInMemory(Message::Name, Encode(request), this->AllocationTimeout());
    return reply ? std::optional(Decode<typename Message::Reply>(
                     *reply, "the reply to " + MessageText(Message::Name)))
                 : std::nullopt;
  }

  /// Asks in memory where that can be done, else as Request does.
  template <typename Message>
  typename Message::Reply Ask(const Message& request)
  {
    auto told = this->AskInMemory(request);
    return told ? std::move(*told) : this->Request(request);
  }

  /// Says something in memory of which nobody needs the answer, nor waits long for it; never
  /// throws.
  template <typename Message>
  void TellInMemory(const Message& message) noexcept
  {
    try
    {
      this->AskInMemory(Message::Name, Encode(message), Seconds(0.25));
    }
    catch (const std::exception& error)
    {
      Log().debug("\"{}\" in the server's memory failed: {}", Message::Name, error.what());
    }
  }

  /// Returns seconds by the server's steady clock. On one node that is this process's clock.
  /// Between nodes it is off by no more than the first exchange with the server took.
  double ServerTime() const;

  /// Why the server took no files when this process introduced itself; empty: it does.
  std::string Trouble() const;

  /// Which files the server takes and when it publishes them, as last received.
  FilePolicy GetFilePolicy();

  /// Of that, whether it publishes them at H5Fflush; false before there is a channel. Asked for
  /// each flush.
  bool PublishesOnFlush() const;

  /// Sends a notification, which has no reply; never throws, and does nothing when there is no
  /// channel yet.
  template <typename Message>
  void Notify(const Message& notification) noexcept
  {
    const std::lock_guard lock(this->Guard);
    if (this->Link)
    {
      this->Link->Notify(notification);
    }
  }

  /// \name A snapshot that this process reads without having asked for it (SnapshotHolds)
  /// Does not wait, and the server may hear of it some milliseconds later. 0: there is no channel
  /// yet.
  ///@{
  std::uint64_t BeginHold(SnapshotId number, bool peek, SlotEntry entry);
  void EndHold(std::uint64_t lease) noexcept;
  ///@}

  /// Transports that several processes made together, for Data to choose from.
  void AddJoined(std::vector<std::shared_ptr<Transport>> joined);

  /// \name As transports see it
  ///@{
  Bytes AskTransport(const std::string& transport, Bytes message) override;
  void TellTransport(const std::string& transport, Bytes message) noexcept override;
  std::function<bool()> AliveCheck() override;
  bool HasOwnTransports() const override;
  std::shared_ptr<TransportMembership> Membership() const override;
  void SetMembership(std::shared_ptr<TransportMembership> membership) override;
  ///@}

  /// Frees the links to hosts that this process has joined. To be called by all ranks that joined
  /// together; gives up after a time limit if they do not. Never throws.
  void LeaveHosts() noexcept;

  /// The transport to the hosts' memory; made at the first call, and anew when the server's
  /// settings have changed. Throws Error(Unsupported) when no transport reaches a host from here.
  std::shared_ptr<Transport> Data();

  /// Returns a number that grows whenever viewers may hear of something new, read from the server's
  /// memory without a message; none where this process does not map that. Throws as Data does.
  std::optional<std::uint64_t> AnnouncementCount();

  /// Throws Error(Refused) once the invitation that this process came with was withdrawn.
  void RequireInvitation() const;

  /// False when the server is known to be gone.
  bool Alive() const;

  /// True if the server has given this process up and is there itself (Channel::WasForgotten).
  bool WasGivenUp() const;

  /// As Alive, but looks if it is not known: opens the channel when there is none. Takes a moment;
  /// never throws.
  bool CheckAlive() noexcept override;

private:
  struct Announcements;

  Connection() = default;
  void Connect(const Deadline& deadline);
  std::optional<Bytes> AskInMemory(const char* name, Bytes body, Seconds limit);
  void UseMailbox();
  void ApplyAnnouncements();
  void Set(const ServerDescription& server);

  const pid_t Maker = getpid();
  std::string Path;
  Contact Address;
  std::shared_ptr<const ServerDescription> Description;
  std::uint64_t DescriptionDigest = 0;
  PeerDescription Process;
  double FullRingSeconds = 0;      ///< how long the server may make a writer wait for room
  double ClockAhead = 0;           ///< seconds by which the server's clock is ahead of this one's
  std::string Refusing;            ///< why it takes no files
  std::optional<GivenMailbox> Box; ///< until the channel uses it
  mutable std::mutex Guard;
  std::shared_ptr<Announcements> Announced; ///< shared with the channel's thread
  FilePolicy ToldFiles;                     ///< by rank 0, where there is no channel
  bool ToldAnything = false;
  std::string Speaker; ///< who speaks for this process
  bool IsSpokenFor = false;
  std::atomic<bool> AllMap = false;
  const std::shared_ptr<const bool> Users = std::make_shared<const bool>(true);
  std::shared_ptr<Channel> Link;
  const std::shared_ptr<SnapshotHolds> Holds = std::make_shared<SnapshotHolds>();
  std::shared_ptr<Transport> Route; ///< null: to be made when it is needed
  std::vector<std::shared_ptr<Transport>> Joined;
  /// In the order of joining, which is that of parting. The last one counts.
  std::vector<std::shared_ptr<TransportMembership>> Memberships;
};

}
