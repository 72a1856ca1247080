// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Server/Server.h"

#include <memory>

namespace dsm
{

class Connection;

/// A server together with this rank's own connection to it. By that the rank reads snapshots, and
/// HDF5 finds the server under the contact file's name.
class LocalServer final : public Server
{
public:
  /// \name As Server's. Collective.
  ///@{
  LocalServer(const Communicator& comm, const ServerOptions& options);
  LocalServer(std::shared_ptr<RankGroup> hosts, const ServerOptions& options);
  ///@}

  /// As Stop, without the collective part.
  ~LocalServer() override;

  void Stop() override;
  std::shared_ptr<Connection> GetConnection() const override { return this->Link; }

private:
  void Leave();

  std::shared_ptr<Connection> Link; ///< null after Stop
};

}
