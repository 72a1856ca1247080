// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMKeeper_h
#define pqDSMKeeper_h

#include <QtGlobal>

class pqDSMFollower;
class pqDSMLink;

/// Keeps what is held in memory: while the picture is held, the snapshot shown is pinned, so that
/// it can be read again by whatever is added to the pipeline. Who follows lets it go.
///
/// A snapshot that the user has pinned is the user's. Nothing is pinned where memory has room for
/// less than three such files: the simulation would have to wait for it.
class pqDSMKeeper
{
public:
  /// May give a command to the server, whose status is then told anew.
  void look(const pqDSMFollower& follower, pqDSMLink& link);

private:
  qint64 Held = 0; ///< the snapshot that was dealt with
  bool Ours = false;
};

#endif
