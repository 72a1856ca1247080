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

/// Returns the contact files, the newest first. If ParaView's server runs on this machine, the list
/// has only files that exist: a server that ends removes its contact file.
QStringList present(pqServer* server);
}

#endif
