// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMCompareMenu_h
#define pqDSMCompareMenu_h

#include "pqDSMStreams.h"

#include <QMenu>

class pqDSMServerProxy;

/// "Compare with": what one run has written of a stream, with another's. Those that it comes from,
/// or that come from it, are first; then those of the same files' names.
class pqDSMCompareMenu : public QMenu
{
  Q_OBJECT
  using Superclass = QMenu;

public:
  /// `stream` and `run` say which of the groups is compared with the others. What cannot be
  /// compared is reported as the server's refusals are.
  pqDSMCompareMenu(const QVector<pqDSMStreams::Group>& groups, const QString& stream, qint64 run,
    pqDSMServerProxy* server, QWidget* parent);
};

#endif
