// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mpi/Communicator.h"
#include "Session/Connection.h"

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

  /// Collective, once all ranks have got this record from rank 0, whose connection is `own` (null
  /// on the others). Returns each rank's connection to the same server: the one it has, or a new
  /// one that opens no channel until it must. Where a rank does not know the server as it is now,
  /// rank 0 tells its description; then all throw together when that cannot be used.
  std::shared_ptr<Connection> Follow(
    const Communicator& ranks, const std::shared_ptr<Connection>& own) const;

  /// \name Its parts, for who has another collective call in which to say that a rank lacks one
  ///@{
  /// This rank's connection to the same server, if it knows that as it is now; else null. Not
  /// collective.
  std::shared_ptr<Connection> Known() const;

  /// Collective, where some rank has none: rank 0, whose connection `known` is, tells the server's
  /// description. Returns each rank's connection.
  std::shared_ptr<Connection> Introduce(
    const Communicator& ranks, std::shared_ptr<Connection> known) const;
  ///@}
};

void Describe(Fields&, JobConnection&);

}
