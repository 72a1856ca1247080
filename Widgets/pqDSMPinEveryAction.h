// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMPinEveryAction_h
#define pqDSMPinEveryAction_h

#include <QAction>

class pqDSMPinRules;
class pqDSMServerProxy;
class QMenu;

/// The entry of a menu that pins every n-th snapshot of a stream: asks for the number. If there is
/// such a rule already, the entry is checked, and ends it.
class pqDSMPinEveryAction : public QAction
{
  Q_OBJECT
  using Superclass = QAction;

public:
  /// `rules` must outlive the menu's parent, which the dialog is in front of.
  pqDSMPinEveryAction(
    const QString& stream, pqDSMPinRules& rules, pqDSMServerProxy* server, QMenu* menu);
};

#endif
