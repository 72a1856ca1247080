// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMPinEveryAction.h"

#include "pqDSMPinRules.h"
#include "pqDSMServerProxy.h"

#include <QInputDialog>
#include <QMenu>

namespace
{
constexpr int UsualInterval = 10;
constexpr int MostInterval = 1000000;

void Ask(const QString& stream, pqDSMPinRules& rules, pqDSMServerProxy* server, QWidget* window)
{
  auto* dialog = new QInputDialog(window);
  dialog->setObjectName("pinEvery");
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(QObject::tr("Pin Every N"));
  dialog->setLabelText(
    QObject::tr("Pin the oldest snapshot of %1 and every N-th after it, also of those that come,\n"
                "until pins take a third of the memory. N:")
      .arg(stream));
  dialog->setInputMode(QInputDialog::IntInput);
  dialog->setIntRange(1, MostInterval);
  dialog->setIntValue(UsualInterval);
  QObject::connect(dialog, &QInputDialog::intValueSelected, server,
    [stream, &rules, server](int interval)
    {
      rules.set(stream, interval);
      rules.update(*server);
    });
  dialog->open();
}
}

pqDSMPinEveryAction::pqDSMPinEveryAction(
  const QString& stream, pqDSMPinRules& rules, pqDSMServerProxy* server, QMenu* menu)
  : Superclass(menu)
{
  const int interval = rules.interval(stream);
  this->setText(interval ? tr("Pin Every %1").arg(interval) : tr("Pin Every N…"));
  this->setCheckable(true);
  this->setChecked(interval != 0);
  QObject::connect(this, &QAction::triggered, server,
    [stream, &rules, server, window = menu->parentWidget(), interval]
    { interval ? rules.set(stream, 0) : Ask(stream, rules, server, window); });
}
