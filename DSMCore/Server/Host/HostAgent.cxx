// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Host/HostAgent.h"

#include "Base/Clock.h"
#include "Base/Error.h"
#include "Base/Log.h"
#include "Base/Threads.h"
#include "Memory/MemoryLack.h"
#include "Memory/NodeMemory.h"
#include "Memory/SharedNumber.h"
#include "Protocol/TransportMessages.h"

#include <algorithm>

namespace dsm
{

namespace
{
// A long range is populated in pieces of this size, so that newer tasks need not wait for its end.
constexpr std::uint64_t PopulateStep = UINT64_C(32) << 20;
// How often to look, with nothing else to do, whether the coordinator is still there.
const Seconds LinkInterval(1);
// What is made ready ahead leaves so much of the node's memory, or of its job's, to others, and
// this share of what there was at the beginning: of /dev/shm, which may be far smaller, as well.
constexpr std::uint64_t LeastLeftToOthers = UINT64_C(512) << 20;
constexpr std::uint64_t ShareLeftToOthers = 2;

std::uint64_t Beyond(std::uint64_t available, std::uint64_t left)
{
  return available > left ? available - left : 0;
}
}

HostAgent::HostAgent(Segment& segment, std::uint64_t slotSize, std::uint64_t slotCount,
  const MakeLink& connect, std::map<std::string, HostTransport*> transports)
  : Memory(segment)
  , SlotSize(slotSize)
  , Layout(slotSize, slotCount)
  , Transports(std::move(transports))
  , Spare(
      [left = std::max(AvailableMemory() / ShareLeftToOthers, LeastLeftToOthers),
        sharedLeft = AvailableSharedMemory() / ShareLeftToOthers]
      {
        return std::min(
          Beyond(AvailableMemory(), left), Beyond(AvailableSharedMemory(), sharedLeft));
      })
  , Disk(segment)
  , Ahead([this](const Range& range) { this->WarmSome(range); }, Warmer::UsefulThreads())
  , Shares(segment.Data(), slotSize, slotCount,
      [this](const ShareWritten& report) { this->Link->Notify(report); })
  , Link(connect([this](const Envelope& event) { this->Receive(event); }))
{
  for (const auto& [name, transport] : this->Transports)
  {
    transport->Start(
      [link = std::weak_ptr<HostLink>(this->Link), name](Bytes message)
      {
        if (const auto coordinator = link.lock())
        {
          coordinator->Notify(TransportNotice{ name, std::move(message) });
        }
      });
  }
  const SignalsBlocked quiet;
  this->Worker = std::thread([this] { this->Run(); });
}

HostAgent::~HostAgent()
{
  {
    const std::lock_guard lock(this->Guard);
    this->Ending = true;
  }
  this->Wake.notify_all();
  if (this->Worker.joinable())
  {
    this->Worker.join();
  }
  this->Shares.End();
  this->Link.reset();
}

void HostAgent::Receive(const Envelope& event)
{
  if (Is<TransportEvent>(event))
  {
    const auto message = Content<TransportEvent>(event);
    if (const auto found = this->Transports.find(message.Transport);
      found != this->Transports.end())
    {
      found->second->Receive(message.Content);
    }
  }
  else if (Is<PrepareMemory>(event))
  {
    {
      const std::lock_guard lock(this->Guard);
      this->ToClean.push_back(Content<PrepareMemory>(event));
    }
    this->Wake.notify_all();
  }
  else if (Is<WriteShare>(event))
  {
    this->Shares.Add(Content<WriteShare>(event));
  }
  else if (Is<CancelShare>(event))
  {
    this->Shares.Cancel(Content<CancelShare>(event).Ticket);
  }
}

// In the background. Reported when the last is done, by whichever thread that was.
void HostAgent::MakeReady(const PrepareMemory& task)
{
  struct Report
  {
    std::mutex Guard;
    std::size_t Missing;
    MemoryPrepared Message;
  };
  const auto report = std::make_shared<Report>();
  report->Missing = task.Ahead.size();
  report->Message = { task.Tickets, {}, true, 0 };
  for (const SlotRange& slotRange : task.Ahead)
  {
    Range range = this->Locate(slotRange);
    range.Touches = task.Touches;
    range.Rests = task.Rests;
    this->Ahead.Add(range,
      [link = std::weak_ptr(this->Link), report](const std::string& failure)
      {
        const std::lock_guard lock(report->Guard);
        if (!failure.empty())
        {
          report->Message.Failure = failure;
        }
        const auto coordinator = --report->Missing == 0 ? link.lock() : nullptr;
        if (coordinator)
        {
          coordinator->Notify(report->Message);
        }
      });
  }
}

// Memory that nobody needs yet is not taken where it is scarce.
void HostAgent::WarmSome(const Range& range)
{
  if (!this->Spare.Take(range.Size))
  {
    throw Error(Fault::System, "memory is scarce on this node: none is made ready ahead");
  }
  if (range.Touches)
  {
    this->Memory.Populate(range.Begin, range.Size);
  }
  else
  {
    this->Memory.Reserve(range.Begin, range.Size);
  }
}

void HostAgent::Run()
{
  std::unique_lock lock(this->Guard);
  for (;;)
  {
    this->Wake.wait_for(lock, LinkInterval,
      [this] { return this->Ending || !this->ToClean.empty() || !this->ToPopulate.empty(); });
    if (this->Ending)
    {
      return;
    }
    if (this->ToClean.empty() && this->ToPopulate.empty())
    {
      lock.unlock();
      this->Link->Restore();
      lock.lock();
      continue;
    }
    // Cleaning comes first: a writer may be waiting for it.
    if (!this->ToClean.empty())
    {
      const PrepareMemory task = std::move(this->ToClean.front());
      this->ToClean.pop_front();
      lock.unlock();
      if (!task.Ahead.empty())
      {
        this->MakeReady(task);
        lock.lock();
        continue;
      }
      this->Clean(task);
      lock.lock();
      this->ForgetReleased(task);
      this->ToPopulate.push_back(this->Locate(task.Populate));
      continue;
    }
    Range range = this->ToPopulate.front();
    this->ToPopulate.pop_front();
    const std::uint64_t now = std::min(range.Size, PopulateStep);
    if (range.Size > now)
    {
      this->ToPopulate.push_front({ range.Begin + now, range.Size - now });
    }
    lock.unlock();
    this->PopulateSome({ range.Begin, now });
    lock.lock();
  }
}

HostAgent::Range HostAgent::Locate(const SlotRange& range) const
{
  const std::uint64_t end = std::min(range.End, this->SlotSize);
  return { range.Slot * this->SlotSize + range.Begin, std::max(range.Begin, end) - range.Begin };
}

// Does what has to be done before the slot can be written, and reports.
void HostAgent::Clean(const PrepareMemory& task)
{
  MemoryPrepared report;
  report.Tickets = task.Tickets;
  // In the order in which it was asked for.
  this->Ahead.Finish({ task.Slot * this->SlotSize, this->SlotSize });
  for (const auto& one : task.Release)
  {
    this->Ahead.Finish({ one.Slot * this->SlotSize, this->SlotSize });
  }
  try
  {
    for (const auto& one : task.Raise)
    {
      this->Layout.Generations.In(this->Memory.Data(), one.Slot).Raise(one.Number);
    }
    for (const auto& one : task.Release)
    {
      const Range range = this->Locate(one);
      this->Memory.Release(range.Begin, range.Size);
    }
    for (const auto& one : task.Forget)
    {
      this->Disk.Forget({ one.Slot * this->SlotSize + one.Begin, one.End - one.Begin });
    }
    const Range reserved = this->Locate(task.Reserve);
    this->Memory.Reserve(reserved.Begin, reserved.Size,
      task.InWriting ? Segment::Pages::Small : Segment::Pages::HugeIfQuick);
    if (task.OnDisk.End > task.OnDisk.Begin)
    {
      this->TakeRoomOnDisk(task);
    }
    const Range old = this->Locate(task.Zero);
    this->Memory.Zero(old.Begin, old.Size);
    if (task.Stale.End > 0)
    {
      const std::uint64_t table = this->Layout.ChunksOf(task.Stale.Slot);
      const std::uint64_t end = std::min(task.Stale.End, this->SlotSize);
      this->Memory.Reserve(table, StaleChunks::TableSize(end));
      StaleChunks::Reset(this->Memory.Data() + table, end);
    }
    for (const AsideBytes::Moved& moved : task.Copy)
    {
      this->Memory.Copy(
        task.To * this->SlotSize + moved.To, task.From * this->SlotSize + moved.From, moved.Size);
    }
  }
  catch (const MemoryLack& lack)
  {
    report.Failure = lack.what();
    report.Lacked = lack.Bytes();
  }
  catch (const std::exception& error)
  {
    report.Failure = error.what();
  }
  this->Link->Notify(report);
}

// Before anybody is told that it may write there, all who map this host's memory can follow.
void HostAgent::TakeRoomOnDisk(const PrepareMemory& task)
{
  const int descriptor = this->Memory.MakeDisk(task.Folder);
  for (const auto& [name, transport] : this->Transports)
  {
    transport->FollowDisk(descriptor);
  }
  this->Layout.Signals.In(this->Memory.Data(), SegmentLayout::DiskFile)
    .Store(static_cast<std::uint64_t>(descriptor) + 1);
  const std::uint64_t slot = task.OnDisk.Slot * this->SlotSize;
  this->Disk.Take({ slot + task.OnDisk.Begin, task.OnDisk.End - task.OnDisk.Begin });
}

// What was released must not come back because an older task wanted it.
void HostAgent::ForgetReleased(const PrepareMemory& task)
{
  for (const auto& one : task.Release)
  {
    const Range released = this->Locate(one);
    std::erase_if(this->ToPopulate, [&](const Range& range)
      { return range.Begin / this->SlotSize == released.Begin / this->SlotSize; });
  }
}

// They were reserved before.
void HostAgent::PopulateSome(Range range)
{
  this->Memory.MapExisting(range.Begin, range.Size);
}

}
