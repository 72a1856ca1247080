// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSnapshotModel.h"

#include "pqDSMText.h"

#include <QApplication>
#include <QDateTime>
#include <QFileInfo>
#include <QFont>
#include <QPalette>

#include <algorithm>

void pqDSMSnapshotModel::show(const QVector<pqDSMStatus::Snapshot>& snapshots)
{
  QVector<pqDSMStatus::Snapshot> rows(snapshots.rbegin(), snapshots.rend());
  if (rows == this->Rows)
  {
    return;
  }
  for (qsizetype row = this->Rows.size(); row-- > 0;)
  {
    const auto same = [&](const pqDSMStatus::Snapshot& one)
    { return one.Number == this->Rows[row].Number && one.SealedAt == this->Rows[row].SealedAt; };
    if (std::none_of(rows.begin(), rows.end(), same))
    {
      this->beginRemoveRows(QModelIndex(), static_cast<int>(row), static_cast<int>(row));
      this->Rows.removeAt(row);
      this->endRemoveRows();
    }
  }
  // The rows that are left are the older part of the new list.
  const auto added = static_cast<int>(rows.size() - this->Rows.size());
  if (added > 0)
  {
    this->beginInsertRows(QModelIndex(), 0, added - 1);
    this->Rows = rows;
    this->endInsertRows();
  }
  this->Rows = rows;
  if (!this->Rows.empty())
  {
    Q_EMIT this->dataChanged(
      this->index(0, 0), this->index(static_cast<int>(this->Rows.size()) - 1, Columns - 1));
  }
}

void pqDSMSnapshotModel::setShown(qint64 number)
{
  if (number != this->Shown)
  {
    this->Shown = number;
    if (!this->Rows.empty())
    {
      Q_EMIT this->dataChanged(this->index(0, 0),
        this->index(static_cast<int>(this->Rows.size()) - 1, Columns - 1),
        { Qt::FontRole, Qt::BackgroundRole });
    }
  }
}

qint64 pqDSMSnapshotModel::numberAt(const QModelIndex& index) const
{
  return index.isValid() && index.row() < this->Rows.size() ? this->Rows[index.row()].Number : 0;
}

int pqDSMSnapshotModel::rowCount(const QModelIndex& parent) const
{
  return parent.isValid() ? 0 : static_cast<int>(this->Rows.size());
}

int pqDSMSnapshotModel::columnCount(const QModelIndex& parent) const
{
  return parent.isValid() ? 0 : Columns;
}

QVariant pqDSMSnapshotModel::data(const QModelIndex& index, int role) const
{
  if (!index.isValid() || index.row() >= this->Rows.size())
  {
    return {};
  }
  const auto& snapshot = this->Rows[index.row()];
  if (role == Qt::FontRole && snapshot.Number == this->Shown)
  {
    QFont bold;
    bold.setBold(true);
    return bold;
  }
  if (role == Qt::BackgroundRole && snapshot.Number == this->Shown)
  {
    QColor marked = QApplication::palette().color(QPalette::Highlight);
    marked.setAlphaF(0.3F);
    return marked;
  }
  if (role == Qt::TextAlignmentRole && index.column() <= Size)
  {
    return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
  }
  if (role == Qt::CheckStateRole && index.column() == Pin)
  {
    return snapshot.Pinned ? Qt::Checked : Qt::Unchecked;
  }
  if (role == Qt::ToolTipRole)
  {
    return index.column() == Pin
      ? tr("Keep this snapshot in memory until it is unticked")
      : tr("%1\n%2 written in %3 ms; the simulation could not compute for %4 ms")
          .arg(snapshot.File, pqDSMText::bytes(snapshot.Bytes))
          .arg(1000 * snapshot.WriteSeconds, 0, 'f', 1)
          .arg(1000 * snapshot.BlockedSeconds, 0, 'f', 1);
  }
  if (role == Qt::DisplayRole)
  {
    switch (index.column())
    {
      case Number:
        return snapshot.Number;
      case Step:
        return QString::number(snapshot.Step, 'g', 8);
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
        break;
    }
  }
  return {};
}

bool pqDSMSnapshotModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
  if (role != Qt::CheckStateRole || index.column() != Pin || !this->numberAt(index))
  {
    return false;
  }
  Q_EMIT this->pinRequested(this->numberAt(index), value.toInt() == Qt::Checked);
  return true;
}

Qt::ItemFlags pqDSMSnapshotModel::flags(const QModelIndex& index) const
{
  const auto flags = Superclass::flags(index);
  return index.column() == Pin ? flags | Qt::ItemIsUserCheckable : flags;
}

QVariant pqDSMSnapshotModel::headerData(int section, Qt::Orientation orientation, int role) const
{
  if (orientation != Qt::Horizontal || (role != Qt::DisplayRole && role != Qt::ToolTipRole))
  {
    return {};
  }
  const bool tip = role == Qt::ToolTipRole;
  switch (section)
  {
    case Number:
      return tip ? tr("Counts the files since Start") : tr("No.");
    case Step:
      return tip ? tr("The simulation's step: the last number in the file's name") : tr("Step");
    case Size:
      return tip ? tr("The file's size, or that of all its files") : tr("Size");
    case File:
      return tip
        ? tr("What the simulation called the file; where each of its processes has written "
             "one, * stands for what their names differ in")
        : tr("File");
    case Written:
      return tip ? tr("When the simulation closed the file") : tr("Written");
    case Pin:
      return tip ? tr("Tick to keep a snapshot in memory until it is unticked, whatever arrives")
                 : tr("Pin");
    default:
      return {};
  }
}
