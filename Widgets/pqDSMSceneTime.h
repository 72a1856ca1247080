// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSceneTime_h
#define pqDSMSceneTime_h

class pqAnimationScene;
class pqServer;

/// ParaView's time of a connection.
namespace pqDSMSceneTime
{
/// 0 without a connection.
double get(pqServer* server);

/// Goes to a time, and renders.
void goTo(pqServer* server, double time);

/// Whether the views have another time than the scene, which went alone to the end of a new range.
bool viewsAreElsewhere(pqServer* server);

/// Takes new times of the readers over into ParaView's time controls. Renders nothing.
void takeTimes(pqServer* server);

/// Stops Play, after the picture that it is making. Does nothing if nothing is played.
void stopPlaying(pqServer* server);

/// ParaView's animation scene; null without a connection.
pqAnimationScene* scene(pqServer* server);
}

#endif
