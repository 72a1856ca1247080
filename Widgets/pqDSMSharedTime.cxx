// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSharedTime.h"

#include "pqDSMSceneTime.h"

#include <algorithm>

bool pqDSMSharedTime::hasOthers(const User* user) const
{
  return std::any_of(this->Users.begin(), this->Users.end(),
    [user](const User* each) { return each != user && each->newestTime(); });
}

bool pqDSMSharedTime::isMoved(double time) const
{
  return std::any_of(this->Users.begin(), this->Users.end(),
    [time](const User* each) { return each->isElsewhere(time); });
}

void pqDSMSharedTime::setFollowing(pqServer* server, bool following)
{
  if (following)
  {
    pqDSMSceneTime::stopPlaying(server);
  }
  this->Following = following;
  const double time = pqDSMSceneTime::get(server);
  for (auto* user : this->Users)
  {
    user->followingChosen(following, time);
  }
}

void pqDSMSharedTime::goTo(pqServer* server, double time)
{
  pqDSMSceneTime::goTo(server, time);
  const double reached = pqDSMSceneTime::get(server);
  for (auto* user : this->Users)
  {
    user->wentTo(reached);
  }
}

bool pqDSMSharedTime::goToNewest(pqServer* server)
{
  std::optional<double> newest;
  for (const auto* user : this->Users)
  {
    if (const auto time = user->newestTime())
    {
      newest = std::max(newest.value_or(*time), *time);
    }
  }
  if (newest)
  {
    this->goTo(server, *newest);
  }
  return newest.has_value();
}

void pqDSMSharedTime::holdAt(double time)
{
  this->Following = false;
  for (auto* user : this->Users)
  {
    user->userWentTo(time);
  }
}
