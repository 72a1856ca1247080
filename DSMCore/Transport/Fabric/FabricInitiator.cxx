// SPDX-License-Identifier: BSD-3-Clause
#include "Transport/Fabric/FabricInitiator.h"

#include "Base/Log.h"
#include "Base/Timeouts.h"
#include "Transport/Fabric/FabricNames.h"
#include "Transport/QueueDepth.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <thread>
#include <utility>

#include <poll.h>

namespace dsm::fabric
{

namespace
{
// Pieces are small enough that one is done every now and then even where many share a slow network,
// since waiting ends when nothing is; and large enough to cost little.
constexpr std::size_t LargestPiece = std::size_t(256) << 10;
// Buffers in all: 8 MiB, which the fastest networks fill in a millisecond.
constexpr std::size_t BounceBuffers = 32;

// Puts up to this size are worth a copy; so much is sent together.
constexpr std::size_t LargestGathered = std::size_t(4) << 10;
constexpr std::size_t GatherBuffer = std::size_t(32) << 10;

// A reply usually comes within microseconds, so look for it at once for so long before sleeping.
constexpr std::chrono::microseconds Attentive(50);
constexpr std::chrono::microseconds ShortSleep(50);
constexpr int SleepMilliseconds = 20;
// A process that looks less often does not run: it is stopped, or the machine is overloaded.
constexpr Seconds LongestSleep(0.25);
// A host that did not answer at all by then is looked for in other ways.
constexpr std::chrono::milliseconds FirstAnswer(300);

// Where an operation's parts are at its host.
std::array<fi_rma_iov, Operation::MostParts> RemoteParts(const Operation& operation)
{
  const Target& to = *operation.To;
  std::array<fi_rma_iov, Operation::MostParts> remote{};
  for (std::size_t i = 0; i < operation.Count; ++i)
  {
    remote[i] = { to.Base + operation.Parts[i].Offset, operation.Parts[i].Size, to.Key };
  }
  return remote;
}
}

std::byte* Operation::Buffer(std::size_t size)
{
  if (!this->Bounce && this->Gathered.size() < size)
  {
    this->Gathered.resize(size);
  }
  return this->Bounce ? this->Bounce : this->Gathered.data();
}

void Operation::Add(const Part& part)
{
  this->Parts[this->Count++] = part;
  this->Size += part.Size;
}

Initiator::Lull::Lull(Seconds limit)
  : End(limit, LongestSleep)
{
}

Initiator::Initiator(const std::string& provider, std::vector<Target> targets, bool bounce)
  : Local(Open(provider))
  , Targets(std::move(targets))
  , Timeout(PeerTimeout())
{
  const fi_info& info = *this->Local.Description;
  for (Target& target : this->Targets)
  {
    this->Resolve(target);
  }
  std::size_t depth = std::min(this->Local.MostUnderWay(), QueueDepth());
  this->Piece = std::min(LargestPiece, info.ep_attr->max_msg_size);
  this->PartsAtOnce = std::clamp<std::size_t>(info.tx_attr->rma_iov_limit, 1, Operation::MostParts);
  bounce = bounce || this->Local.Requires(FI_MR_LOCAL);
  if (bounce)
  {
    depth = std::min(depth, BounceBuffers);
    this->BounceMemory.resize(depth * this->Piece);
    this->BounceRegion = this->Local.Register(
      this->BounceMemory.data(), this->BounceMemory.size(), FI_READ | FI_WRITE, 0);
  }
  this->Operations.resize(depth);
  for (std::size_t i = 0; i < depth; ++i)
  {
    this->Operations[i].Bounce = bounce ? &this->BounceMemory[i * this->Piece] : nullptr;
    this->Unused.push_back(&this->Operations[i]);
  }
}

// The endpoint goes first: until then the provider may use the operations and their buffers.
Initiator::~Initiator()
{
  if (this->Local.Requires(FI_MR_ENDPOINT))
  {
    this->BounceRegion.reset();
  }
  this->Local.Object.reset();
}

// Tells the provider of the target's first address.
void Initiator::Resolve(Target& target)
{
  const auto name = FromHexadecimal(target.Names.at(0));
  if (fi_av_insert(this->Local.AddressVector.get(), name.data(), 1, &target.Address, 0, nullptr) !=
    1)
  {
    throw Error(Fault::Unsupported,
      "the fabric provider {} cannot use the address of {}: the two sides may have different "
      "versions of libfabric. Choose another provider (fabric/tcp) or transport with DSM_TRANSPORT",
      this->Provider(), this->Describe(target));
  }
}

std::string Initiator::Describe(const Target& target) const
{
  return fmt::format("{} of the DSM server, at {}", target.Who, Readable(target.Names.front()));
}

// So much is gathered in one operation.
std::size_t Initiator::Room() const
{
  return std::min(GatherBuffer, this->Piece);
}

void Initiator::Write(
  std::uint64_t target, std::uint64_t offset, const std::byte* source, std::uint64_t size)
{
  Target& to = this->Targets[target];
  if (size <= LargestGathered &&
    this->Gather(to, offset, source, static_cast<std::size_t>(size), 1))
  {
    return;
  }
  while (size > 0)
  {
    Operation& operation = this->Take(to);
    operation.Add({ offset, static_cast<std::size_t>(std::min<std::uint64_t>(size, this->Piece)) });
    operation.Source = source;
    if (operation.Bounce)
    {
      std::memcpy(operation.Bounce, source, operation.Size);
      operation.Source = operation.Bounce;
    }
    const std::size_t moved = operation.Size;
    this->StartWrite(operation);
    offset += moved;
    source += moved;
    size -= moved;
  }
}

void Initiator::WritePieces(std::uint64_t target, std::span<const PutPiece> pieces)
{
  Target& to = this->Targets[target];
  for (const PutPiece& piece : pieces)
  {
    if (piece.Size > LargestGathered ||
      !this->Gather(
        to, piece.Place, piece.Memory, static_cast<std::size_t>(piece.Size), this->PartsAtOnce))
    {
      this->Write(target, piece.Place, piece.Memory, piece.Size);
    }
  }
}

void Initiator::StartWrite(Operation& operation)
{
  const Target& to = *operation.To;
  const auto remote = RemoteParts(operation);
  this->Start(operation,
    [&](void* descriptor)
    {
      iovec local = { const_cast<std::byte*>(operation.Source), operation.Size };
      const fi_msg_rma message = { &local, &descriptor, 1, to.Address, remote.data(),
        operation.Count, &operation.Context, 0 };
      return fi_writemsg(this->Local.Object.get(), &message, FI_COMPLETION | FI_DELIVERY_COMPLETE);
    });
}

// Appends a small put to those before, or begins to gather with it. False when it cannot be
// gathered, because the provider's messages are smaller.
bool Initiator::Gather(Target& to, std::uint64_t offset, const std::byte* source, std::size_t size,
  std::size_t mostParts)
{
  const std::size_t room = this->Room();
  if (to.Gathering)
  {
    const Operation& before = *to.Gathering;
    const Part& last = before.Parts[before.Count - 1];
    const bool follows = last.Offset + last.Size == offset;
    if (before.Size + size > room || (!follows && before.Count >= mostParts))
    {
      this->StartGathered(to);
    }
  }
  if (size > room)
  {
    return false;
  }
  if (!to.Gathering)
  {
    Operation& operation = this->Take(to);
    operation.Source = operation.Buffer(room);
    to.Gathering = &operation;
  }
  Operation& gathering = *to.Gathering;
  std::memcpy(gathering.Buffer(room) + gathering.Size, source, size);
  Part* last = gathering.Count > 0 ? &gathering.Parts[gathering.Count - 1] : nullptr;
  if (last && last->Offset + last->Size == offset)
  {
    last->Size += size;
    gathering.Size += size;
  }
  else
  {
    gathering.Add({ offset, size });
  }
  return true;
}

void Initiator::StartGathered(Target& target)
{
  if (Operation* gathered = std::exchange(target.Gathering, nullptr))
  {
    this->StartWrite(*gathered);
  }
}

void Initiator::Read(
  std::uint64_t target, std::uint64_t offset, std::byte* destination, std::uint64_t size)
{
  Target& to = this->Targets[target];
  while (size > 0)
  {
    Operation& operation = this->Take(to);
    const auto moved = static_cast<std::size_t>(std::min<std::uint64_t>(size, this->Piece));
    operation.Add({ offset, moved, operation.Bounce ? destination : nullptr });
    this->StartRead(operation, operation.Bounce ? operation.Bounce : destination);
    offset += moved;
    destination += moved;
    size -= moved;
  }
}

void Initiator::ReadPieces(std::uint64_t target, std::span<const GetPiece> pieces)
{
  Target& to = this->Targets[target];
  const std::size_t room = this->Room();
  Operation* gathering = nullptr;
  const auto start = [&]
  {
    if (Operation* gathered = std::exchange(gathering, nullptr))
    {
      this->StartRead(*gathered, gathered->Buffer(room));
    }
  };
  for (const GetPiece& piece : pieces)
  {
    if (piece.Size > std::min(LargestGathered, room))
    {
      start(); // there may be no other operation
      this->Read(target, piece.Place, piece.Memory, piece.Size);
      continue;
    }
    const auto size = static_cast<std::size_t>(piece.Size);
    if (gathering && (gathering->Count == this->PartsAtOnce || gathering->Size + size > room))
    {
      start();
    }
    if (!gathering)
    {
      gathering = &this->Take(to);
    }
    gathering->Add({ piece.Place, size, piece.Memory });
  }
  start();
}

void Initiator::StartRead(Operation& operation, std::byte* destination)
{
  const Target& to = *operation.To;
  const auto remote = RemoteParts(operation);
  this->Start(operation,
    [&](void* descriptor)
    {
      iovec local = { destination, operation.Size };
      const fi_msg_rma message = { &local, &descriptor, 1, to.Address, remote.data(),
        operation.Count, &operation.Context, 0 };
      return fi_readmsg(this->Local.Object.get(), &message, FI_COMPLETION);
    });
}

// An operation that is not under way, for a piece to the target.
Operation& Initiator::Take(Target& target)
{
  if (this->Unused.empty())
  {
    this->StartAllGathered(); // or nothing might ever be completed
    for (Lull lull(this->Timeout); this->Unused.empty();)
    {
      if (!this->Progress())
      {
        this->Pause(lull, this->Busy());
      }
    }
  }
  Operation& taken = *this->Unused.back();
  this->Unused.pop_back();
  taken.To = &target;
  taken.Count = 0;
  taken.Size = 0;
  return taken;
}

// Hands an operation to the provider, as soon as it takes it: connections are made meanwhile.
template <typename Post>
void Initiator::Start(Operation& operation, const Post& post)
{
  Target& target = *operation.To;
  void* descriptor = this->BounceRegion ? fi_mr_desc(this->BounceRegion.get()) : nullptr;
  for (Lull lull(this->Timeout);;)
  {
    const auto status = post(descriptor);
    if (status == 0)
    {
      ++target.UnderWay;
      return;
    }
    if (status != -FI_EAGAIN)
    {
      this->Unused.push_back(&operation);
      this->ThrowFailed(&target, ErrorText(status));
    }
    if (this->Progress())
    {
      lull = Lull(this->Timeout);
    }
    else
    {
      this->Pause(lull, &target);
    }
  }
}

void Initiator::StartAllGathered()
{
  for (Target& target : this->Targets)
  {
    this->StartGathered(target);
  }
}

void Initiator::Drain()
{
  this->StartAllGathered();
  for (Lull lull(this->Timeout); this->Unused.size() < this->Operations.size();)
  {
    if (this->Progress())
    {
      lull = Lull(this->Timeout);
    }
    else
    {
      this->Pause(lull, this->Busy());
    }
  }
}

// Takes note of what has been completed; false when nothing has.
bool Initiator::Progress()
{
  std::array<fi_cq_entry, 64> entries;
  const auto got = fi_cq_read(this->Local.Completions.get(), entries.data(), entries.size());
  if (got == -FI_EAGAIN || got == 0)
  {
    return false;
  }
  if (got == -FI_EAVAIL)
  {
    fi_cq_err_entry error = {};
    Check(
      fi_cq_readerr(this->Local.Completions.get(), &error, 0), "fi_cq_readerr", this->Provider());
    const auto* operation = static_cast<const Operation*>(error.op_context);
    this->ThrowFailed(
      operation ? operation->To : nullptr, "the connection broke: " + ErrorText(error.err));
  }
  Check(got, "fi_cq_read", this->Provider());
  for (auto i = 0; i < got; ++i)
  {
    auto& operation = *static_cast<Operation*>(entries[static_cast<std::size_t>(i)].op_context);
    const std::byte* arrived = operation.Bounce ? operation.Bounce : operation.Gathered.data();
    for (std::size_t part = 0; part < operation.Count; arrived += operation.Parts[part++].Size)
    {
      if (operation.Parts[part].Destination)
      {
        std::memcpy(operation.Parts[part].Destination, arrived, operation.Parts[part].Size);
      }
    }
    operation.To->Answered = true;
    --operation.To->UnderWay;
    this->Unused.push_back(&operation);
  }
  return true;
}

// Nothing has been completed since: looks again at once, then sleeps, and gives up in the end.
void Initiator::Pause(Lull& lull, Target* target)
{
  const auto waited = Clock::now() - lull.Begun;
  const bool over = lull.End.Look();
  if (waited < Attentive)
  {
    std::this_thread::yield();
    return;
  }
  if (over)
  {
    this->ThrowFailed(
      target, fmt::format("nothing for {:.3g} s (DSM_PEER_TIMEOUT)", this->Timeout.count()));
  }
  if (target && waited > FirstAnswer && !target->Answered && !target->Examined)
  {
    target->Examined = true;
    this->Examine(*target);
  }
  if (this->Local.MayWait())
  {
    pollfd ready = { this->Local.WaitDescriptor, POLLIN, 0 };
    poll(&ready, 1, SleepMilliseconds);
  }
  else if (this->Local.WaitDescriptor < 0)
  {
    std::this_thread::sleep_for(ShortSleep);
  }
}

// A host that did not answer its first transfer: is it another one's address, or closed?
void Initiator::Examine(Target& target)
{
  std::string seen;
  for (std::size_t way = 0; way < target.Names.size(); ++way)
  {
    const std::string result = Probe(target.Names[way]);
    if (result.empty())
    {
      return;
    }
    if (result == Reachable)
    {
      if (way > 0 && target.UnderWay == 0)
      {
        Log().info(
          "{}: taking {}, since {}", this->Describe(target), Readable(target.Names[way]), seen);
        std::swap(target.Names[0], target.Names[way]);
        this->Resolve(target);
      }
      return;
    }
    seen += fmt::format("{}{} {}", seen.empty() ? "" : ", ", Readable(target.Names[way]), result);
  }
  throw Error(Fault::PeerLost,
    "cannot reach {} of the DSM server over fabric/{}: {}. Either its process is gone, or a "
    "firewall "
    "closes the port, or the networks are not joined: DSM_FABRIC_INTERFACE on ParaView's side "
    "names "
    "the interface to use, FI_TCP_PORT_LOW_RANGE and FI_TCP_PORT_HIGH_RANGE the ports, and "
    "DSM_TRANSPORT another transport",
    target.Who, this->Provider(), seen);
}

// The first target that something is under way to.
Target* Initiator::Busy()
{
  const auto found = std::find_if(this->Targets.begin(), this->Targets.end(),
    [](const Target& target) { return target.UnderWay > 0; });
  return found == this->Targets.end() ? nullptr : &*found;
}

void Initiator::ThrowFailed(const Target* target, const std::string& how) const
{
  const std::string who = target ? this->Describe(*target) : "a host of the DSM server";
  throw Error(Fault::PeerLost,
    "{} {} over fabric/{}: {}. Its process ended, crashed or was stopped, or the network between "
    "is "
    "gone: look at ParaView's side{}",
    who, !target || target->Answered ? "was lost" : "does not answer", this->Provider(), how,
    target && !target->Answered ? ", or choose another transport with DSM_TRANSPORT" : "");
}

}
