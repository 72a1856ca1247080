// SPDX-License-Identifier: BSD-3-Clause
#include "Session/SaveOrders.h"

#include "Session/SnapshotTable.h"
#include "Session/StreamBook.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace dsm
{

std::string SaveOrders::OrderNewest(SaveOrder order, SnapshotTable& snapshots)
{
  const auto* const found = snapshots.NewestMatching(order.File);
  if (!found)
  {
    return snapshots.Size() == 0
      ? std::string("needs a snapshot, and there is none yet: ask for the next")
      : fmt::format("finds no snapshot of a file that fits \"{}\"", order.File);
  }
  order.Snapshot = snapshots.Described(found->Number);
  snapshots.Retain(found->Number);
  this->Ready.push_back(std::move(order));
  return {};
}

bool SaveOrders::Entered(const SnapshotDescription& snapshot, SnapshotTable& snapshots)
{
  return std::erase_if(this->Awaited,
           [&](SaveOrder& order)
           {
             const bool met = FitsStream(order.File, snapshot.FileName, snapshot.Stream);
             if (met)
             {
               snapshots.Retain(snapshot.Number);
               order.Snapshot = snapshot;
               this->Ready.push_back(std::move(order));
             }
             return met;
           }) > 0;
}

std::optional<SaveOrder> SaveOrders::TakeReady()
{
  if (this->Ready.empty())
  {
    return std::nullopt;
  }
  auto order = std::move(this->Ready.front());
  this->Ready.pop_front();
  return order;
}

}
