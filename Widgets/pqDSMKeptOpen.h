// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMKeptOpen_h
#define pqDSMKeptOpen_h

#include "pqDSMStatus.h"

#include <QElapsedTimer>
#include <QString>

/// The file that a simulation has had open for a while, although files are shown only when they are
/// closed. Either the simulation writes slowly, or it flushes its file and keeps it open.
class pqDSMKeptOpen
{
public:
  void update(const pqDSMStatus& status);

  /// Returns the file's name; empty if there is none.
  QString file() const;

private:
  QString File;
  qint64 Closed = 0; ///< files until then: a program may open one of the same name again and again
  QElapsedTimer Since;
};

#endif
