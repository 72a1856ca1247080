// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"
#include "Session/Connection.h"

#include <memory>
#include <string>
#include <vector>

/// The connections this process holds, by contact file. HDF5 names a file and nothing else, so the
/// driver must find the server by name; this table is where. Thread safe.
namespace dsm::connections
{

/// The open connection for a contact file, or a new one (role and ranks as in Connection::Open).
/// A connection stays open between files, until Clear or the end of the process.
std::shared_ptr<Connection> Get(const std::string& contactPath, const std::string& role,
  std::uint64_t ranks, const Deadline& deadline);

/// The open connection for a contact file, or null.
std::shared_ptr<Connection> Find(const std::string& contactPath);

/// All open connections.
std::vector<std::shared_ptr<Connection>> All();

/// Enters one made elsewhere (a server's own), replacing any other under its contact file.
void Add(std::shared_ptr<Connection> connection);

/// Takes one out.
void Remove(const std::shared_ptr<Connection>& connection);

/// Closes all: called when HDF5 ends. Where ranks joined hosts over MPI, all of them call it.
void Clear();

/// Called at the beginning of MPI_Finalize: frees links over MPI, where no file is open any more.
/// With open files, Clear does that later.
void LeaveHostsAtFinalize();

}
