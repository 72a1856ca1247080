// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMWatchedServers_h
#define pqDSMWatchedServers_h

#include <QString>
#include <QStringList>

class pqServer;

/// The contact files of the servers that were watched last, from one ParaView to the next.
namespace pqDSMWatchedServers
{
/// Makes it the newest.
void add(const QString& contact);

/// Returns the newest first. Where this window can see the files of ParaView's server, only those
/// that are there: a server that ends removes its own.
QStringList present(pqServer* server);
}

#endif
