// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Encoding/Encoding.h"
#include "Server/Core/ServerCore.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace dsm::testing
{

/// Numbers that would be in host 0's memory.
class RecordedSlots final : public SlotSignals
{
public:
  bool DecideSealed(SlotIndex slot, std::uint64_t generation) override;
  bool Disown(SlotIndex slot, std::uint64_t generation) override;
  bool WentAlone(SlotIndex slot, std::uint64_t generation) const override;
  void RaiseGeneration(SlotIndex slot, std::uint64_t generation) override;
  std::uint64_t Wanted(SlotIndex slot, std::uint64_t generation) const override;
  std::uint64_t Reached(SlotIndex slot, std::uint64_t generation) const override;
  std::uint64_t Flushed(SlotIndex slot, std::uint64_t generation) const override;
  void TellGrant(SlotIndex slot, std::uint64_t bytes, const DiskShare& disk) override;
  void TellRefusal(SlotIndex slot, std::uint64_t generation, std::uint64_t bytes, const Error& why,
    const std::string& file) override;
  void CloseToReaders() override { this->IsClosed = true; }
  void OpenToReaders() override { this->IsClosed = false; }
  bool HasReaders(SlotIndex slot) const override { return this->Readers.contains(slot); }
  void CloseSlot(SlotIndex slot) override { this->Closed.insert(slot); }
  void NoteReader(SlotIndex slot) override { this->Readers.erase(this->Readers.find(slot)); }
  MappedEntry Mapped(std::uint64_t place) const override;
  void Beat() override { ++this->Beats; }
  void CountAnnouncement() override { ++this->Announcements; }

  using Place = std::pair<std::uint64_t, std::uint64_t>; ///< slot and generation
  std::set<Place> GivenUp;
  std::set<Place> Alone;
  std::map<Place, std::uint64_t> Wants;
  std::map<Place, std::uint64_t> Reaches;
  std::map<Place, std::uint64_t> Flushes;
  std::map<std::uint64_t, std::uint64_t> Grants; ///< by slot
  std::map<std::uint64_t, std::string> Refusals; ///< by slot
  std::map<std::uint64_t, std::uint64_t> Generations;
  std::map<std::uint64_t, DiskShare> Disks;                    ///< by slot
  std::multiset<SlotIndex> Readers;                            ///< slots that were entered
  std::set<SlotIndex> Closed;                                  ///< to readers that do not ask
  bool IsClosed = false;                                       ///< all of them
  mutable std::map<std::uint64_t, std::uint64_t> MappedPlaces; ///< as viewers and server see them
  std::uint64_t Beats = 0;
  std::uint64_t Announcements = 0;
};

/// Events that would go over the control channel.
class RecordedChannel final : public Messenger
{
public:
  struct Event
  {
    PeerId Peer;
    std::string Name;
    Bytes Body;
  };

  void SendBytes(const PeerId& peer, const char* name, Bytes event) override;
  std::optional<GivenMailbox> GiveMailbox(const RequestId&, std::uint64_t spare) override
  {
    return this->MailboxesLeft > spare ? this->Mailbox : std::nullopt;
  }
  void Admit(const std::string& key) override;
  void Withdraw(const std::string& key) override { this->Admitted.erase(key); }
  std::vector<MessageCount> Traffic() const override { return { { "begin", 2, 1 } }; }

  /// The events of a type that a peer was sent, in order. They are removed.
  template <typename Message>
  std::vector<Message> Take(const PeerId& peer)
  {
    std::vector<Message> taken;
    std::erase_if(this->Events,
      [&](const Event& event)
      {
        const bool isMeant = event.Peer == peer && event.Name == Message::Name;
        if (isMeant)
        {
          taken.push_back(Decode<Message>(event.Body, "an event"));
        }
        return isMeant;
      });
    return taken;
  }

  std::vector<Event> Events;
  std::set<std::string> Admitted; ///< keys of guests
  bool CanAdmit = true;
  std::optional<GivenMailbox> Mailbox; ///< what is left
  std::uint64_t MailboxesLeft = 32;
};

/// What observers hear, in order, each as a line such as "sealed 3".
class RecordedEvents final : public SnapshotObserver
{
public:
  void OnBegun(const ImageBegun& image) override;
  void OnSealed(const SnapshotSealed& snapshot) override;
  void OnEnded(const ImageEnded& image) override;
  void OnAnnounced(const SnapshotDescription& snapshot) override;
  void OnExtended(const SnapshotDescription& snapshot) override;
  void OnWithheld(const SnapshotDescription& snapshot) override;
  void OnMoved(const SnapshotDescription& snapshot) override;
  void OnEvicted(const SnapshotDescription& snapshot) override;
  void OnPeerLeft(const PeerLeft& left) override;

  /// Returns the lines since the last call.
  std::vector<std::string> Take() { return std::exchange(this->Lines, {}); }

private:
  std::vector<std::string> Lines;
};

using Texts = std::vector<std::string>;

/// A file of the steering service's, which a test does not want.
struct TemporaryLog
{
  TemporaryLog();
  ~TemporaryLog();
  TemporaryLog(const TemporaryLog&) = delete;
  TemporaryLog& operator=(const TemporaryLog&) = delete;

  std::filesystem::path Path;
};

/// Answers that a test looks at.
class RecordedAnswers final : public Responder
{
public:
  void Reply(const RequestId& request, Bytes body) noexcept override;
  void Refuse(const RequestId& request, const std::exception& error) noexcept override;

  struct Answer
  {
    std::optional<Bytes> Body;    ///< of a reply
    std::optional<Error> Refusal; ///< or why there is none
  };
  std::map<std::uint64_t, std::vector<Answer>> ById;
};

/// The server's core without a socket, thread or clock: a test sends requests, does the hosts'
/// work, and moves the time.
class SimulatedServer
{
public:
  static constexpr const char* Owner = "owner's key";
  static constexpr const char* Secret = "hosts' secret";

  struct Setup
  {
    std::uint64_t Hosts = 2;
    std::uint64_t Lent = 1 << 20; ///< bytes of each host
    std::uint64_t DiskSize = 0;   ///< bytes of each host for files that outgrow the memory
    ServerOptions Options = SimulatedServer::Options();
    TransportService::Mediators Mediators{};
    bool IsWarm = true; ///< the hosts have made memory ready ahead of all writers
  };

  explicit SimulatedServer(Setup setup);
  /// `hosts` hosts that lend so many bytes each.
  explicit SimulatedServer(
    std::uint64_t hosts = 2, std::uint64_t lent = 1 << 20, ServerOptions options = Options());
  explicit SimulatedServer(const ServerOptions& options)
    : SimulatedServer(2, 1 << 20, options)
  {
  }

  static ServerOptions Options();
  static PeerId HostPeer(HostIndex host) { return "host " + std::to_string(host); }

  /// Sends a request, of the owner's unless it comes with another key. Returns its number.
  template <typename Message>
  std::uint64_t Send(const PeerId& peer, const Message& message, const std::string& key = Owner)
  {
    return this->SendEnvelope(
      { peer, ++this->Last, Message::Name, key }, Message::Name, Encode(message));
  }

  /// Sends a notification, which gets no answer. If it is refused, so is request 0.
  template <typename Message>
  void Notify(const PeerId& peer, const Message& message, const std::string& key = Owner)
  {
    this->SendEnvelope({ peer, 0, Message::Name, key }, Message::Name, Encode(message));
  }

  /// Sends a question of a rank without a channel. Returns its number.
  template <typename Message>
  std::uint64_t SendInMemory(const Message& message)
  {
    return this->SendEnvelope({ {}, ++this->Last, Message::Name }, Message::Name, Encode(message));
  }

  /// Returns true if a request has been answered.
  bool IsAnswered(std::uint64_t request) const;

  /// The reply to a request. Throws the refusal, or std::runtime_error if there is no answer yet.
  template <typename Message>
  typename Message::Reply ReplyTo(std::uint64_t request)
  {
    return Decode<typename Message::Reply>(this->BodyOf(request), "a reply");
  }

  /// Returns success if a request was refused for that reason, in words that contain these.
  ::testing::AssertionResult IsRefused(
    std::uint64_t request, Fault fault, const std::string& words) const;

  /// Sends a request, lets the hosts do their work, and returns the reply.
  template <typename Message>
  typename Message::Reply Ask(
    const PeerId& peer, const Message& message, const std::string& key = Owner)
  {
    const std::uint64_t request = this->Send(peer, message, key);
    this->HostsWork();
    return this->ReplyTo<Message>(request);
  }

  /// Describes a program of one process, as it introduces itself.
  static PeerDescription Describe(
    const PeerId& peer, const std::string& role, std::uint64_t ranks = 1);

  /// A peer says hello.
  HelloReply Connect(const PeerId& peer, const std::string& role, std::uint64_t ranks = 1);
  HelloReply Connect(
    const PeerId& peer, const PeerDescription& process, const std::string& key = Owner);
  /// One of the processes of the job "job", each of which is a writer of its own.
  HelloReply ConnectProcess(const PeerId& peer, std::uint64_t processes);

  /// A host comes, or comes back, and does what it is told.
  void ConnectHost(HostIndex host, const PeerId& peer);

  /// Invites a guest. Returns the guest's key.
  std::string Invite(const std::string& guest, Right may);

  /// The hosts report all tasks that they have been given, as failed if `failure` is not empty.
  /// Returns how many these were.
  std::size_t HostsWork(const std::string& failure = {});

  /// What a host has been told to do and has not reported. It is forgotten.
  std::vector<PrepareMemory> TakeOrders(HostIndex host)
  {
    return this->Channel.Take<PrepareMemory>(HostPeer(host));
  }

  /// The time goes on, and the core ticks.
  void Wait(Seconds time);

  void Leave(const PeerId& peer, bool isLost);

  /// Writes a file: begins an image and seals it. Returns the snapshot's number.
  dsm::SnapshotId WriteFile(const PeerId& peer, const std::string& name, std::uint64_t size = 4096);

  /// \name The parts of that
  ///@{
  ImageDescription Begin(const PeerId& peer, const std::string& name, std::uint64_t ranks = 1);
  SealImage SealOf(ImageId image, std::uint64_t size = 4096) const;
  dsm::SnapshotId Seal(const PeerId& peer, ImageId image, std::uint64_t size = 4096);
  ///@}

  /// A flush shows an open image. Returns the snapshot's number.
  dsm::SnapshotId Flush(const PeerId& peer, ImageId image, std::uint64_t size = 4096);

  /// A program reads a snapshot to its end.
  void Read(const PeerId& peer, dsm::SnapshotId number);

  /// The numbers of the snapshots that viewers are told of.
  std::vector<dsm::SnapshotId> Shown() const;
  /// The numbers of all snapshots in the ring.
  std::vector<dsm::SnapshotId> InRing() const;

  ServerStatus Status() const { return this->Core.Admin.Status(); }

  CoreTime Time{ Clock::time_point(std::chrono::hours(1)), 1e9 };
  RecordedSlots Slots;
  RecordedChannel Channel;
  const std::shared_ptr<RecordedAnswers> Answers = std::make_shared<RecordedAnswers>();
  std::set<std::uint64_t> EndedProcesses; ///< their numbers
  std::uint64_t MemoryWatches = 0;        ///< how often the core asked to look in memory
  const TemporaryLog Log;
  SteeringService Steering;
  ServerCore Core;
  RecordedEvents Heard;

private:
  void SendHostHello(HostIndex host, const PeerId& peer);
  static ServerDescription DescriptionOf(const Setup& setup);
  static Ring MemoryOf(const Setup& setup);
  SteeringService::Callbacks SteeringCallbacks();
  CoreSurroundings Surroundings();
  std::uint64_t SendEnvelope(const RequestId& request, const std::string& name, Bytes body);
  const RecordedAnswers::Answer& AnswerTo(std::uint64_t request) const;
  Bytes BodyOf(std::uint64_t request) const;

  std::uint64_t Last = 0;
  std::uint64_t LastKey = 0;
};

}
