// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSnapshotModel.h"

#include "pqDSMOrigin.h"
#include "pqDSMText.h"

#include <QApplication>
#include <QDateTime>
#include <QFileInfo>
#include <QFont>
#include <QPalette>

#include <algorithm>
#include <iterator>

namespace
{
// The internal number of what is not in a group: groups themselves, and the snapshots above them.
constexpr quintptr Top = 0;

// The row of a snapshot among those of its group, newest first; -1: it is not there.
qsizetype RowOf(const QVector<pqDSMStatus::Snapshot>& rows, qint64 number)
{
  const auto found = std::lower_bound(rows.begin(), rows.end(), number,
    [](const auto& one, qint64 wanted) { return one.Number > wanted; });
  return found != rows.end() && found->Number == number ? found - rows.begin() : -1;
}
}

// Two levels: a snapshot in a group has the group's place, counted from 1, as its internal number.
//
//     Flat 1:  snapshots of group 0      Flat 0:  group 0 - its snapshots
//              group 1 - its snapshots            group 1 - its snapshots

QString pqDSMSnapshotModel::key(const Group& group)
{
  return QString("%1 %2 %3")
    .arg(group.Of.Stream)
    .arg(group.Of.Current ? 0 : group.Of.Run)
    .arg(group.Of.Current);
}

// By so many rows a group stands below its number: the snapshots of the first one are in its place.
qsizetype pqDSMSnapshotModel::above() const
{
  return this->Flat == 1 && !this->Groups.empty() ? this->Groups.first().Rows.size() - 1 : 0;
}

QModelIndex pqDSMSnapshotModel::parentOf(int group) const
{
  if (group < this->Flat)
  {
    return {};
  }
  return this->createIndex(static_cast<int>(this->above()) + group, 0, Top);
}

QModelIndex pqDSMSnapshotModel::index(int row, int column, const QModelIndex& parent) const
{
  if (!this->hasIndex(row, column, parent))
  {
    return {};
  }
  const auto* group = this->groupOf(parent);
  return this->createIndex(row, column,
    parent.isValid() && group ? static_cast<quintptr>(group - this->Groups.data() + 1) : Top);
}

QModelIndex pqDSMSnapshotModel::parent(const QModelIndex& index) const
{
  return !index.isValid() || index.internalId() == Top
    ? QModelIndex()
    : this->parentOf(static_cast<int>(index.internalId()) - 1);
}

// The group that stands at a place; null for a snapshot.
const pqDSMSnapshotModel::Group* pqDSMSnapshotModel::groupOf(const QModelIndex& index) const
{
  if (!index.isValid() || index.internalId() != Top)
  {
    return nullptr;
  }
  const qsizetype group = index.row() - this->above();
  return group >= this->Flat && group < this->Groups.size() ? &this->Groups[group] : nullptr;
}

const pqDSMStatus::Snapshot* pqDSMSnapshotModel::snapshotAt(const QModelIndex& index) const
{
  if (!index.isValid() || this->Groups.empty() || this->groupOf(index))
  {
    return nullptr;
  }
  const qsizetype group = static_cast<qsizetype>(index.internalId()) - 1;
  if (group < 0 && this->Flat == 0)
  {
    return nullptr;
  }
  const auto& rows = this->Groups[std::max<qsizetype>(group, 0)].Rows;
  return index.row() < rows.size() ? &rows[index.row()] : nullptr;
}

QModelIndex pqDSMSnapshotModel::indexOf(qint64 number) const
{
  for (int group = 0; group < this->Groups.size(); ++group)
  {
    const auto row = RowOf(this->Groups[group].Rows, number);
    if (row >= 0)
    {
      return this->index(static_cast<int>(row), 0, this->parentOf(group));
    }
  }
  return {};
}

