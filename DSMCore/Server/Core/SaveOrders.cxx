// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/SaveOrders.h"

#include "Base/Error.h"
#include "Encoding/Fields.h"
#include "Server/Core/SnapshotTable.h"
#include "Server/Core/StreamBook.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace dsm
{

void Describe(Fields& fields, StandingOrder& order)
{
  fields("Ticket", order.Ticket);
  fields("Rule", order.Rule);
  fields("Hold", order.Hold);
  fields("Path", order.Path);
  fields("Form", order.Form);
  fields("Written", order.Written);
  fields("Waiting", order.Waiting);
  fields("Failure", order.Failure);
}

std::string SaveOrders::Order(
  std::uint64_t ticket, const SaveRequest& request, SnapshotTable& snapshots)
{
  SaveOrder order{ ticket, request.Path, request.Form, false, {} };
  if (request.When == "newest")
  {
    return this->OrderNewest(std::move(order), request.File, snapshots);
  }
  if (request.When == "number")
  {
    return this->OrderNumber(std::move(order), SnapshotId(request.Number), snapshots);
  }
  if (request.When == "next")
  {
    this->OrderNext(std::move(order), request.File, snapshots);
    return {};
  }
  if (request.When == "each" || request.When == "end")
  {
    return this->OrderStanding(ticket, request, snapshots);
  }
  return fmt::format(
    "can be newest (the last snapshot), next, number, each or end, not \"{}\"", request.When);
}

std::string SaveOrders::OrderStanding(
  std::uint64_t ticket, const SaveRequest& request, SnapshotTable& snapshots)
{
  std::string refusal;
  try
  {
    if (request.When == "each")
    {
      this->OrderEach(
        { ticket, request.Rule, request.Hold, request.Path, request.Form, 0, 0, {} }, snapshots);
    }
    else
    {
      refusal = this->EndEach(request.Number, snapshots);
    }
  }
  catch (const Error& error)
  {
    refusal = fmt::format("does not say what: {}", error.what());
  }
  if (refusal.empty())
  {
    this->Known.push_back(ticket);
  }
  return refusal;
}

std::optional<std::uint64_t> SaveOrders::TakeKnown()
{
  if (this->Known.empty())
  {
    return std::nullopt;
  }
  const std::uint64_t ticket = this->Known.back();
  this->Known.pop_back();
  return ticket;
}

std::string SaveOrders::OrderNewest(
  SaveOrder order, const std::string& file, SnapshotTable& snapshots)
{
  const auto* const found = snapshots.NewestMatching(file);
  if (!found)
  {
    return snapshots.Size() == 0
      ? std::string("needs a snapshot, and there is none yet: ask for the next")
      : fmt::format("finds no snapshot of a file that fits \"{}\"", file);
  }
  return this->OrderNumber(std::move(order), found->Number, snapshots);
}

std::string SaveOrders::OrderNumber(SaveOrder order, SnapshotId number, SnapshotTable& snapshots)
{
  if (!snapshots.Find(number))
  {
    return fmt::format("finds no snapshot {} in memory", number);
  }
  order.Snapshot = snapshots.Described(number);
  snapshots.Retain(number);
  this->Ready.push_back(std::move(order));
  return {};
}

void SaveOrders::OrderNext(SaveOrder order, const std::string& file, const SnapshotTable& snapshots)
{
  this->Next.push_back({ std::move(order), file, snapshots.LastNumber() });
}

void SaveOrders::OrderEach(const StandingOrder& order, SnapshotTable& snapshots)
{
  Each each;
  each.Order = order;
  each.Queue.SetRule(order.Rule, [](std::uint64_t) { return false; }, snapshots);
  this->Many.push_back(std::move(each));
}

std::string SaveOrders::EndEach(std::uint64_t ticket, SnapshotTable& snapshots)
{
  const auto found = std::find_if(this->Many.begin(), this->Many.end(),
    [&](const Each& each) { return each.Order.Ticket == ticket && !each.Ended; });
  if (found == this->Many.end())
  {
    return fmt::format("finds no order {} that goes on", ticket);
  }
  found->Ended = true;
  found->Queue.SetRule("none", {}, snapshots);
  return {};
}

void SaveOrders::Entered(SnapshotId number, SnapshotTable& snapshots)
{
  for (Each& each : this->Many)
  {
    each.Queue.Entered(number, snapshots);
  }
}

void SaveOrders::Come(const SnapshotDescription& whole, SnapshotTable& snapshots)
{
  std::erase_if(this->Next,
    [&](Awaited& awaited)
    {
      const bool met = whole.Number > awaited.After &&
        FitsStream(awaited.File, whole.FileName, whole.Stream, whole.Run);
      if (met)
      {
        snapshots.Retain(whole.Number);
        awaited.Order.Snapshot = whole;
        this->Ready.push_back(std::move(awaited.Order));
      }
      return met;
    });
}

void SaveOrders::Told(const SnapshotDescription& whole, SnapshotTable& snapshots)
{
  for (Each& each : this->Many)
  {
    each.Queue.Told(whole, snapshots);
  }
}

void SaveOrders::Recount(SnapshotTable& snapshots)
{
  for (Each& each : this->Many)
  {
    each.Queue.Recount(snapshots);
  }
}

void SaveOrders::Renamed(const SnapshotRenamed& renamed, SnapshotTable& snapshots)
{
  for (Each& each : this->Many)
  {
    each.Queue.Renamed(renamed, snapshots);
    if (each.Written.contains(renamed.Number))
    {
      each.Renamed.insert(renamed.Number);
    }
  }
}

void SaveOrders::ForgetReplaced(SnapshotTable& snapshots)
{
  for (Each& each : this->Many)
  {
    each.Queue.ForgetReplaced(snapshots);
  }
}

std::optional<std::string> SaveOrders::Left(SnapshotId number)
{
  std::optional<std::string> why;
  for (Each& each : this->Many)
  {
    if (auto its = each.Queue.Left(number))
    {
      why = std::move(its);
    }
  }
  return why;
}

std::optional<SaveOrder> SaveOrders::Take(Time now, SnapshotTable& snapshots)
{
  if (!this->Ready.empty())
  {
    auto order = std::move(this->Ready.front());
    this->Ready.pop_front();
    return order;
  }
  if (auto rename = this->TakeRename(snapshots))
  {
    return rename;
  }
  std::erase_if(this->Many, [](const Each& each) { return each.Ended && each.Queue.IsEmpty(); });
  for (Each& each : this->Many)
  {
    if (const auto next = each.Queue.Begin(now, snapshots))
    {
      return SaveOrder{ each.Order.Ticket, each.Order.Path, each.Order.Form, true, *next };
    }
  }
  return std::nullopt;
}

std::optional<SaveOrder> SaveOrders::TakeRename(const SnapshotTable& snapshots)
{
  for (Each& each : this->Many)
  {
    while (!each.Renamed.empty())
    {
      const SnapshotId number = each.Renamed.extract(each.Renamed.begin()).value();
      if (const auto* snapshot = snapshots.Find(number))
      {
        return SaveOrder{ each.Order.Ticket, each.Order.Path, each.Order.Form, true, *snapshot,
          true };
      }
    }
  }
  return std::nullopt;
}

std::optional<SaveOrders::Time> SaveOrders::NextTry() const
{
  std::optional<Time> first;
  for (const Each& each : this->Many)
  {
    const auto next = each.Queue.NextTry();
    first = next && (!first || *next < *first) ? next : first;
  }
  return first;
}

// It may have been renamed while it was being written.
void SaveOrders::Each::NoteWritten(
  const SnapshotDescription& written, const SnapshotTable& snapshots)
{
  std::erase_if(this->Written, [&](SnapshotId number) { return !snapshots.Find(number); });
  if (const auto* now = snapshots.Find(written.Number))
  {
    this->Written.insert(now->Number);
    if (now->FileName != written.FileName)
    {
      this->Renamed.insert(now->Number);
    }
  }
}

void SaveOrders::Done(
  const SaveOrder& order, const std::string& failure, Time now, SnapshotTable& snapshots)
{
  if (!order.OfMany)
  {
    snapshots.Release(order.Snapshot.Number, false);
    return;
  }
  if (order.IsRename)
  {
    return;
  }
  for (Each& each : this->Many)
  {
    if (each.Order.Ticket == order.Ticket)
    {
      const auto how = failure.empty() ? DiskOutcome::Kind::Written : DiskOutcome::Kind::Failed;
      each.Order.Written += failure.empty() ? 1 : 0;
      each.Queue.End({ how, failure }, each.Order.Hold && !each.Ended, now, snapshots);
      if (failure.empty() && order.Snapshot.Parts.empty())
      {
        each.NoteWritten(order.Snapshot, snapshots);
      }
    }
  }
}

std::vector<StandingOrder> SaveOrders::Standing(Time now, const SnapshotTable& snapshots) const
{
  std::vector<StandingOrder> standing;
  for (const Each& each : this->Many)
  {
    if (!each.Ended)
    {
      StandingOrder order = each.Order;
      order.Waiting = each.Queue.Backlog(now, snapshots).Files.size();
      const auto& failures = each.Queue.Failures();
      order.Failure = failures.empty() ? "" : failures.begin()->second;
      standing.push_back(std::move(order));
    }
  }
  return standing;
}

}
