// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Server.h"

#include "Base/Environment.h"
#include "Base/Error.h"
#include "Base/FileName.h"
#include "Base/Log.h"
#include "Base/NodeIdentity.h"
#include "Base/RandomNumber.h"
#include "Base/TestDelay.h"
#include "Base/Timeouts.h"
#include "Control/ContactFile.h"
#include "Memory/NodeMemory.h"
#include "Memory/Segment.h"
#include "Memory/SegmentLayout.h"
#include "Mpi/Agreement.h"
#include "Mpi/Leak.h"
#include "Server/CoreRunner.h"
#include "Server/Host/HostAgent.h"
#include "Server/Host/LentMemory.h"
#include "Transport/ChooseTransport.h"
#include "Transport/TransportKind.h"

#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <utility>

namespace dsm
{

namespace
{
std::string NewSession()
{
  return fmt::format("{:016x}", RandomNumber());
}

// The transport that options ask for, on this machine.
TransportChoice Found(const TransportChoice& asked)
{
  return asked.Heavy == "automatic" ? TransportWithEnvironment(asked) : asked;
}
}

class Server::Implementation
{
public:
  Implementation(std::shared_ptr<RankGroup> hosts, const ServerOptions& options)
    : Ranks(std::move(hosts))
    , Path(this->Ranks->BroadcastText(AbsoluteName(options.ContactFile)))
  {
    this->LendMemory(options);
    this->LendOverTransports();
    this->Answer(options);
    this->StartAgents();
    this->Publish();
  }

  struct Lender
  {
    const TransportKind* Kind = nullptr;
    std::unique_ptr<HostTransport> Side;
  };

  std::shared_ptr<RankGroup> Ranks; ///< the hosts
  std::string Path;
  ServerDescription Description;
  Contact Address;
  std::string Secret; ///< by which the coordinator knows its hosts
  Segment Memory;
  std::vector<std::string> Nodes; ///< of all hosts
  std::vector<Lender> Lenders;    ///< in the order of preference; they go before the memory
  std::unique_ptr<HostAgent> Agent;
  std::uint64_t Lent = 0;              ///< bytes per host, at Start
  std::string WhySparse;               ///< though a network would have it pinned
  std::string LendingText;             ///< how it is lent, and why, for people
  std::unique_ptr<CoreRunner> Control; ///< rank 0; goes before the agents, which it would miss
  std::unique_ptr<ContactFile> File;   ///< rank 0
  std::shared_ptr<const ServerDescription> AtStart;
  std::mutex CountedGuard;
  SnapshotCounts Counted; ///< when a snapshot was found