QVector<QModelIndex> pqDSMSnapshotModel::groups() const
{
  QVector<QModelIndex> groups;
  for (int group = this->Flat; group < this->Groups.size(); ++group)
  {
    groups.append(this->parentOf(group));
  }
  return groups;
}

int pqDSMSnapshotModel::rowCount(const QModelIndex& parent) const
{
  if (!parent.isValid())
  {
    return static_cast<int>(this->above() + this->Groups.size());
  }
  const auto* group = parent.column() == 0 ? this->groupOf(parent) : nullptr;
  return group ? static_cast<int>(group->Rows.size()) : 0;
}

int pqDSMSnapshotModel::columnCount(const QModelIndex&) const
{
  return Columns;
}

void pqDSMSnapshotModel::show(
  const QVector<pqDSMStreams::Group>& groups, const std::function<bool(const QString&)>& isWanted)
{
  QVector<Group> now;
  qsizetype current = 0;
  for (const auto& group : groups)
  {
    now.append({ group, group.Current && isWanted(group.Stream), {} });
    current += group.Current ? 1 : 0;
  }
  // A group says what its run began from.
  const bool tells = !groups.empty() && groups.first().TellsOrigin;
  const int flat = current <= 1 && !tells ? 1 : 0;
  const bool same = flat == this->Flat &&
    std::equal(now.begin(), now.end(), this->Groups.begin(), this->Groups.end(),
      [](const Group& one, const Group& other) { return key(one) == key(other); });
  if (!same)
  {
    this->beginResetModel();
    this->Flat = flat;
    for (auto& group : now)
    {
      group.Rows = { group.Of.Snapshots.rbegin(), group.Of.Snapshots.rend() };
    }
    this->Groups = now;
    this->endResetModel();
    this->lookForTimes();
    return;
  }
  bool changed = false;
  for (int group = 0; group < now.size(); ++group)
  {
    auto& known = this->Groups[group];
    const bool sameRows = pqDSMStatus::isSame(known.Of.Snapshots, now[group].Of.Snapshots);
    changed = changed || !sameRows;
    const bool sameTitle = sameRows && known.Wanted == now[group].Wanted &&
      known.Of.Origin == now[group].Of.Origin && known.Of.TellsOrigin == now[group].Of.TellsOrigin;
    known.Wanted = now[group].Wanted;
    known.Of = now[group].Of;
    if (!sameRows)
    {
      this->showRows(group);
    }
    if (!sameTitle && group >= this->Flat)
    {
      const auto index = this->parentOf(group);
      Q_EMIT this->dataChanged(index, index);
    }
  }
  if (changed)
  {
    this->lookForTimes();
  }
}

// Removes the rows of snapshots that are gone; from the oldest on, as they go.
void pqDSMSnapshotModel::removeRows(int number)
{
  auto& group = this->Groups[number];
  const auto& now = group.Of.Snapshots;
  const auto isGone = [&](const pqDSMStatus::Snapshot& row)
  {
    const auto found = std::lower_bound(now.begin(), now.end(), row.Number,
      [](const auto& one, qint64 wanted) { return one.Number < wanted; });
    return found == now.end() || found->Number != row.Number || found->SealedAt != row.SealedAt;
  };
  for (qsizetype end = group.Rows.size(); end > 0;)
  {
    qsizetype first = end;
    while (first > 0 && isGone(group.Rows[first - 1]))
    {
      --first;
    }
    if (first < end)
    {
      this->beginRemoveRows(
        this->parentOf(number), static_cast<int>(first), static_cast<int>(end - 1));
      group.Rows.remove(first, end - first);
      this->endRemoveRows();
    }
    end = first - 1;
  }
}

