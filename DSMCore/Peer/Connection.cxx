// SPDX-License-Identifier: BSD-3-Clause
#include "Peer/Connection.h"

#include "Base/Environment.h"
#include "Base/Error.h"
#include "Base/FileName.h"
#include "Base/TestDelay.h"
#include "Base/WallClock.h"
#include "Control/Mailboxes.h"
#include "Control/Presence.h"
#include "Encoding/Encoding.h"
#include "Memory/SegmentLayout.h"
#include "Memory/SharedNumber.h"
#include "Mpi/Communicator.h"
#include "Mpi/Job.h"
#include "Peer/Connections.h"
#include "Peer/MappedSnapshots.h"
#include "Peer/SharedQuestions.h"
#include "Protocol/Peer.h"
#include "Protocol/SessionMessages.h"
#include "Protocol/TransportMessages.h"
#include "Transport/ChooseTransport.h"
#include "Transport/Routes.h"

#include <functional>
#include <string_view>
#include <utility>

namespace dsm
{

// What the server tells by itself, whenever it changes.
struct Connection::Announcements
{
  std::mutex Guard;
  FilePolicy Files;
  std::optional<ServerChanged> News; ///< not looked at yet

  FilePolicy Last()
  {
    const std::lock_guard lock(this->Guard);
    return this->Files;
  }

