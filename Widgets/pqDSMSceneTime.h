// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSceneTime_h
#define pqDSMSceneTime_h

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
}

#endif
