// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMAutoPin_h
#define pqDSMAutoPin_h

#include <QVector>

class pqDSMFollower;
class pqDSMServerProxy;

/// Pins the snapshots that are held, one of each stream, so that filters which are added to the
/// pipeline can read them again; unpins them when others are shown, or the user follows.
///
/// A snapshot that the user has pinned stays pinned. Nothing is pinned where the memory has room
/// for fewer than three such files, since the simulation would have to wait.
class pqDSMAutoPin
{
public:
  /// May send commands to the server, which then emits statusChanged().
  void update(const pqDSMFollower& follower, pqDSMServerProxy& server);

private:
  QVector<qint64> Held;       ///< the snapshots at the last update; empty: none is held
  QVector<qint64> PinnedByUs; ///< of those
};

#endif
