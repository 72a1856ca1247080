// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Host/ShareWriter.h"

#include "Base/Clock.h"
#include "Base/Error.h"
#include "Base/Threads.h"
#include "Mapping/Stripes.h"
#include "Memory/SegmentLayout.h"
#include "Memory/SharedNumber.h"
#include "Memory/SlotEnding.h"
#include "Protocol/SnapshotPlaces.h"
#include "Server/Host/DirectFile.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace dsm
{

namespace
{
// The most bytes of one write, which begin at a multiple of it in the file where there are more.
constexpr std::uint64_t Step = UINT64_C(8) << 20;
// How often it is said how far a share is.
constexpr Seconds ReportInterval(0.2);
// How long a thread that is to end may take to its next step.
constexpr Seconds EndLimit(5);

// What is consecutive both in memory and in a file.
struct Run
{
  std::uint64_t File = 0;
  std::uint64_t Offset = 0;
  const std::byte* Source = nullptr;
  std::uint64_t Size = 0;

  bool IsContinuedBy(const Run& next) const
  {
    return this->File == next.File && this->Offset + this->Size == next.Offset &&
      this->Source + this->Size == next.Source;
  }
};

// The files of a share, those that it has bytes of. Bytes that follow each other are written
// together.
class Files
{
public:
  // `wrote` is told how many bytes, behind each write, and before the first: what it throws ends
  // it.
  Files(const std::vector<FileOnDisk>& known, const std::function<void(std::uint64_t)>& wrote)
    : Known(known)
    , Open(known.size())
    , Wrote(wrote)
  {
  }

  void Add(const Run& run)
  {
    if (this->Pending.IsContinuedBy(run))
    {
      this->Pending.Size += run.Size;
      return;
    }
    this->Flush();
    this->Pending = run;
  }

  void Close()
  {
    this->Flush();
    for (const auto& file : this->Open)
    {
      if (file)
      {
        file->Close();
      }
    }
  }

private:
  void Flush()
  {
    Run run = std::exchange(this->Pending, {});
    if (run.Size == 0)
    {
      return;
    }
    auto& file = this->Open[run.File];
    if (!file)
    {
      file = std::make_unique<DirectFile>(this->Known[run.File]);
      this->Wrote(0);
    }
    while (run.Size > 0)
    {
      const std::uint64_t done =
        file->Write(run.Offset, run.Source, std::min(run.Size, Step - run.Offset % Step));
      run.Offset += done;
      run.Source += done;
      run.Size -= done;
      this->Wrote(done);
    }
  }

  const std::vector<FileOnDisk>& Known;
  std::vector<std::unique_ptr<DirectFile>> Open;
  const std::function<void(std::uint64_t)>& Wrote;
  Run Pending;
};
}

// With a thread that may outlive the writer.
class ShareWriter::Implementation : public std::enable_shared_from_this<Implementation>
{
public:
  Implementation(
    const std::byte* memory, std::uint64_t slotSize, std::uint64_t slotCount, Report report)
    : Memory(memory)
    , SlotSize(slotSize)
    , Layout(slotSize, slotCount)
    , Tell(std::move(report))
  {
  }

  void Add(WriteShare share);
  void Cancel(std::uint64_t ticket);
  void End();

private:
  void Run();
  void CarryOut(const WriteShare& share);
  void WriteAll(const WriteShare& share, ShareWritten& report);
  bool Holds(const WriteShare& share) const;
  SharedNumber NumberOf(const SlotTable& table, SlotIndex slot) const;
  void TellUnlessEnding(const ShareWritten& report);

  const std::byte* const Memory;
  const std::uint64_t SlotSize;
  const SegmentLayout Layout;
  const Report Tell;

  std::mutex Guard;
  std::condition_variable Wake;
  std::deque<WriteShare> Waiting;
  bool Started = false; ///< there is a thread
  bool Ended = false;   ///< and it is none any more
  std::mutex Telling;   ///< held while something is reported
  std::atomic<bool> Ending{ false };
  std::atomic<std::uint64_t> Underway{ 0 }; ///< ticket; 0: nothing is, or it was cancelled
};

void ShareWriter::Implementation::Add(WriteShare share)
{
  const std::lock_guard lock(this->Guard);
  if (this->Ending)
  {
    return;
  }
  this->Waiting.push_back(std::move(share));
  this->Wake.notify_all();
  if (!std::exchange(this->Started, true))
  {
    const SignalsBlocked quiet;
    std::thread([self = this->shared_from_this()] { self->Run(); }).detach();
  }
}

void ShareWriter::Implementation::Cancel(std::uint64_t ticket)
{
  ShareWritten cancelled;
  {
    const std::lock_guard lock(this->Guard);
    if (std::erase_if(
          this->Waiting, [&](const WriteShare& share) { return share.Ticket == ticket; }) == 0)
    {
      // Whoever writes it sees that, and says so.
      std::uint64_t expected = ticket;
      this->Underway.compare_exchange_strong(expected, 0);
      return;
    }
  }
  cancelled.Ticket = ticket;
  cancelled.Done = true;
  this->TellUnlessEnding(cancelled);
}

void ShareWriter::Implementation::End()
{
  {
    const std::lock_guard telling(this->Telling);
    this->Ending = true;
  }
  std::unique_lock lock(this->Guard);
  this->Wake.notify_all();
  this->Wake.wait_for(lock, EndLimit, [this] { return !this->Started || this->Ended; });
}

void ShareWriter::Implementation::Run()
{
  LowerPriority();
  std::unique_lock lock(this->Guard);
  for (;;)
  {
    this->Wake.wait(lock, [this] { return this->Ending || !this->Waiting.empty(); });
    if (this->Ending)
    {
      break;
    }
    const WriteShare share = std::move(this->Waiting.front());
    this->Waiting.pop_front();
    this->Underway = share.Ticket;
    lock.unlock();
    this->CarryOut(share);
    lock.lock();
  }
  this->Ended = true;
  this->Wake.notify_all();
}

void ShareWriter::Implementation::TellUnlessEnding(const ShareWritten& report)
{
  const std::lock_guard telling(this->Telling);
  if (!this->Ending)
  {
    this->Tell(report);
  }
}

void ShareWriter::Implementation::CarryOut(const WriteShare& share)
{
  ShareWritten report;
  report.Ticket = share.Ticket;
  try
  {
    this->WriteAll(share, report);
  }
  catch (const Error& error)
  {
    report.Failure = error.what();
    report.IsElsewhere = error.GetFault() == Fault::Unsupported;
  }
  catch (const std::exception& error)
  {
    report.Failure = error.what();
  }
  this->Underway = 0;
  report.Done = true;
  this->TellUnlessEnding(report);
}

void ShareWriter::Implementation::WriteAll(const WriteShare& share, ShareWritten& report)
{
  const SnapshotPlaces places(share.Snapshot, this->SlotSize);
  const AddressMap stripes =
    StripesOver(share.Files.size(), share.StripeSize, share.Snapshot.FileSize);
  auto told = Clock::now();
  const std::function<void(std::uint64_t)> wrote = [&](std::uint64_t bytes)
  {
    report.Bytes += bytes;
    if (this->Ending || this->Underway != share.Ticket)
    {
      throw Error(Fault::System, "it was given up");
    }
    if (Clock::now() - told > ReportInterval)
    {
      this->TellUnlessEnding(report);
      told = Clock::now();
    }
  };
  Files files(share.Files, wrote);
  places.ForEachRun(FileOffset(share.Begin), share.End - share.Begin,
    [&](HostIndex host, std::uint64_t offset, std::uint64_t position, std::uint64_t length)
    {
      if (host != share.Host)
      {
        return;
      }
      stripes.ForEachRun(FileOffset(share.Begin + position), length,
        [&](std::uint64_t file, std::uint64_t place, std::uint64_t done, std::uint64_t run)
        { files.Add({ file, place, this->Memory + offset + done, run }); });
    });
  files.Close();
  wrote(0);
  report.HasMoved = !this->Holds(share);
}

SharedNumber ShareWriter::Implementation::NumberOf(const SlotTable& table, SlotIndex slot) const
{
  return table.In(const_cast<std::byte*>(this->Memory), slot);
}

// Behind what was written: whether it was the snapshot's, as who reads one sees it (SnapshotFence),
// in this host's own memory.
bool ShareWriter::Implementation::Holds(const WriteShare& share) const
{
  const SnapshotDescription& snapshot = share.Snapshot;
  const auto& shared = snapshot.Shared;
  if (share.Host == 0 && shared &&
    SlotEnding(this->NumberOf(this->Layout.Endings, shared->Slot)).IsAlone(shared->Generation))
  {
    throw Error(Fault::PeerLost,
      "its file was changed further, and its writer had no answer from "
      "the server");
  }
  return this->NumberOf(this->Layout.Generations, snapshot.Slot).Load() == snapshot.Generation;
}

ShareWriter::ShareWriter(
  const std::byte* memory, std::uint64_t slotSize, std::uint64_t slotCount, Report report)
  : Self(std::make_shared<Implementation>(memory, slotSize, slotCount, std::move(report)))
{
}

ShareWriter::~ShareWriter()
{
  this->End();
}

void ShareWriter::End()
{
  this->Self->End();
}

void ShareWriter::Add(WriteShare share)
{
  this->Self->Add(std::move(share));
}

void ShareWriter::Cancel(std::uint64_t ticket)
{
  this->Self->Cancel(ticket);
}

}