// Changes the rows of a group, and no others, to what it has now.
void pqDSMSnapshotModel::showRows(int number)
{
  this->removeRows(number);
  auto& group = this->Groups[number];
  const QVector<pqDSMStatus::Snapshot> now{ group.Of.Snapshots.rbegin(),
    group.Of.Snapshots.rend() };
  QVector<qsizetype> others;
  for (qsizetype row = 0; row < now.size();)
  {
    qsizetype end = row;
    while (
      end < now.size() && (row == group.Rows.size() || now[end].Number != group.Rows[row].Number))
    {
      ++end;
    }
    if (end > row)
    {
      this->beginInsertRows(
        this->parentOf(number), static_cast<int>(row), static_cast<int>(end - 1));
      group.Rows.insert(row, end - row, {});
      std::copy(now.begin() + row, now.begin() + end, group.Rows.begin() + row);
      this->endInsertRows();
      row = end;
      continue;
    }
    if (now[row] != group.Rows[row])
    {
      group.Rows[row] = now[row];
      others.append(row);
    }
    ++row;
  }
  this->changed(number, others, {});
}

// Rows of a group, in their order.
void pqDSMSnapshotModel::changed(int group, const QVector<qsizetype>& rows, const QList<int>& roles)
{
  const auto parent = this->parentOf(group);
  for (qsizetype first = 0; first < rows.size();)
  {
    qsizetype end = first + 1;
    while (end < rows.size() && rows[end] == rows[end - 1] + 1)
    {
      ++end;
    }
    Q_EMIT this->dataChanged(this->index(static_cast<int>(rows[first]), 0, parent),
      this->index(static_cast<int>(rows[end - 1]), Columns - 1, parent), roles);
    first = end;
  }
}

void pqDSMSnapshotModel::changed(const QVector<qint64>& numbers, const QList<int>& roles)
{
  for (int group = 0; group < this->Groups.size(); ++group)
  {
    QVector<qsizetype> rows;
    for (const qint64 number : numbers)
    {
      const auto row = RowOf(this->Groups[group].Rows, number);
      if (row >= 0)
      {
        rows.append(row);
      }
    }
    std::sort(rows.begin(), rows.end());
    this->changed(group, rows, roles);
  }
}

void pqDSMSnapshotModel::setShown(const QVector<qint64>& numbers)
{
  if (numbers != this->Shown)
  {
    QVector<qint64> changed;
    std::copy_if(numbers.begin(), numbers.end(), std::back_inserter(changed),
      [this](qint64 one) { return !this->Shown.contains(one); });
    std::copy_if(this->Shown.begin(), this->Shown.end(), std::back_inserter(changed),
      [&](qint64 one) { return !numbers.contains(one); });
    this->Shown = numbers;
    this->changed(changed, { Qt::FontRole, Qt::BackgroundRole });
  }
}

void pqDSMSnapshotModel::setTimes(const QHash<qint64, double>& times)
{
  if (times != this->Times)
  {
    QVector<qint64> changed;
    for (auto each = times.begin(); each != times.end(); ++each)
    {
      const auto known = this->Times.constFind(each.key());
      if (known == this->Times.constEnd() || *known != *each)
      {
        changed.append(each.key());
      }
    }
    this->Times = times;
    this->changed(changed, { Qt::DisplayRole, ValueRole });
    this->lookForTimes();
  }
}

void pqDSMSnapshotModel::lookForTimes()
{
  this->HasTimes = std::any_of(this->Groups.begin(), this->Groups.end(),
    [this](const Group& group)
    {
      return std::any_of(group.Rows.begin(), group.Rows.end(), [this](const auto& snapshot)
        { return this->Times.value(snapshot.Number, snapshot.Step) != snapshot.Step; });
    });
}

qint64 pqDSMSnapshotModel::numberAt(const QModelIndex& index) const
{
  const auto* snapshot = this->snapshotAt(index);
  return snapshot ? snapshot->Number : 0;
}

QString pqDSMSnapshotModel::streamAt(const QModelIndex& index) const
{
  const auto* snapshot = this->groupOf(index) ? nullptr : this->snapshotAt(index);
  return snapshot ? snapshot->Stream : QString();
}

