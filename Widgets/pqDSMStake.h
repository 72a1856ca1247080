// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMStake_h
#define pqDSMStake_h

#include <QString>

/// What needs a server's memory now: it would be lost, or go on without the server, if that ended.
struct pqDSMStake
{
  QString Writers;        ///< the simulations that are connected, in one text
  qint64 Unsaved = 0;     ///< snapshots that are nowhere else
  qint64 UnsavedSize = 0; ///< bytes

  /// "A simulation is connected: …\n3 snapshots (12 MiB) are not saved."; empty if there is
  /// nothing.
  QString text() const;
};

#endif
