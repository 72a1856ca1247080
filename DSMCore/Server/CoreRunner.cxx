// SPDX-License-Identifier: BSD-3-Clause
#include "Server/CoreRunner.h"

#include "Base/Error.h"
#include "Base/FileName.h"
#include "Base/NodeIdentity.h"
#include "Base/OtherProcess.h"
#include "Base/RandomNumber.h"
#include "Base/WallClock.h"
#include "Control/Channel.h"
#include "Memory/SegmentLayout.h"
#include "Server/QuestionResponder.h"

#include <utility>

#include <unistd.h>

namespace dsm
{

namespace
{
SegmentLayout LayoutOf(const ServerDescription& description)
{
  return SegmentLayout(description.SlotSize, description.SlotCount);
}

Ring RingOf(const ServerDescription& description, std::uint64_t lent)
{
  const std::uint64_t hosts = description.Hosts.size();
  if (description.Pinned)
  {
    return Ring::Pinned(hosts, description.SlotSize, description.SlotCount);
  }
  Ring ring({ hosts, lent, description.SlotCount });
  ring.OfferDisk(DiskWindows(hosts, Segment::DiskBegin(LayoutOf(description).Size()),
    description.DiskSize, description.SlotSize));
  return ring;
}
}

class CoreRunner::Rescue final : public SnapshotObserver
{
public:
  explicit Rescue(const SnapshotTable& snapshots)
    : Snapshots(snapshots)
  {
  }

  void OnSealed(const SnapshotSealed& snapshot) override { this->TellOf(snapshot.Number); }
  void OnMoved(const SnapshotDescription& snapshot) override { this->TellOf(snapshot.Number); }
  void OnRenamed(const SnapshotRenamed& snapshot) override { this->TellOf(snapshot.Number); }

  void TellOf(SnapshotId number) const
  {
    const auto* const snapshot = this->Snapshots.Find(number);
    if (snapshot && this->Tell)
    {
      this->Tell(*snapshot);
    }
  }

  std::function<void(const SnapshotDescription&)> Tell;

private:
  const SnapshotTable& Snapshots;
};

class CoreRunner::Placeholders final : public SnapshotObserver
{
public:
  explicit Placeholders(CoreRunner& runner)
    : Runner(runner)
  {
  }