const pqDSMStreams::Group* pqDSMSnapshotModel::describedAt(const QModelIndex& index) const
{
  const auto* group = this->groupOf(index);
  return group ? &group->Of : nullptr;
}

QString pqDSMSnapshotModel::groupAt(const QModelIndex& index) const
{
  const auto* group = this->groupOf(index);
  return group ? key(*group) : QString();
}

bool pqDSMSnapshotModel::isCurrent(const QModelIndex& index) const
{
  const auto* group = this->groupOf(index);
  return group && group->Of.Current;
}

bool pqDSMSnapshotModel::isWanted(const QModelIndex& index) const
{
  const auto* group = this->groupOf(index);
  return group && group->Wanted;
}

QVariant pqDSMSnapshotModel::data(const QModelIndex& index, int role) const
{
  if (const auto* group = this->groupOf(index))
  {
    return this->groupData(*group, index, role);
  }
  const auto* snapshot = this->snapshotAt(index);
  return snapshot ? this->snapshotData(*snapshot, index.column(), role) : QVariant();
}

QVariant pqDSMSnapshotModel::groupData(const Group& group, const QModelIndex& index, int role) const
{
  if (index.column() != 0)
  {
    return {};
  }
  const auto count = group.Rows.size();
  const auto with = [](const QString& text, const char* between, const QString& more)
  { return more.isEmpty() ? text : text + between + more; };
  switch (role)
  {
    case Qt::DisplayRole:
      return with((group.Of.isRestored() ? tr("%1 (from disk)  (%2)")
                      : group.Of.Current ? tr("%1  (%2)")
                                         : tr("%1 (previous run)  (%2)"))
                    .arg(group.Of.Stream)
                    .arg(count),
        ", ", group.Of.TellsOrigin ? pqDSMOrigin::label(group.Of) : QString());
    case Qt::ToolTipRole:
      return with(group.Of.Current
          ? tr("Check to show these snapshots (%1, %2).\n"
               "Files that differ only in their number share one reader.")
              .arg(count)
              .arg(group.Of.isRestored() ? tr("loaded from disk")
                                         : tr("written by %1").arg(group.Of.Program))
          : tr("Click a row to show its snapshot (%1, written by a previous run of %2).")
              .arg(count)
              .arg(group.Of.Program),
        "\n", pqDSMOrigin::details(group.Of));
    case Qt::CheckStateRole:
      return group.Of.Current
        ? QVariant(static_cast<int>(group.Wanted ? Qt::Checked : Qt::Unchecked))
        : QVariant();
    default:
      return {};
  }
}

QVariant pqDSMSnapshotModel::snapshotData(
  const pqDSMStatus::Snapshot& snapshot, int column, int role) const
{
  const bool isShown = this->Shown.contains(snapshot.Number);
  if (role == Qt::FontRole && isShown)
  {
    QFont bold;
    bold.setBold(true);
    return bold;
  }
  if (role == Qt::BackgroundRole && isShown)
  {
    QColor marked = QApplication::palette().color(QPalette::Highlight);
    marked.setAlphaF(0.3F);
    return marked;
  }
  if (role == Qt::TextAlignmentRole && (column <= Size || column == Time))
  {
    return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
  }
  if (role == Qt::CheckStateRole && column == Pin)
  {
    return static_cast<int>(snapshot.Pinned ? Qt::Checked : Qt::Unchecked);
  }
  if (role == Qt::ToolTipRole)
  {
    return column == Pin
      ? tr("Keep this snapshot in memory until unpinned.")
      : pqDSMText::tip(tr("%1\n%2. Written in %3 ms; the simulation was blocked for %4 ms")
            .arg(snapshot.File, pqDSMText::bytes(snapshot.Bytes))
            .arg(1000 * snapshot.WriteSeconds, 0, 'f', 1)
            .arg(1000 * snapshot.BlockedSeconds, 0, 'f', 1));
  }
  switch (role)
  {
    case ValueRole:
      return this->value(snapshot, column);
    case StreamRole:
      return snapshot.Stream;
    case RunRole:
      return snapshot.Run;
    default:
      break;
  }
  if (role == Qt::DisplayRole)
  {
    return column == Number ? QVariant(snapshot.Number)
      : column == Pin       ? QVariant()
                            : QVariant(this->text(snapshot, column));
  }
  return {};
}

