// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMPinRules.h"

#include "pqDSMServerProxy.h"

namespace
{
// One part of so many may be pinned.
constexpr int Parts = 3;

/// Says of one snapshot after the other whether there is room to pin it.
class Room
{
public:
  explicit Room(const pqDSMStatus& status)
    : Bytes(status.MemoryBudget / Parts)
    , Files(status.MaximumSnapshots == 0 ? status.keptFiles() + 1 : status.MaximumSnapshots / Parts)
  {
    for (const auto& snapshot : status.Snapshots)
    {
      if (snapshot.Pinned)
      {
        this->take(snapshot);
      }
    }
  }

  bool take(const pqDSMStatus::Snapshot& snapshot)
  {
    this->Bytes -= snapshot.FileSize;
    this->Files -= snapshot.Files;
    return this->Bytes >= 0 && this->Files >= 0;
  }

private:
  qint64 Bytes; ///< left
  qint64 Files; ///< left
};
}

void pqDSMPinRules::set(const QString& stream, int interval)
{
  this->Rules.remove(stream);
  this->Seen.clear();
  if (interval > 0)
  {
    this->Rules.insert(stream, { interval, 0, 0 });
  }
}

void pqDSMPinRules::update(pqDSMServerProxy& server)
{
  const auto& status = server.status();
  if (!status.running())
  {
    this->Rules.clear();
  }
  if (this->Rules.empty() || pqDSMStatus::isSame(this->Seen, status.Snapshots))
  {
    return;
  }
  this->Seen = status.Snapshots;
  Room room(status);
  QVector<qint64> pin;
  for (const auto& snapshot : this->Seen)
  {
    const auto rule = this->Rules.find(snapshot.Stream);
    if (rule == this->Rules.end() || snapshot.Number <= rule->Newest)
    {
      continue;
    }
    rule->Newest = snapshot.Number;
    if (rule->Count++ % rule->Interval == 0 && !snapshot.Pinned && room.take(snapshot))
    {
      pin.append(snapshot.Number);
    }
  }
  if (!pin.empty())
  {
    server.changePins(pin, {});
  }
}
