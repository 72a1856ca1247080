// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"
#include "Base/Error.h"
#include "Peer/Connection.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

/// The connections this process holds, by contact file. HDF5 names a file and nothing else, so the
/// driver must find the server by name; this table is where. Thread safe.
namespace dsm::connections
{

/// The open connection for a contact file, or a new one (role and ranks as in Connection::Open).
/// A connection stays open between files, until Clear or the end of the process. While the server
/// is searched for, this throws at once why it was not reached.
std::shared_ptr<Connection> Get(const std::string& contactPath, const std::string& role,
  std::uint64_t ranks, const Deadline& deadline);

/// The open connection for a contact file, or null; null also while the server is searched for.
std::shared_ptr<Connection> Find(const std::string& contactPath);

/// True when there was a connection for a contact file, and the server is not known to be there
/// again.
bool WasLost(const std::string& contactPath);

/// All open connections.
std::vector<std::shared_ptr<Connection>> All();

/// Enters one made elsewhere (a server's own), replacing any other under its contact file. Who
/// searched for the server does so no more.
void Add(std::shared_ptr<Connection> connection);

/// Takes one out.
void Remove(const std::shared_ptr<Connection>& connection);

/// The server cannot be reached, for that reason: from now on it is searched for (ServerSearch),
/// and the connection is entered when it is there. `self` is how this process introduces itself.
/// Nothing when it is searched for already.
void Search(const std::string& contactPath, const PeerDescription& self, const Error& why);

/// A server that is searched for.
struct Missing
{
  Error Why;     ///< it could not be reached
  bool WasThere; ///< this process was connected to it, or to another of that contact file
};

/// At the first call while a server is searched for, since the user has not been told yet; then
/// none.
std::optional<Missing> TakeUntold(const std::string& contactPath);

/// Closes all, and ends what is searched for: called when HDF5 ends. Where ranks joined hosts over
/// MPI, all of them call it.
void Clear();

/// Says goodbye to all servers, in a process that ends without closing connections. Calls nothing
/// that a signal handler may not call: what another thread uses just then is left as it is.
void Leave() noexcept;

/// Called at the beginning of MPI_Finalize: frees links over MPI, where no file is open any more.
/// With open files, Clear does that later.
void LeaveHostsAtFinalize();

}