  void Receive(const Envelope& event)
  {
    if (Is<FilePolicyChanged>(event))
    {
      const auto changed = Content<FilePolicyChanged>(event);
      const std::lock_guard lock(this->Guard);
      this->Files = changed.Files;
    }
    else if (Is<ServerChanged>(event))
    {
      auto changed = Content<ServerChanged>(event);
      const std::lock_guard lock(this->Guard);
      this->News = std::move(changed);
    }
  }
};

std::shared_ptr<Connection> Connection::Open(const std::string& contactPath,
  const std::string& role, std::uint64_t ranks, const Deadline& deadline)
{
  return Open(
    contactPath, DescribeThisProcess(role, ranks, Communicator::RunningLibrary()), deadline);
}

std::shared_ptr<Connection> Connection::Open(
  const std::string& contactPath, const PeerDescription& self, const Deadline& deadline)
{
  std::shared_ptr<Connection> made(new Connection);
  made->Path = AbsoluteName(contactPath);
  made->Address = ReadContact(made->Path, deadline);
  made->Process = self;
  made->Connect(deadline);
  return made;
}

std::shared_ptr<Connection> Connection::FromDescription(const std::string& contactPath,
  const Contact& contact, const ServerDescription& server, const std::string& role)
{
  std::shared_ptr<Connection> made(new Connection);
  made->Path = contactPath;
  made->Address = contact;
  made->Set(server);
  made->Process = DescribeThisProcess(role, 1, Communicator::RunningLibrary());
  made->IsSpokenFor = role == "rank";
  return made;
}

// Opens the channel and says hello. The channel is kept only if the server welcomed us.
void Connection::Connect(const Deadline& deadline)
{
  const auto announced = std::make_shared<Announcements>();
  auto link = std::make_shared<Channel>(this->Address, this->Path,
    [announced, server = this->Address.ServerPublicKey](const Envelope& event)
    {
      if (Is<GiveBackSnapshots>(event))
      {
        MappedSnapshots::OfProcess().GiveBack(server, Content<GiveBackSnapshots>(event).Kept);
        return;
      }
      announced->Receive(event);
    });
  Hello hello;
  hello.Peer = this->Process;
  const double asked = SteadySeconds();
  const HelloReply reply = link->Request(hello, deadline);
  const double answered = SteadySeconds();
  this->Set(reply.Server);
  this->FullRingSeconds = reply.FullRingLimit;
  this->Refusing = reply.Trouble;
  // What the server's clock showed lies between the two, if it and this one agree. Where they do
  // not, it is taken to be a little behind what it is, rather than ahead.
  const bool agrees = reply.Clock >= asked && reply.Clock <= answered;
  this->ClockAhead = agrees ? 0 : reply.Clock - answered;
  {
    const std::lock_guard lock(announced->Guard);
    announced->Files = reply.Files;
  }
  this->Announced = announced;
  this->Link = std::move(link);
  this->Box = reply.Mailbox;
  this->UseMailbox();
}

// Once the channel is there and host 0's memory is mapped.
void Connection::UseMailbox()
{
  if (!this->Link || !this->Route || !this->Box || !environment::SwitchOr("DSM_MAILBOX", true))
  {
    return;
  }
  const ServerDescription& server = *this->Description;
  const SegmentLayout layout(server.SlotSize, server.SlotCount);
  if (std::byte* memory = this->Route->Shared(0, layout.Mailboxes))
  {
    this->Link->UseMailbox(Mailboxes::At(memory, this->Box->Number), this->Box->Key, this->Route);
    this->Box.reset();
  }
}

std::shared_ptr<Channel> Connection::Control(const Deadline& deadline)
{
  const std::lock_guard lock(this->Guard);
  if (!this->Link)
  {
    this->Connect(deadline);
  }
  return this->Link;
}

void Connection::Stay()
{
  const std::lock_guard lock(this->Guard);
  this->IsSpokenFor = false;
}

void Connection::HangUp() noexcept
{
  std::shared_ptr<Channel> ended;
  const std::lock_guard lock(this->Guard);
  if (this->IsSpokenFor && this->Users.use_count() == 1 && this->Link && this->Link->Alive())
  {
    this->ToldFiles = this->Announced->Last();
    this->ToldAnything = true;
    ended.swap(this->Link);
  }
}

Connection::Settings Connection::Known() const
{
  const std::lock_guard lock(this->Guard);
  return { this->FullRingSeconds, this->Link ? this->Announced->Last() : this->ToldFiles,
    this->Link ? this->Link->Identity() : this->Speaker };
}

void Connection::Heed(const Settings& settings)
{
  const std::lock_guard lock(this->Guard);
  if (!this->Link)
  {
    this->FullRingSeconds = settings.FullRingLimit;
    this->ToldFiles = settings.Files;
    this->ToldAnything = true;
    this->Speaker = settings.Speaker;
  }
}

std::string Connection::SpokenForBy() const
{
  const std::lock_guard lock(this->Guard);
  return this->Speaker;
}

bool Connection::HasChannel() const
{
  const std::lock_guard lock(this->Guard);
  return this->Link != nullptr;
}

Seconds Connection::AllocationTimeout() const
{
  const std::lock_guard lock(this->Guard);
  return RequestTimeout() + Seconds(this->FullRingSeconds);
}

// What the server has told before an answer, once to each peer, when its settings have changed.
void Connection::ApplyAnnouncements()
{
  const std::lock_guard lock(this->Guard);
  std::optional<ServerChanged> news;
  if (this->Announced)
  {
    const std::lock_guard announced(this->Announced->Guard);
    news.swap(this->Announced->News);
  }
  if (news)
  {
    this->Set(news->Server);
    this->FullRingSeconds = news->FullRingLimit;
  }
}

std::shared_ptr<const ServerDescription> Connection::Server() const
{
  const std::lock_guard lock(this->Guard);
  return this->Description;
}

void Connection::Follow(const ServerDescription& server)
{
  const std::lock_guard lock(this->Guard);
  this->Set(server);
}

// With the lock held, or before anybody else knows of the connection.
void Connection::Set(const ServerDescription& server)
{
  if (!this->Description || *this->Description != server)
  {
    this->Description = std::make_shared<const ServerDescription>(server);
    const Bytes encoded = Encode(server);
    this->DescriptionDigest = std::hash<std::string_view>()(
      { reinterpret_cast<const char*>(encoded.data()), encoded.size() });
    this->Route.reset();
  }
}

std::uint64_t Connection::Digest() const
{
  const std::lock_guard lock(this->Guard);
  return this->DescriptionDigest;
}

std::optional<Bytes> Connection::AskInMemory(const char* name, Bytes body, Seconds limit)
{
  {
    const std::lock_guard lock(this->Guard);
    // A guest may only read in that memory.
    if (!this->IsSpokenFor || this->Link || this->Address.Guest)
    {
      return std::nullopt;
    }
  }
  const auto answer =
    SharedQuestions(this->Data(), *this->Server())
      .Ask(EncodeEnvelope({ Envelope::Kind::Request, name, 0, std::move(body), {}, {} }), limit,
        PeerTimeout(), [this] { return presence::HasEnded(this->Address); });
  const auto message = answer ? DecodeEnvelope(answer->data(), answer->size()) : std::nullopt;
  if (!message ||
    (message->What == Envelope::Kind::Refusal && message->Reason == Fault::Unsupported))
  {
    return std::nullopt;
  }
  if (message->What == Envelope::Kind::Refusal)
  {
    throw Error(message->Reason, "{}", message->Text);
  }
  return message->Body;
}

void Connection::Leave(Seconds limit) noexcept
{
  const std::unique_lock lock(this->Guard, std::try_to_lock);
  if (lock && this->Link)
  {
    this->Link->Leave(limit);
  }
}

double Connection::ServerTime() const
{
  const std::lock_guard lock(this->Guard);
  return SteadySeconds() + this->ClockAhead;
}

std::string Connection::Trouble() const
{
  const std::lock_guard lock(this->Guard);
  return this->Refusing;
}

FilePolicy Connection::GetFilePolicy()
{
  {
    const std::lock_guard lock(this->Guard);
    if (!this->Link && this->ToldAnything)
    {
      return this->ToldFiles;
    }
  }
  this->Control(Deadline(RequestTimeout()));
  return this->Known().Files;
}

bool Connection::PublishesOnFlush() const
{
  const std::lock_guard lock(this->Guard);
  if (!this->Announced)
  {
    return false;
  }
  const std::lock_guard announced(this->Announced->Guard);
  return this->Announced->Files.OnFlush;
}

std::shared_ptr<Transport> Connection::Data()
{
  const std::lock_guard lock(this->Guard);
  if (!this->Route)
  {
    const ServerDescription& server = *this->Description;
    this->Route = MakeRoutes(server, TransportWithEnvironment(server.Transport), this->Joined);
    this->UseMailbox();
  }
  return this->Route;
}

std::optional<std::uint64_t> Connection::AnnouncementCount()
{
  const auto server = this->Server();
  const SegmentLayout layout(server->SlotSize, server->SlotCount);
  std::byte* const place =
    this->Data()->Shared(0, layout.Signals.OffsetOf(SegmentLayout::Announced));
  return place ? std::optional(SharedNumber(place).Load()) : std::nullopt;
}

void Connection::AddJoined(std::vector<std::shared_ptr<Transport>> joined)
{
  const std::lock_guard lock(this->Guard);
  this->Joined = std::move(joined);
  this->Route.reset();
}

bool Connection::HasOwnTransports() const
{
  const std::lock_guard lock(this->Guard);
  return !this->Joined.empty() && this->Memberships.empty();
}

std::shared_ptr<TransportMembership> Connection::Membership() const
{
  const std::lock_guard lock(this->Guard);
  return this->Memberships.empty() ? nullptr : this->Memberships.back();
}

void Connection::SetMembership(std::shared_ptr<TransportMembership> membership)
{
  static std::once_flag once;
  std::call_once(once, [] { job::AtFinalize(connections::LeaveHostsAtFinalize); });
  this->AddJoined(membership->Transports());
  const std::lock_guard lock(this->Guard);
  this->Memberships.push_back(std::move(membership));
}

Bytes Connection::AskTransport(const std::string& transport, Bytes message)
{
  return this->Request(TransportRequest{ transport, std::move(message) }).Content;
}

void Connection::TellTransport(const std::string& transport, Bytes message) noexcept
{
  this->Notify(TransportNotice{ transport, std::move(message) });
}

std::function<bool()> Connection::AliveCheck()
{
  return [self = this->weak_from_this()]
  {
    const auto connection = self.lock();
    return connection && connection->CheckAlive();
  };
}

std::uint64_t Connection::BeginHold(SnapshotId number, bool peek, SlotEntry entry)
{
  const std::lock_guard lock(this->Guard);
  return this->Link ? this->Holds->Begin(*this->Link, number, peek, std::move(entry)) : 0;
}

void Connection::EndHold(std::uint64_t lease) noexcept
{
  const std::lock_guard lock(this->Guard);
  if (this->Link && lease != 0)
  {
    this->Holds->End(*this->Link, lease);
  }
}

void Connection::LeaveHosts() noexcept
{
  std::vector<std::shared_ptr<TransportMembership>> left;
  {
    const std::lock_guard lock(this->Guard);
    left.swap(this->Memberships);
    // Those who still hold the transport hear from it that the hosts are left.
    this->Joined.clear();
    if (!left.empty())
    {
      this->Route.reset();
    }
  }
  // In the order of joining, which is the same on all ranks that share several.
  for (const auto& membership : left)
  {
    membership->Leave(*this);
  }
}

void Connection::RequireInvitation() const
{
  const std::lock_guard lock(this->Guard);
  if (this->Link)
  {
    this->Link->RequireInvitation();
  }
}

bool Connection::Alive() const
{
  testdelay::At("whether the server is alive");
  const std::lock_guard lock(this->Guard);
  return !this->Link || this->Link->Alive();
}

bool Connection::WasGivenUp() const
{
  const std::lock_guard lock(this->Guard);
  return this->Link && this->Link->WasForgotten();
}

bool Connection::CheckAlive() noexcept
{
  testdelay::At("checking whether the server is alive");
  try
  {
    {
      const std::lock_guard lock(this->Guard);
      if (!this->Link && this->IsSpokenFor)
      {
        return !presence::HasEnded(this->Address); // that costs the server no channel
      }
    }
    return this->Control(Deadline(Seconds(5)))->Alive();
  }
  catch (const std::exception&)
  {
    return false;
  }
}

}
