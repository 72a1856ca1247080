// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSnapshotCounts.h"

#include "pqDSMText.h"

#include <QCoreApplication>

#include <algorithm>
#include <numeric>

namespace
{
QString Translated(const char* text)
{
  return QCoreApplication::translate("pqDSMSnapshotCounts", text);
}

// "40 s", "5 minutes", "3 hours"
QString Duration(double seconds)
{
  if (seconds < 100)
  {
    return Translated("%1 s").arg(std::max(1.0, seconds), 0, 'f', 0);
  }
  return seconds < 100 * 60 ? Translated("%1 minutes").arg(seconds / 60, 0, 'f', 0)
                            : Translated("%1 hours").arg(seconds / 3600, 0, 'f', 0);
}

// Where the files are that are in memory.
QString Whereabouts(const pqDSMStatus& status)
{
  const auto& all = status.Snapshots;
  const auto onDisk =
    std::count_if(all.begin(), all.end(), [](const auto& one) { return one.Saved; });
  if (!status.DiskTrouble.isEmpty())
  {
    return Translated("Not on disk yet, though wanted there: %1 (%2).")
      .arg(status.WaitingForDisk)
      .arg(status.DiskTrouble);
  }
  if (onDisk == 0 && status.WaitingForDisk == 0)
  {
    const bool wanted = !status.AlsoOnDisk.isEmpty() && status.AlsoOnDisk != "none";
    return wanted && all.empty() ? Translated("On disk as well: %1.").arg(status.AlsoOnDisk)
                                 : Translated("In memory only, not on disk.");
  }
  const QString there = onDisk == all.size()
    ? Translated("In memory, and all on disk as well.")
    : Translated("In memory, and %1 of %2 on disk as well.").arg(onDisk).arg(all.size());
  return status.WaitingForDisk == 0
    ? there
    : Translated("%1 %2 more are being written.").arg(there).arg(status.WaitingForDisk);
}

// How many snapshots like those that are there have room.
double Room(const pqDSMStatus& status)
{
  const auto& all = status.Snapshots;
  const double size = std::accumulate(all.begin(), all.end(), 0.0,
    [](double sum, const auto& one) { return sum + static_cast<double>(one.FileSize); });
  const auto count = static_cast<double>(all.size());
  const double byMemory =
    size > 0 ? static_cast<double>(status.MemoryBudget) * count / size : count;
  const double byNumber = static_cast<double>(status.MaximumSnapshots) * count /
    static_cast<double>(std::max<qint64>(status.keptFiles(), 1));
  return std::max(1.0, std::min(byMemory, byNumber));
}
}

void pqDSMSnapshotCounts::update(const pqDSMStatus& status, const QVector<qint64>& shown)
{
  if (!status.running() || status.SnapshotsSealed < this->Status.SnapshotsSealed)
  {
    this->Shown.clear();
  }
  this->Status = status;
  // The number of what a reader shows may be of a server before.
  for (const auto& snapshot : status.Snapshots)
  {
    if (shown.contains(snapshot.Number))
    {
      this->Shown[snapshot.Number] = snapshot.Files;
    }
  }
}

QString pqDSMSnapshotCounts::text() const
{
  if (!this->Status.running() || this->Status.SnapshotsSealed == 0)
  {
    return {};
  }
  const qint64 written = this->Status.SnapshotsSealed;
  const qint64 shown = std::accumulate(this->Shown.begin(), this->Shown.end(), qint64(0));
  qint64 waiting = 0; // not shown, and still there
  for (const auto& snapshot : this->Status.Snapshots)
  {
    waiting += this->Shown.contains(snapshot.Number) ? 0 : snapshot.Files;
  }
  const qint64 unseen = std::max<qint64>(written - shown, 0);
  const qint64 gone = std::max<qint64>(unseen - waiting, 0);
  const QString numbers =
    Translated("%1 written: %2 shown, %3 not shown").arg(written).arg(written - unseen).arg(unseen);
  return gone == 0 ? numbers : numbers + Translated(" (%1 of them gone)").arg(gone);
}

QString pqDSMSnapshotCounts::retention(const pqDSMStatus& status)
{
  if (!status.running())
  {
    return {};
  }
  QString where = Whereabouts(status);
  const auto& all = status.Snapshots;
  if (all.empty())
  {
    return where;
  }
  const double room = Room(status);
  const double elapsed = all.back().SealedAt - all.front().SealedAt;
  const bool isWritten = !status.Writers.isEmpty() && all.size() > 1 && elapsed > 0;
  const double pause = elapsed / static_cast<double>(std::max<qsizetype>(all.size() - 1, 1));
  const QString amount =
    (isWritten ? Translated("about %1 (%2 at this rate)") : Translated("about %1"))
      .arg(room, 0, 'f', 0);
  const QString then = status.WhenFull == "block" ? Translated("then the simulation waits")
    : status.WhenFull.contains("newest")          ? Translated("then new ones are not kept")
                                                  : Translated("then the oldest are dropped");
  return Translated("%1 There is room for %2; %3.")
    .arg(where, isWritten ? amount.arg(Duration(room * pause)) : amount, then);
}
