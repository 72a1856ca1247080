// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMStatus.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QObject>

#include <algorithm>
#include <numeric>

namespace
{
void Read(const QJsonValue& json, QString& value)
{
  value = json.toString(value);
}

void Read(const QJsonValue& json, qint64& value)
{
  value = json.toInteger();
}

void Read(const QJsonValue& json, double& value)
{
  value = json.toDouble();
}

void Read(const QJsonValue& json, pqDSMStatus::Snapshot& value)
{
  Read(json["Number"], value.Number);
  Read(json["FileName"], value.File);
  value.Files = std::max<qint64>(json["Parts"].toArray().size(), 1);
  Read(json["Step"], value.Step);
  Read(json["FileSize"], value.FileSize);
  Read(json["SealedAt"], value.SealedAt);
  Read(json["Stream"], value.Stream);
  Read(json["Run"], value.Run);
  Read(json["Program"], value.Program);
  const auto statistics = json["Statistics"];
  Read(statistics["Bytes"], value.Bytes);
  Read(statistics["WriteSeconds"], value.WriteSeconds);
  Read(statistics["BlockedSeconds"], value.BlockedSeconds);
}

// A value of a parameter, as JSON has it.
QString Text(const QJsonValue& value)
{
  const auto array = QJsonDocument(QJsonArray{ value }).toJson(QJsonDocument::Compact);
  return QString::fromUtf8(array.mid(1, array.size() - 2));
}

void Read(const QJsonValue& json, pqDSMStatus::Run& value)
{
  Read(json["Number"], value.Number);
  Read(json["Program"], value.Program);
  value.Restored = json["Restored"].toBool();
  const auto from = json["From"];
  Read(from["Run"], value.FromRun);
  Read(from["Program"], value.FromProgram);
  Read(from["Stream"], value.FromStream);
  Read(from["Snapshot"], value.FromSnapshot);
  Read(from["FileName"], value.FromFile);
  Read(from["Step"], value.FromStep);
  for (const auto& change : json["Changed"].toArray())
  {
    value.Changed << QObject::tr("%1: %2, now %3")
                       .arg(change.toObject()["name"].toString(), Text(change.toObject()["old"]),
                         Text(change.toObject()["new"]));
  }
}

void Read(const QJsonValue& json, pqDSMStatus::Restoring& value)
{
  Read(json["Path"], value.Path);
  Read(json["Bytes"], value.Bytes);
  Read(json["FileSize"], value.FileSize);
  Read(json["Number"], value.Number);
  Read(json["Failure"], value.Failure);
}

template <typename Value>
void Read(const QJsonValue& json, QList<Value>& values)
{
  for (const auto& each : json.toArray())
  {
    Read(QJsonValue(each), values.emplace_back());
  }
}

bool IsBefore(const pqDSMStatus::Snapshot& snapshot, qint64 number)
{
  return snapshot.Number < number;
}

// The numbers are in order, too.
void SetFlags(QVector<pqDSMStatus::Snapshot>& snapshots, const QVector<qint64>& numbers,
  bool pqDSMStatus::Snapshot::* flag)
{
  for (auto& snapshot : snapshots)
  {
    snapshot.*flag = std::binary_search(numbers.begin(), numbers.end(), snapshot.Number);
  }
}

// The snapshots that were known, without those that are gone, and as they are now. If nothing
// changed, this is the same list, which nobody copies.
QVector<pqDSMStatus::Snapshot> Merged(const QVector<pqDSMStatus::Snapshot>& known,
  const QVector<pqDSMStatus::Snapshot>& changed, QVector<qint64> gone)
{
  auto merged = known;
  if (!gone.empty())
  {
    std::sort(gone.begin(), gone.end());
    merged.removeIf([&](const auto& snapshot)
      { return std::binary_search(gone.begin(), gone.end(), snapshot.Number); });
  }
  for (const auto& snapshot : changed)
  {
    const auto place =
      std::lower_bound(merged.cbegin(), merged.cend(), snapshot.Number, IsBefore) - merged.cbegin();
    if (place == merged.size() || merged.at(place).Number != snapshot.Number)
    {
      merged.insert(place, snapshot);
    }
    else if (merged.at(place) != snapshot)
    {
      merged[place] = snapshot;
    }
  }
  return merged;
}
}

