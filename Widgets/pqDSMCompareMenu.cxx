// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMCompareMenu.h"

#include "pqDSMComparison.h"
#include "pqDSMServerProxy.h"
#include "pqDSMText.h"

#include <QApplication>
#include <QFileInfo>

#include <algorithm>
#include <iterator>

namespace
{
// How likely somebody compares the two.
int Likeness(const pqDSMStreams::Group& one, const pqDSMStreams::Group& other)
{
  const bool sameFiles = QFileInfo(one.Stream).fileName() == QFileInfo(other.Stream).fileName();
  const bool related = one.Origin.FromRun == other.Run || other.Origin.FromRun == one.Run;
  return (sameFiles ? 2 : 0) + (related ? 1 : 0);
}
}

pqDSMCompareMenu::pqDSMCompareMenu(const QVector<pqDSMStreams::Group>& groups,
  const QString& stream, qint64 run, pqDSMServerProxy* server, QWidget* parent)
  : Superclass(tr("Compare With"), parent)
{
  this->setObjectName("compareMenu");
  this->setToolTip(pqDSMText::tip(
    tr("Show both, and their difference, side by side at the same simulation time.")));
  const auto self = std::find_if(groups.begin(), groups.end(),
    [&](const auto& each) { return each.Stream == stream && each.Run == run; });
  QVector<pqDSMStreams::Group> others;
  std::copy_if(groups.begin(), groups.end(), std::back_inserter(others),
    [&](const auto& each) { return each.Stream != stream || each.Run != run; });
  if (self == groups.end() || others.empty() || !pqDSMComparison::isPossible())
  {
    this->setEnabled(false);
    return;
  }
  const auto& own = *self;
  std::stable_sort(others.begin(), others.end(), [&](const auto& left, const auto& right)
    { return Likeness(own, left) > Likeness(own, right); });
  for (const auto& other : others)
  {
    const QString title = pqDSMStreams::title(groups, other);
    // The menu may be gone before the comparison is there.
    QObject::connect(this->addAction(title), &QAction::triggered, server,
      [server, own, other, title, ownTitle = pqDSMStreams::title(groups, own)]
      {
        QApplication::setOverrideCursor(Qt::WaitCursor);
        const QString error =
          pqDSMComparison::show(server->status().ContactPath, own, ownTitle, other, title);
        QApplication::restoreOverrideCursor();
        server->setRefusal(error);
      });
  }
}
