// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mpi/Communicator.h"
#include "Peer/Connection.h"

#include <cstdint>
#include <memory>
#include <string>

namespace dsm
{

/// What rank 0 tells the other ranks of its connection with each file, so that they need no channel
/// of their own. The description of the server, which has a part for each host, is not in it: ranks
/// keep that from one file to the next, and know by the digest whether it is still the same.
struct JobConnection
{
  std::string ContactPath;
  std::string Session; ///< ServerDescription::Session
  std::uint64_t Digest = 0;
  Connection::Settings Settings;

  static JobConnection Of(const Connection& connection);

  /// The connection that this rank has to the server, rank 0's `own`, which is null on the others;
  /// null where it has none, or does not know the server as it is now.
  std::shared_ptr<Connection> Find(const std::shared_ptr<Connection>& own) const;

  /// Collective, where any rank has found none: rank 0 tells the server's description. Returns each
  /// rank's connection, a new one if need be, which opens no channel until it must. Throws on all
  /// ranks when one cannot use what it was told.
  std::shared_ptr<Connection> Introduce(
    const Communicator& ranks, const std::shared_ptr<Connection>& own) const;

  /// Collective, once all ranks have got this record from rank 0: the two above.
  std::shared_ptr<Connection> Follow(
    const Communicator& ranks, const std::shared_ptr<Connection>& own) const;
};

void Describe(Fields&, JobConnection&);

}
