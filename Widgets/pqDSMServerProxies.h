// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMServerProxies_h
#define pqDSMServerProxies_h

#include <QList>

class pqServer;
class vtkSMProxy;

/// The proxies DSMServer of a connection, one for each server that this ParaView hosts or watches.
/// The panel makes them, and so do scripts and state files.
///
/// Each is shown by one pqDSMServerProxy at most, which says so here.
namespace pqDSMServerProxies
{
/// Returns the proxies that state files keep, in the order of their names.
QList<vtkSMProxy*> all(const pqServer* server);

/// Returns whether state files keep it; false when its connection has ended.
bool isRegistered(vtkSMProxy* proxy);
/// Returns whether its server was started, or is watched.
bool isActive(vtkSMProxy* proxy);

/// Makes one. Returns null if ParaView's server lacks the plugin.
vtkSMProxy* make(pqServer* server);
/// Takes it out of state files. It goes when nobody refers to it.
void remove(vtkSMProxy* proxy);

///@{
/// Returns whether a part of the window shows the proxy.
bool isShown(vtkSMProxy* proxy);
/// Notes that a part shows `now` in place of `before`; either may be null.
void setShown(vtkSMProxy* before, vtkSMProxy* now);
///@}
}

#endif