pqDSMStatus pqDSMStatus::parse(const QString& serverStatus, const pqDSMStatus& before)
{
  pqDSMStatus status;
  const auto json = QJsonDocument::fromJson(serverStatus.toUtf8()).object();
  Read(json["State"], status.State);
  Read(json["LastError"], status.LastError);
  Read(json["LastErrorAt"], status.LastErrorAt);
  const auto crashes = json["Crashes"].toArray();
  Read(crashes.isEmpty() ? QJsonValue() : crashes.last(), status.Crash);
  Read(json["Receiving"], status.Receiving);
  Read(json["WritersSeen"], status.WritersSeen);
  Read(json["SnapshotsSealed"], status.SnapshotsSealed);
  Read(json["SnapshotsDropped"], status.SnapshotsDropped);
  Read(json["WaitingSeconds"], status.WaitingSeconds);
  Read(json["WaitingForDisk"], status.WaitingForDisk);
  Read(json["DiskTrouble"], status.DiskTrouble);
  Read(json["Restored"], status.Restored);
  Read(json["MemoryUsed"], status.MemoryUsed);
  Read(json["MemoryBudget"], status.MemoryBudget);
  Read(json["OutgrownBytes"], status.OutgrownBytes);
  Read(json["Runs"], status.Runs);
  for (const auto& writer : json["Writers"].toArray())
  {
    Read(writer.toObject()["Run"], status.RunsConnected.emplace_back());
  }
  const auto snapshots = json["Snapshots"].toArray();
  if (!snapshots.isEmpty())
  {
    Read(snapshots.last()["Statistics"]["HostBytes"], status.HostBytes);
  }
  QVector<qint64> pinned;
  QVector<qint64> saved;
  QVector<Snapshot> changed;
  QVector<qint64> gone;
  Read(json["Pinned"], pinned);
  Read(json["Saved"], saved);
  Read(snapshots, changed);
  Read(json["Gone"], gone);
  Read(json["Revision"], status.Revision);
  SetFlags(changed, pinned, &Snapshot::Pinned);
  SetFlags(changed, saved, &Snapshot::Saved);
  const qint64 since = json["Since"].toInteger();
  if (since == 0)
  {
    status.Snapshots = changed;
  }
  else if (since == before.Revision)
  {
    status.Snapshots = Merged(before.Snapshots, changed, gone);
  }
  else
  {
    status.Snapshots = before.Snapshots;
    status.Revision = 0;
  }
  for (const auto& line : json["Transports"].toArray())
  {
    status.Transports.push_back(line.toString());
  }
  const auto map = json["Options"]["Map"];
  Read(map["Strategy"], status.Strategy);
  Read(map["BlockSize"], status.BlockSize);
  Read(json["Options"]["MaximumSnapshots"], status.MaximumSnapshots);
  Read(json["Options"]["WhenFull"], status.WhenFull);
  Read(json["Options"]["Files"]["Publish"], status.Publish);
  Read(json["Options"]["AlsoOnDisk"], status.AlsoOnDisk);
  return status;
}

const pqDSMStatus::Snapshot* pqDSMStatus::find(qint64 number) const
{
  const auto found =
    std::lower_bound(this->Snapshots.begin(), this->Snapshots.end(), number, IsBefore);
  return found == this->Snapshots.end() || found->Number != number ? nullptr : &*found;
}

qint64 pqDSMStatus::keptFiles() const
{
  return std::accumulate(this->Snapshots.begin(), this->Snapshots.end(), qint64(0),
    [](qint64 sum, const Snapshot& snapshot) { return sum + snapshot.Files; });
}
