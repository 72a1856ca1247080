// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMPinRules_h
#define pqDSMPinRules_h

#include "pqDSMStatus.h"

#include <QHash>
#include <QString>

class pqDSMServerProxy;

/// Pins the oldest snapshot of a stream and every n-th after it, also of those that come. Stops
/// when pins take a third of the memory or of the number of snapshots, since the simulation needs
/// room to go on.
class pqDSMPinRules
{
public:
  /// Returns how many snapshots of a stream one pin is for; 0: there is no rule.
  int interval(const QString& stream) const { return this->Rules.value(stream).Interval; }
  /// 0 ends the rule. What it has pinned stays pinned.
  void set(const QString& stream, int interval);

  /// May send commands to the server, which then emits statusChanged().
  void update(pqDSMServerProxy& server);

private:
  struct Rule
  {
    int Interval = 0;
    qint64 Newest = 0; ///< the number of the snapshot that was counted last
    qint64 Count = 0;
  };

  QHash<QString, Rule> Rules;
  QVector<pqDSMStatus::Snapshot> Seen; ///< the list at the last update
};

#endif
