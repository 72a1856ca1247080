// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSharedTime_h
#define pqDSMSharedTime_h

#include "pqDSMSceneTicks.h"

#include <QList>

#include <optional>

class pqServer;

/// ParaView's time of a connection, which has one time for all servers that a window shows. Their
/// followers follow together, to the newest time of all, or hold together.
class pqDSMSharedTime
{
public:
  /// A follower, which is told when another one moves the time.
  class User
  {
  public:
    virtual ~User() = default;
    /// Returns the newest time that its readers list; none: they list nothing.
    virtual std::optional<double> newestTime() const = 0;
    /// Returns whether it shows another time than ParaView's, to which the user has moved then.
    virtual bool isElsewhere(double time) const = 0;
    /// ParaView has gone to a time because of one of the followers, so the user has not moved it.
    virtual void wentTo(double time) = 0;
    /// The user has moved ParaView's time.
    virtual void userWentTo(double time) = 0;
    /// The user has chosen to follow, or to hold at ParaView's time.
    virtual void followingChosen(bool following, double time) = 0;
  };

  void add(User* user) { this->Users.append(user); }
  void remove(User* user) { this->Users.removeAll(user); }

  /// Returns whether followers other than this one list snapshots.
  bool hasOthers(const User* user) const;

  /// Returns whether the user has moved ParaView's time away from what followers show. Others may
  /// be about to go to the newest time.
  bool isMoved(double time) const;

  bool following() const { return this->Following; }
  void setFollowing(pqServer* server, bool following);

  /// Goes to a time, and renders.
  void goTo(pqServer* server, double time);
  /// Goes to the newest time of all followers. Returns whether they list any.
  bool goToNewest(pqServer* server);
  /// Holds at the time to which the user has moved ParaView.
  void holdAt(double time);

  pqDSMSceneTicks& ticks() { return this->Ticks; }

private:
  QList<User*> Users;
  pqDSMSceneTicks Ticks;
  bool Following = true;
};

#endif
