// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMDropQuestion.h"

#include "pqDSMServerProxy.h"

#include <QPushButton>

#include <algorithm>

namespace
{
QString Text(const QVector<pqDSMStatus::Snapshot>& snapshots)
{
  return snapshots.size() == 1
    ? QObject::tr("Drop snapshot %1 from memory?").arg(snapshots.first().Number)
    : QObject::tr("Drop %1 snapshots from memory?").arg(snapshots.size());
}
}

pqDSMDropQuestion::pqDSMDropQuestion(
  const QVector<pqDSMStatus::Snapshot>& snapshots, pqDSMServerProxy* server, QWidget* parent)
  : Superclass("dropQuestion", tr("Drop Snapshots"), Text(snapshots), tr("Cancel"), parent)
{
  const auto unsaved =
    std::count_if(snapshots.begin(), snapshots.end(), [](const auto& one) { return !one.Saved; });
  this->setInformativeText(unsaved == 0 ? tr("All of them are saved to disk.")
      : unsaved == snapshots.size()
      ? tr("Unsaved snapshots will be lost.")
      : tr("%1 of them are not saved and will be lost.").arg(unsaved));
  auto* drop = this->addAnswer({ "drop",
    snapshots.size() == 1 ? tr("Drop 1 Snapshot") : tr("Drop %1 Snapshots").arg(snapshots.size()),
    tr("Drop them from memory, also those that are pinned."), QMessageBox::DestructiveRole });
  QVector<qint64> numbers;
  for (const auto& snapshot : snapshots)
  {
    numbers.append(snapshot.Number);
  }
  QObject::connect(
    drop, &QPushButton::clicked, server, [server, numbers] { server->drop(numbers); });
}