QString pqDSMSnapshotModel::text(const pqDSMStatus::Snapshot& snapshot, int column) const
{
  switch (column)
  {
    case Step:
      return QString::number(snapshot.Step, 'g', 8);
    case Time:
      return this->Times.contains(snapshot.Number)
        ? QString::number(this->Times[snapshot.Number], 'g', 6)
        : QString();
    case Size:
      return pqDSMText::bytes(snapshot.FileSize);
    case File:
      return snapshot.Files == 1
        ? QFileInfo(snapshot.File).fileName()
        : tr("%1 (%2 files)").arg(QFileInfo(snapshot.File).fileName()).arg(snapshot.Files);
    case Written:
      return QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(1000 * snapshot.SealedAt))
        .toString("HH:mm:ss");
    default:
      return {};
  }
}

QVariant pqDSMSnapshotModel::value(const pqDSMStatus::Snapshot& snapshot, int column) const
{
  switch (column)
  {
    case Number:
      return snapshot.Number;
    case Step:
      return snapshot.Step;
    case Time:
      return this->Times.value(snapshot.Number, snapshot.Step);
    case Size:
      return snapshot.FileSize;
    case File:
      return snapshot.File;
    case Written:
      return snapshot.SealedAt;
    case Pin:
      return snapshot.Pinned;
    default:
      return {};
  }
}

bool pqDSMSnapshotModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
  if (role != Qt::CheckStateRole)
  {
    return false;
  }
  const bool checked = value.toInt() == Qt::Checked;
  if (const auto* group = this->groupOf(index))
  {
    Q_EMIT this->wantedChanged(group->Of.Stream, checked);
    return true;
  }
  if (index.column() != Pin || !this->numberAt(index))
  {
    return false;
  }
  Q_EMIT this->pinRequested(this->numberAt(index), checked);
  return true;
}

Qt::ItemFlags pqDSMSnapshotModel::flags(const QModelIndex& index) const
{
  const auto flags = Superclass::flags(index);
  const auto* group = this->groupOf(index);
  const bool checkable = group ? index.column() == 0 && group->Of.Current : index.column() == Pin;
  return checkable ? flags | Qt::ItemIsUserCheckable : flags;
}

QVariant pqDSMSnapshotModel::headerData(int section, Qt::Orientation orientation, int role) const
{
  if (role == Qt::InitialSortOrderRole)
  {
    // The newest, the largest and the pinned ones first.
    return section == File ? Qt::AscendingOrder : Qt::DescendingOrder;
  }
  if (orientation != Qt::Horizontal || (role != Qt::DisplayRole && role != Qt::ToolTipRole))
  {
    return {};
  }
  const bool tip = role == Qt::ToolTipRole;
  switch (section)
  {
    case Number:
      return tip ? tr("Number of the file, counted from Start") : tr("No.");
    case Step:
      return tip ? tr("Simulation step: the last number in the file name") : tr("Step");
    case Time:
      return tip ? tr("Simulation time, read from the file") : tr("Time");
    case Size:
      return tip ? tr("Size of the file, or of all files of the snapshot") : tr("Size");
    case File:
      return tip ? tr("File name (* where each rank wrote its own file)") : tr("File");
    case Written:
      return tip ? tr("Time at which the simulation closed the file") : tr("Written");
    case Pin:
      return tip ? tr("Keep this snapshot in memory until unpinned") : tr("Pin");
    default:
      return {};
  }
}
