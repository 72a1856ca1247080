// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSnapshotFilter.h"

#include "pqDSMSnapshotModel.h"

pqDSMSnapshotFilter::pqDSMSnapshotFilter(QObject* parent)
  : Superclass(parent)
{
  this->Names.setNumericMode(true);
  this->setSortRole(pqDSMSnapshotModel::ValueRole);
  // A group stays if one of its snapshots does.
  this->setRecursiveFilteringEnabled(true);
}

void pqDSMSnapshotFilter::setWanted(const Wanted& wanted)
{
  if (wanted == this->Want)
  {
    return;
  }
  this->Want = wanted;
  const bool isPattern = wanted.Text.contains('*') || wanted.Text.contains('?');
  this->Pattern =
    QRegularExpression(isPattern ? QRegularExpression::wildcardToRegularExpression(
                                     wanted.Text, QRegularExpression::UnanchoredWildcardConversion)
                                 : QRegularExpression::escape(wanted.Text),
      QRegularExpression::CaseInsensitiveOption);
  this->invalidateFilter();
}

bool pqDSMSnapshotFilter::filterAcceptsRow(int row, const QModelIndex& parent) const
{
  if (!this->isActive())
  {
    return true;
  }
  const auto* model = static_cast<const pqDSMSnapshotModel*>(this->sourceModel());
  const auto index = model->index(row, pqDSMSnapshotModel::File, parent);
  if (!model->snapshotAt(index))
  {
    return false;
  }
  const double time =
    index.siblingAtColumn(pqDSMSnapshotModel::Time).data(pqDSMSnapshotModel::ValueRole).toDouble();
  return (!this->Want.From || time >= *this->Want.From) &&
    (!this->Want.To || time <= *this->Want.To) &&
    (this->Want.Text.isEmpty() || model->streamAt(index).contains(this->Pattern) ||
      index.data().toString().contains(this->Pattern));
}

bool pqDSMSnapshotFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const
{
  const auto* model = static_cast<const pqDSMSnapshotModel*>(this->sourceModel());
  if (!model->snapshotAt(left) || !model->snapshotAt(right))
  {
    // Qt turns the answer around for a descending order.
    return this->sortOrder() == Qt::AscendingOrder ? left.row() < right.row()
                                                   : left.row() > right.row();
  }
  const auto one = left.data(this->sortRole());
  const auto other = right.data(this->sortRole());
  if (one == other)
  {
    return model->numberAt(left) < model->numberAt(right);
  }
  return one.typeId() == QMetaType::QString
    ? this->Names.compare(one.toString(), other.toString()) < 0
    : Superclass::lessThan(left, right);
}
