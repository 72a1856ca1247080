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

// Where the files are that are in memory.
QString Whereabouts(const pqDSMStatus& status)
{
  const auto& all = status.Snapshots;
  const auto onDisk =
    std::count_if(all.begin(), all.end(), [](const auto& one) { return one.Saved; });
  if (!status.DiskTrouble.isEmpty())
  {
    return (status.WaitingForDisk == 1 ? Translated("%1 file could not be saved to disk yet: %2.")
                                       : Translated("%1 files could not be saved to disk yet: %2."))
      .arg(status.WaitingForDisk)
      .arg(status.DiskTrouble);
  }
  if (onDisk == 0 && status.WaitingForDisk == 0)
  {
    const bool wanted = !status.AlsoOnDisk.isEmpty() && status.AlsoOnDisk != "none";
    return wanted && all.empty() ? Translated("Saving to disk: %1.").arg(status.AlsoOnDisk)
                                 : Translated("Not saved to disk.");
  }
  const QString saved = onDisk == all.size()
    ? Translated("All %1 snapshots also saved to disk.").arg(all.size())
    : Translated("%1 of %2 snapshots also saved to disk.").arg(onDisk).arg(all.size());
  return status.WaitingForDisk == 0
    ? saved
    : (status.WaitingForDisk == 1 ? Translated("%1 Saving %2 file.")
                                  : Translated("%1 Saving %2 files."))
        .arg(saved)
        .arg(status.WaitingForDisk);
}

// How many more snapshots of the usual size fit the memory that is free now.
qint64 Room(const pqDSMStatus& status)
{
  const auto& all = status.Snapshots;
  const qint64 size = std::accumulate(all.begin(), all.end(), qint64(0),
    [](qint64 sum, const auto& one) { return sum + one.FileSize; });
  const qint64 files = std::max<qint64>(status.keptFiles(), 1);
  // Snapshots of the same file share what has not changed between them.
  const qint64 own = std::min(size, status.MemoryUsed);
  const qint64 usual = std::max<qint64>(own / all.size(), 1);
  const qint64 byMemory = (status.MemoryBudget - status.MemoryUsed) / usual;
  const qint64 byNumber = (status.MaximumSnapshots - files) * all.size() / files;
  return std::max<qint64>(0, std::min(byMemory, byNumber));
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
  return (written == 1 ? Translated("%1 file received · %2 viewed · %3 dropped before viewing")
                       : Translated("%1 files received · %2 viewed · %3 dropped before viewing"))
    .arg(written)
    .arg(written - unseen)
    .arg(gone);
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
  const qint64 room = Room(status);
  const double elapsed = all.back().SealedAt - all.front().SealedAt;
  const bool isWritten = !status.Writers.isEmpty() && all.size() > 1 && elapsed > 0;
  const double pause = elapsed / static_cast<double>(std::max<qsizetype>(all.size() - 1, 1));
  const QString then = status.WhenFull == "block" ? Translated("the simulation waits")
    : status.WhenFull.contains("newest")          ? Translated("new ones are dropped")
                                                  : Translated("the oldest are dropped");
  if (room == 0)
  {
    return Translated("%1 No room for more: %2.").arg(where, then);
  }
  const QString left = isWritten
    ? Translated(" (about %1)").arg(pqDSMText::duration(static_cast<double>(room) * pause))
    : QString();
  return (room == 1 ? Translated("%1 Room for %2 more snapshot%3; after that %4.")
                    : Translated("%1 Room for %2 more snapshots%3; after that %4."))
    .arg(where)
    .arg(room)
    .arg(left, then);
}
