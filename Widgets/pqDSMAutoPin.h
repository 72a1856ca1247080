// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMAutoPin_h
#define pqDSMAutoPin_h

#include <QtGlobal>

class pqDSMFollower;
class pqDSMServerProxy;

/// Pins the snapshot that is held, so that filters which are added to the pipeline can read it
/// again; unpins it when another one is shown, or the user follows.
///
/// A snapshot that the user has pinned stays pinned. Nothing is pinned where the memory has room
/// for fewer than three such files, since the simulation would have to wait.
class pqDSMAutoPin
{
public:
  /// May send a command to the server, which then emits statusChanged().
  void update(const pqDSMFollower& follower, pqDSMServerProxy& server);

private:
  qint64 Held = 0;         ///< the snapshot at the last update; 0: none is held
  bool PinnedByUs = false; ///< that snapshot
};

#endif