  void OpenTransport(const TransportChoice& choice);
  void NoteTransports() const;

private:
  PinningNeed NeedOfAll() const;
  SlotLayout ChooseSlots(const ServerOptions& options, std::uint64_t hostsHere);
  void LendMemory(const ServerOptions& options);
  void LendOverTransports();
  void GatherOffers();
  void Answer(const ServerOptions& options);
  void StartAgents();
  void Publish();
  std::vector<std::string> TransportLines() const;
  std::vector<std::string> OfferedByAll() const;
};

// What the hosts' networks ask for; that of the first that has something to ask.
PinningNeed Server::Implementation::NeedOfAll() const
{
  PinningNeed mine;
  Agree(*this->Ranks, [&] { mine = NeedsPinned(this->Description.Transport); });
  PinningNeed need;
  for (const std::string& why : this->Ranks->AllGatherText(mine.Why))
  {
    need.Why = need.Why.empty() ? why : need.Why;
  }
  need.Required = this->Ranks->Max(std::uint64_t{ mine.Required }) != 0;
  return need;
}

// How memory is lent, as it was said, or as networks ask for it; and its slots.
SlotLayout Server::Implementation::ChooseSlots(
  const ServerOptions& options, std::uint64_t hostsHere)
{
  std::uint64_t lent = 0;
  std::uint64_t room = 0;
  Agree(*this->Ranks,
    [&]
    {
      lent = MemoryToLend(options.MemoryPerHost, hostsHere);
      room = AvailableSharedMemory() / hostsHere / 10 * 9;
    });
  // The least any host can lend is what all lend; a maximum of complements.
  lent = ~this->Ranks->Max(~lent);
  room = ~this->Ranks->Max(~room);
  // Rank 0's environment counts.
  const Lending lending = LendingFromName(RunOnRankZero(*this->Ranks,
    [&] { return std::string(LendingName(LendingWithEnvironment(options.Memory))); }));
  const PinningNeed need = this->NeedOfAll();
  const bool wanted = !need.Why.empty();
  if (lending == Lending::Pinned || (lending == Lending::Automatic && wanted))
  {
    try
    {
      SlotLayout slots;
      Agree(*this->Ranks,
        [&]
        {
          slots = ComputePinnedLayout(lent, this->Nodes.size(), options.Map,
            options.ExpectedFileSize, options.MaximumSnapshots);
          RequirePinnable(slots.Count * slots.Size, hostsHere);
        });
      this->Description.Pinned = true;
      this->Lent = slots.Count * slots.Size;
      this->LendingText =
        fmt::format("memory is pinned, {} slots of {} on each host: {}", slots.Count,
          environment::FormatBytes(slots.Size), wanted ? need.Why : "as it was asked for");
      return slots;
    }
    catch (const Error& error)
    {
      if (lending == Lending::Pinned || need.Required)
      {
        throw Error(error.GetFault(), "{}{}the hosts' memory cannot be pinned: {}", need.Why,
          wanted ? ", and " : "", error.what());
      }
      this->WhySparse = error.what();
    }
  }
  else if (wanted)
  {
    this->WhySparse = "as it was asked for";
  }
  if (wanted)
  {
    this->LendingText = fmt::format("memory is sparse ({}), though {}", this->WhySparse, need.Why);
  }
  if (this->Ranks->Rank() == 0 && need.Required)
  {
    Log().warn("{}: files may be torn where it is written to after pages were given back. Let "
               "memory be pinned (DSM_LENDING=pinned)",
      this->LendingText);
  }
  this->Lent = lent;
  return ComputeSlotLayout(lent, room, this->Ranks->Max(hostsHere), options.MaximumSnapshots);
}

// Every rank makes its segment; all learn of all.
void Server::Implementation::LendMemory(const ServerOptions& options)
{
  const std::string here = NodeIdentity();
  this->Nodes = this->Ranks->AllGatherText(here);
  const auto hostsHere =
    static_cast<std::uint64_t>(std::count(this->Nodes.begin(), this->Nodes.end(), here));
  // Rank 0's environment counts: all hosts must offer the same.
  this->Description.Transport =
    RunOnRankZero(*this->Ranks, [&] { return Found(options.Transport); });
  const SlotLayout slots = this->ChooseSlots(options, hostsHere);
  this->Description.SlotCount = slots.Count;
  this->Description.SlotSize = slots.Size;
  this->Description.DiskSize =
    this->Description.Pinned ? 0 : DiskSpace(this->Ranks->Max(hostsHere));
  Agree(*this->Ranks,
    [&]
    {
      const bool pinned = this->Description.Pinned;
      const AddressMap check(
        options.Map.Over(this->Nodes.size(), pinned ? slots.Size : this->Lent));
      const SegmentLayout layout(slots.Size, slots.Count);
      this->Memory = pinned ? Segment::CreatePinned(layout.Size())
                            : Segment::Create(layout.Size(), this->Description.DiskSize);
      // Touched before anybody can be short of memory.
      this->Memory.Populate(layout.TablesBegin(), layout.TablesEnd() - layout.TablesBegin());
      this->Memory.Populate(layout.Mailboxes, SegmentLayout::MailboxesSize);
      if (this->Ranks->Rank() == 0)
      {
        this->Memory.Populate(layout.Questions, QuestionBoard::Size);
      }
    });
  HostDescription self;
  self.Node = here;
  self.Name = MachineName();
  self.Network = NetworkIdentity();
  this->Description.Hosts = GatherAll(*this->Ranks, self);
  this->Description.Session = this->Ranks->BroadcastText(NewSession());
  this->Secret = this->Ranks->BroadcastText(NewSession());
}

// Every transport's hosts' side, with what the choice asks for open.
void Server::Implementation::LendOverTransports()
{
  const LentSegment segment{ *this->Ranks, this->Memory.Data(), this->Memory.Size(),
    this->Description.DiskSize, this->Memory.Name(), this->Nodes, this->Description.Pinned,
    this->WhySparse };
  for (const TransportKind* kind : TransportKinds())
  {
    Agree(*this->Ranks,
      [&] { this->Lenders.push_back({ kind, kind->Lend(segment, this->Description.Transport) }); });
  }
  this->GatherOffers();
}

// All hosts learn how each can be reached.
void Server::Implementation::GatherOffers()
{
  HostDescription self;
  for (const Lender& lender : this->Lenders)
  {
    const auto offers = lender.Side->Offers();
    self.Offers.insert(self.Offers.end(), offers.begin(), offers.end());
  }
  const auto all = GatherAll(*this->Ranks, self);
  for (HostIndex host = 0; host < all.size(); ++host)
  {
    this->Description.Hosts[host].Offers = all[host].Offers;
  }
}

// Collective: the hosts can be reached as a choice asks for, also where that was not so at Start.
// What was open before stays open: peers that know it go on using it.
void Server::Implementation::OpenTransport(const TransportChoice& choice)
{
  for (const Lender& lender : this->Lenders)
  {
    Agree(*this->Ranks, [&] { lender.Side->Open(choice); });
  }
  this->GatherOffers();
  this->Description.Transport = choice;
}

// The names of the transports by which a peer can reach all hosts.
std::vector<std::string> Server::Implementation::OfferedByAll() const
{
  const auto& hosts = this->Description.Hosts;
  std::vector<std::string> names;
  for (const TransportOffer& offer : hosts.front().Offers)
  {
    const auto offers = [&](const HostDescription& host)
    {
      return std::any_of(host.Offers.begin(), host.Offers.end(),
        [&](const TransportOffer& other) { return other.Name == offer.Name; });
    };
    if (std::all_of(hosts.begin(), hosts.end(), offers))
    {
      names.push_back(offer.Name);
    }
  }
  return names;
}

// Rank 0 opens the control channel; all ranks learn where it is.
void Server::Implementation::Answer(const ServerOptions& options)
{
  const auto contact = RunOnRankZero(*this->Ranks,
    [&]
    {
      this->Address = Contact::OfThisProcess();
      this->Address.Session = this->Description.Session;
      this->Address.Transports = this->OfferedByAll();
      TransportService::Mediators mediators;
      for (const Lender& lender : this->Lenders)
      {
        if (auto mediator = lender.Side->MakeMediator())
        {
          mediators[lender.Kind->Name()] = std::move(mediator);
        }
      }
      ServerOptions possible = options;
      if (options.MaximumSnapshots >= this->Description.SlotCount)
      {
        possible.MaximumSnapshots = this->Description.SlotCount - 1;
        Log().warn(
          "only {} snapshots fit the {} of each host, not {}: the memory per host is too {}",
          possible.MaximumSnapshots, this->Description.Pinned ? "pinned slots" : "address space",
          options.MaximumSnapshots, this->Description.Pinned ? "small" : "large");
      }
      this->Control =
        std::make_unique<CoreRunner>(CoreRunner::Start{ possible, this->Description, this->Lent,
                                       this->Secret, std::move(mediators) },
          this->Memory);
      this->Control->Listen(this->Address);
      return this->Address.ToText();
    });
  this->Address = Contact::FromText(contact);
}

void Server::Implementation::StartAgents()
{
  Agree(*this->Ranks,
    [&]
    {
      std::map<std::string, HostTransport*> transports;
      for (const Lender& lender : this->Lenders)
      {
        transports[lender.Kind->Name()] = lender.Side.get();
      }
      this->Agent = std::make_unique<HostAgent>(
        this->Memory, this->Description.SlotSize, this->Description.SlotCount,
        [this](Channel::EventHandler handler)
        {
          return std::make_shared<HostLink>(this->Address, this->Path,
            HostIndex(static_cast<std::uint64_t>(this->Ranks->Rank())), this->Secret,
            std::move(handler));
        },
        std::move(transports));
    });
}

// What was opened and what was passed over, for people.
std::vector<std::string> Server::Implementation::TransportLines() const
{
  std::vector<std::string> lines;
  if (!this->LendingText.empty())
  {
    lines.push_back(this->LendingText);
  }
  for (const Lender& lender : this->Lenders)
  {
    const auto some = lender.Side->Describe();
    lines.insert(lines.end(), some.begin(), some.end());
  }
  return lines;
}

// Rank 0: what the status says of the transports.
void Server::Implementation::NoteTransports() const
{
  this->Control->Router().Do(
    [this] { this->Control->Core().Admin.NoteTransports(this->TransportLines()); });
}

// Only now may simulations come.
void Server::Implementation::Publish()
{
  Agree(*this->Ranks,
    [&]
    {
      if (this->Ranks->Rank() == 0)
      {
        for (const std::string& line : this->TransportLines())
        {
          Log().info("{}", line);
        }
        this->NoteTransports();
        this->File = std::make_unique<ContactFile>(this->Path, this->Address);
      }
    });
  this->AtStart = std::make_shared<const ServerDescription>(this->Description);
}

Server::Server(const Communicator& comm, const ServerOptions& options)
  : Server(std::make_shared<Communicator>(Communicator::Duplicate(comm.Handle())), options)
{
}

Server::Server(std::shared_ptr<RankGroup> hosts, const ServerOptions& options)
  : Self(std::make_unique<Implementation>(std::move(hosts), options))
{
}

Server::~Server() = default;

void Server::Stop()
{
  if (!this->Self)
  {
    return;
  }
  this->Self->File.reset();
  if (this->Self->Control)
  {
    this->Self->Control->Close();
  }
  testdelay::At("before the hosts end");
  // Nobody lets go of memory before rank 0 has told the peers.
  this->Self->Ranks->Barrier();
  for (auto& lender : this->Self->Lenders)
  {
    if (lender.Side->End())
    {
      lender.Side->Free();
    }
    else
    {
      Leak(std::move(lender.Side)); // its thread is held in MPI for ever
    }
  }
  this->Self->Ranks->Free();
  this->Self.reset();
}

void Server::Adjust(const ServerOptions& options)
{
  if (!this->Self)
  {
    throw Error(Fault::Usage, "the DSM server has stopped: its settings count at its next start");
  }
  auto& self = *this->Self;
  const auto wanted = RunOnRankZero(*self.Ranks,
    [&]
    {
      self.Control->Router().Do([&] { self.Control->Core().Settings.Check(options); });
      return Found(options.Transport);
    });
  if (wanted != self.Description.Transport)
  {
    self.OpenTransport(wanted);
  }
  if (self.Control)
  {
    self.Control->Router().Do(
      [&]
      {
        self.Control->Core().Settings.Adjust(options, self.Description);
        // The policy, or more room, may help those who wait.
        self.Control->Core().Allocations.Retry();
      });
  }
}

std::uint64_t Server::NumberOfHosts() const
{
  return this->Self ? this->Self->Description.Hosts.size() : 0;
}

std::uint64_t Server::MaximumMemory() const
{
  if (!this->Self)
  {
    return 0;
  }
  const ServerDescription& server = this->Self->Description;
  return server.Pinned ? server.SlotSize * server.SlotCount : server.SlotSize;
}

std::uint64_t Server::MaximumSnapshotsPossible() const
{
  return this->Self ? this->Self->Description.SlotCount - 1 : 0;
}

bool Server::Pump()
{
  bool busy = false;
  if (this->Self)
  {
    for (auto& lender : this->Self->Lenders)
    {
      busy = lender.Side->Pump() || busy;
    }
  }
  return busy;
}

bool Server::NeedsPump() const
{
  return this->Self &&
    std::any_of(this->Self->Lenders.begin(), this->Self->Lenders.end(),
      [](const auto& lender) { return lender.Side->NeedsPump(); });
}

const std::string& Server::ContactPath() const
{
  static const std::string none;
  return this->Self ? this->Self->Path : none;
}

const Contact& Server::Address() const
{
  return this->Self->Address;
}

const std::shared_ptr<const ServerDescription>& Server::Description() const
{
  return this->Self->AtStart;
}

std::vector<std::shared_ptr<Transport>> Server::OwnTransports() const
{
  std::vector<std::shared_ptr<Transport>> own;
  for (const auto& lender : this->Self->Lenders)
  {
    const auto some = lender.Side->OwnTransports();
    own.insert(own.end(), some.begin(), some.end());
  }
  return own;
}

ServerStatus Server::Status() const
{
  if (!this->Self || !this->Self->Control)
  {
    return {};
  }
  this->Self->NoteTransports();
  return this->Self->Control->Status();
}

CoreRunner* Server::Control() const
{
  return this->Self ? this->Self->Control.get() : nullptr;
}

template <typename Work>
void Server::OnCore(const Work& work)
{
  if (CoreRunner* const control = this->Control())
  {
    control->Router().Do([&] { work(control->Core()); });
  }
}

void Server::TakeNoMore()
{
  this->OnCore([](ServerCore& core) { core.TakeNoMore(); });
  if (CoreRunner* const control = this->Control())
  {
    ServerCore& core = control->Core();
    const Deadline deadline(RequestTimeout());
    RequestRouter::Visit visit(control->Router());
    while (core.State.IsOpen && core.Writes.IsEndingUnfinished() && !deadline.Expired())
    {
      visit.WaitAsReader(deadline.TimePoint());
    }
    if (core.State.IsOpen && core.Writes.IsEndingUnfinished())
    {
      Log().warn("cannot keep the last flush of a program that has ended: a host did not answer "
                 "within {:.3g} s",
        RequestTimeout().count());
    }
  }
}

void Server::TakeAgain()
{
  this->OnCore([](ServerCore& core) { core.TakeAgain(); });
}

std::optional<SnapshotDescription> Server::WaitForSnapshot(
  SnapshotId after, bool next, const Deadline& deadline)
{
  CoreRunner* const control = this->Control();
  if (!control)
  {
    return std::nullopt;
  }
  ServerCore& core = control->Core();
  RequestRouter::Visit visit(control->Router());
  while (core.State.IsOpen && !core.Reads.After(after, next) && !core.Reads.NoneWillCome() &&
    !core.Admin.HasOrders() && !deadline.Expired())
  {
    visit.WaitAsReader(deadline.TimePoint());
  }
  const auto* const found = core.State.IsOpen ? core.Reads.After(after, next) : nullptr;
  if (!found)
  {
    return std::nullopt;
  }
  {
    const std::lock_guard lock(this->Self->CountedGuard);
    this->Self->Counted = core.Images.Snapshots().CountsFor(after, found->Number);
  }
  return core.Reads.Take(found->Number);
}

SnapshotCounts Server::CountedAtWait() const
{
  if (!this->Self)
  {
    return {};
  }
  const std::lock_guard lock(this->Self->CountedGuard);
  return this->Self->Counted;
}

std::optional<SnapshotDescription> Server::TakeRenamed(SnapshotId last)
{
  CoreRunner* const control = this->Control();
  return control ? control->TakeRenamed(last) : std::nullopt;
}

void Server::Release(SnapshotId number)
{
  this->OnCore([&](ServerCore& core) { core.Reads.Release(number); });
}

void Server::SetMap(const Redistribution& map)
{
  this->OnCore([&](ServerCore& core) { core.Settings.SetMap(map); });
}

void Server::SetFilePolicy(const FilePolicy& filePolicy)
{
  this->OnCore([&](ServerCore& core) { core.Settings.SetFilePolicy(filePolicy); });
}

ArchiveAccess Server::Archive() const
{
  return ArchiveAccess(this->Control());
}

DiskAccess Server::Disk() const
{
  return DiskAccess(this->Control());
}

OrderAccess Server::Orders() const
{
  return OrderAccess(this->Control());
}

void Server::OnSealed(std::function<void(const SnapshotDescription&)> call)
{
  if (CoreRunner* const control = this->Control())
  {
    control->OnSealed(std::move(call));
  }
}

SteeringAnswer Server::Steer(const SteeringRequest& request, const std::string& who)
{
  auto* steering = this->Steering();
  return steering ? steering->Answer(request, who) : SteeringAnswer();
}

SteeringService* Server::Steering() const
{
  return this->Self && this->Self->Control ? &this->Self->Control->Steering() : nullptr;
}

}