  void OnEvicted(const SnapshotDescription& snapshot) override
  {
    this->Runner.TellPlaceholder(snapshot.FileName, snapshot.Number, PlaceholderState::Dropped);
  }

private:
  CoreRunner& Runner;
};

CoreRunner::CoreRunner(Start start, const Segment& memory)
  : Mailboxes(memory.Data() + LayoutOf(start.Description).Mailboxes)
  , Channel(std::make_shared<ChannelEdge>())
  , Slots(memory, LayoutOf(start.Description))
  , Board(memory.Data() + LayoutOf(start.Description).Questions)
  , Steered(AbsoluteName(start.Options.ContactFile) + ".steering.log", this->SteeringCallbacks(),
      ViewerLossFromEnvironment())
  , Decisions({ *this->Channel, this->Slots, this->Steered,
                [] { return CoreTime{ Clock::now(), WallTime() }; },
                { NodeIdentity(), ProcessHasEnded, RandomNumber,
                  [this]
                  {
                    if (this->Watch)
                    {
                      this->Watch->Wake();
                    }
                  },
                  fmt::format("process {} on {}", getpid(), MachineName()), [] { return false; },
                  [this](Clock::time_point moment) { this->Channel->TickBy(moment); } } },
      { start.Options, start.Description, RingOf(start.Description, start.Lent), start.Lent,
        start.HostSecret, std::move(start.Mediators) })
  , Rescuing(this->Decisions.Observe<Rescue>(this->Decisions.Images.Snapshots()))
{
  this->Decisions.Observe<Placeholders>(*this);
  this->Decisions.Writes.FileLeft = [this](const ImageService::LeftFile& file)
  {
    PlaceholderAddress address;
    address.Server = this->OwnKey;
    address.Number = file.Number;
    address.Image = file.Image;
    address.Before = file.Before;
    this->Teller.TellUnfinished(file.Name, address, file.Size);
  };
  this->Decisions.Writes.GoneIsShown = [this](const std::string& name, SnapshotId gone)
  { this->TellPlaceholder(name, gone, PlaceholderState::Dropped); };
}

CoreRunner::~CoreRunner()
{
  this->Close();
}

Listener::Handler CoreRunner::Handlers()
{
  Listener::Handler handler;
  handler.Received = [this](const RequestId& request, const Envelope& message)
  { this->Router().Receive(Call(request, this->Channel), message); };
  handler.Gone = [this](const PeerId& peer, bool isLost)
  {
    this->Router().Do(
      [&]
      {
        // Behind what the peer itself has said to the steering service.
        this->Router().Post([this, peer, isLost] { this->Steered.Gone(peer, isLost); });
        this->Decisions.PeerLeft(peer, isLost);
      });
  };
  handler.HasEnded = [this](const PeerId& peer)
  {
    return this->Router().Do(
      [&]
      {
        const Peer* const found = this->Decisions.Peers.Find(peer);
        return found && this->Decisions.Peers.HasEnded(*found);
      });
  };
  handler.Tick = [this]
  {
    this->Steered.Tick();
    this->Router().Do(
      [&]
      {
        if (this->Decisions.State.IsOpen)
        {
          this->Decisions.Tick();
        }
      });
  };
  return handler;
}

void CoreRunner::Listen(Contact& contact)
{
  static_assert(SegmentLayout::MailboxesSize >= dsm::Mailboxes::Size &&
    SegmentLayout::Alignment % Mailbox::Alignment == 0);
  // Peers may speak before this returns: they wait for the core until the channel is in its place.
  this->Router().Do(
    [&]
    {
      this->Channel->Listen(contact, this->Handlers(), this->Mailboxes);
      this->OwnKey = contact.ServerPublicKey;
      this->Watch =
        std::make_unique<GrantWatch>(this->Slots.Bell(), [this] { return this->LookInMemory(); });
      this->Decisions.Open(contact.ClientPublicKey);
    });
}

void CoreRunner::Close()
{
  this->Steered.Close();
  this->Watch.reset();
  this->Router().Do(
    [&]
    {
      this->Decisions.Close();
      for (const auto& snapshot : this->Decisions.Images.Snapshots().All())
      {
        this->TellPlaceholder(snapshot.FileName, snapshot.Number, PlaceholderState::ServerEnded);
      }
    });
  this->Channel->Close(); // its threads may be waiting for the core
  this->Teller.Finish();
}

SteeringService::Callbacks CoreRunner::SteeringCallbacks()
{
  SteeringService::Callbacks callbacks;
  callbacks.Deliver = [this](const PeerId& peer, const DeliverTransactions& event)
  { this->Channel->Send(peer, event); };
  callbacks.Acknowledge = [this](const PeerId& peer, const OutcomesAcknowledged& event)
  { this->Channel->Send(peer, event); };
  callbacks.Answer = [this](const RequestId& request, const SteeringAnswer& answer)
  { this->Channel->Reply(request, Encode(AnsweredSteering{ answer })); };
  callbacks.Save = [this](std::uint64_t ticket, const SaveRequest& request)
  { return this->Router().Do([&] { return this->Decisions.Storage.Order(ticket, request); }); };
  return callbacks;
}

// In the watch's thread. Returns true if ranks on other nodes, which cannot ring, may ask
// something.
bool CoreRunner::LookInMemory()
{
  std::vector<QuestionBoard::Question> questions;
  const bool mayNotRing = this->Router().Do(
    [&]
    {
      if (!this->Decisions.State.IsOpen)
      {
        return false;
      }
      questions = this->Board.Take();
      return this->Decisions.LookInMemory();
    });
  for (const QuestionBoard::Question& question : questions)
  {
    this->Answer(question);
  }
  return mayNotRing;
}

void CoreRunner::Answer(const QuestionBoard::Question& question)
{
  const auto message = DecodeEnvelope(question.Message.data(), question.Message.size());
  const Call call({ {}, 1, message ? message->Name : std::string() },
    std::make_shared<QuestionResponder>(this->Board, this->Slots, question));
  try
  {
    this->Router().Receive(call, message.value_or(Envelope()));
  }
  catch (const std::exception& error)
  {
    call.Refuse(error);
  }
}

void CoreRunner::TellPlaceholder(const std::string& file, SnapshotId number, PlaceholderState state)
{
  this->Teller.Tell(file, { {}, this->OwnKey, number }, state);
}

ServerStatus CoreRunner::Status()
{
  ServerStatus status = this->Router().Do([this] { return this->Decisions.Admin.Status(); });
  this->Decisions.Steering.FillIn(status);
  return status;
}

void CoreRunner::OnSealed(std::function<void(const SnapshotDescription&)> call)
{
  this->Router().Do(
    [&]
    {
      this->Rescuing.Tell = std::move(call);
      for (const SnapshotDescription& snapshot : this->Decisions.Images.Snapshots().All())
      {
        this->Rescuing.TellOf(snapshot.Number);
      }
    });
}

std::optional<SnapshotDescription> CoreRunner::TakeRenamed(SnapshotId last)
{
  return this->Router().Do(
    [&]
    {
      if (!this->Renamed)
      {
        this->Renamed = &this->Decisions.Observe<RenamedFiles>(
          this->Decisions.Reads, this->Decisions.Images.Snapshots());
      }
      return this->Renamed->Take(last);
    });
}

}
