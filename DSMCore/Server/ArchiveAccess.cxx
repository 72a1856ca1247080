// SPDX-License-Identifier: BSD-3-Clause
#include "Server/ArchiveAccess.h"

#include "Base/Deadline.h"
#include "Base/Error.h"
#include "Server/CoreRunner.h"

#include <algorithm>
#include <utility>

namespace dsm
{

namespace
{
// When hosts write to disk: how long without a byte, and how often their progress is looked at.
constexpr Seconds DiskStallLimit(60);
constexpr Seconds LookInterval(0.2);
}

void ArchiveAccess::Offer(bool offered) const
{
  if (this->Runner)
  {
    this->Runner->Router().Do([&] { this->Runner->Core().Storage.OfferSaving(offered); });
  }
}

std::optional<SaveOrder> ArchiveAccess::WaitForOrder() const
{
  if (!this->Runner)
  {
    return std::nullopt;
  }
  StorageService& storage = this->Runner->Core().Storage;
  for (;;)
  {
    std::optional<std::uint64_t> known;
    {
      RequestRouter::Visit visit(this->Runner->Router());
      for (; this->Runner->Core().State.IsOpen && !known;)
      {
        known = storage.TakeKnown();
        if (known)
        {
          break;
        }
        // Snapshots that were ordered before the end are still written.
        auto next = storage.TakeSaveOrder();
        if (next || !storage.OffersSaving())
        {
          return next;
        }
        visit.WaitAsDiskWriter(storage.NextSaveTry());
      }
    }
    if (!known)
    {
      return std::nullopt;
    }
    // The server knows of it by itself, and whoever ordered it hears so when this thread comes by.
    Outcome outcome;
    outcome.Number = *known;
    outcome.Applied = true;
    this->Runner->Steering().Saved(std::move(outcome));
  }
}

void ArchiveAccess::NoteSaving(std::uint64_t bytes) const
{
  if (this->Runner)
  {
    this->Runner->Router().Do([&] { this->Runner->Core().Storage.NoteSaving(bytes); });
  }
}

void ArchiveAccess::Done(
  const SaveOrder& order, const std::string& path, const std::string& failure) const
{
  if (!this->Runner)
  {
    return;
  }
  this->Runner->Router().Do([&] { this->Runner->Core().Storage.SaveDone(order, failure); });
  if (order.OfMany)
  {
    return;
  }
  Outcome outcome;
  outcome.Number = order.Ticket;
  outcome.Applied = failure.empty();
  outcome.Step = static_cast<std::int64_t>(order.Snapshot.Step);
  if (outcome.Applied)
  {
    outcome.Detail = { path, order.Snapshot.Number, order.Snapshot.FileName,
      order.Snapshot.FileSize, {} };
  }
  else
  {
    outcome.Refusals.push_back({ "write to disk", failure });
  }
  this->Runner->Steering().Saved(std::move(outcome));
}

bool ArchiveAccess::WriteByHosts(
  const WriteShare& share, const std::function<void(std::uint64_t)>& wrote) const
{
  if (!this->Runner)
  {
    throw Error(Fault::Usage, "only a running server's first rank has hosts write");
  }
  RequestRouter& router = this->Runner->Router();
  HostService& hosts = this->Runner->Core().Hosts;
  const std::uint64_t ticket = router.Do([&] { return hosts.BeginShares(share); });
  try
  {
    this->AwaitShares(ticket, wrote);
  }
  catch (...)
  {
    router.Do([&] { hosts.EndShares(ticket, true); });
    throw;
  }
  return router.Do(
    [&]
    {
      const bool hasMoved = hosts.Shares(ticket).HasMoved;
      hosts.EndShares(ticket, false);
      return !hasMoved;
    });
}

void ArchiveAccess::AwaitShares(
  std::uint64_t ticket, const std::function<void(std::uint64_t)>& wrote) const
{
  ServerCore& core = this->Runner->Core();
  std::uint64_t told = 0;
  Deadline stalled(DiskStallLimit);
  for (;;)
  {
    ShareTasks::State now;
    bool ends = false;
    {
      RequestRouter::Visit visit(this->Runner->Router());
      const Deadline look(LookInterval);
      const auto isNews = [&]
      {
        now = core.Hosts.Shares(ticket);
        ends = !core.State.IsOpen;
        return ends || now.Missing == 0 || !now.Failure.empty();
      };
      while (!isNews() && !look.Expired())
      {
        visit.WaitAsReader(look.TimePoint());
      }
    }
    if (!now.Failure.empty())
    {
      throw Error(now.IsElsewhere ? Fault::Unsupported : Fault::System, "{}", now.Failure);
    }
    if (ends)
    {
      throw Error(Fault::System, "the server ends");
    }
    wrote(now.Bytes - std::min(told, now.Bytes));
    if (now.Bytes > told)
    {
      told = now.Bytes;
      stalled = Deadline(DiskStallLimit);
    }
    else if (now.Missing > 0 && stalled.Expired())
    {
      throw Error(Fault::TimedOut, "no host has written a byte for {:.3g} s: does the disk hang?",
        DiskStallLimit.count());
    }
    if (now.Missing == 0)
    {
      return;
    }
  }
}

}
