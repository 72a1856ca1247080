// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

namespace dsm
{

class Server;

/// Puts a server's files on disk as well, under the names that simulations gave them
/// (ServerOptions::AlsoOnDisk): a thread of low priority on host rank 0, while simulations go on.
/// What stands under a name before is a placeholder, or an older state of the file, until the new
/// one is whole. The thread reads through a link of its own and makes no MPI call, so hosts on
/// several nodes must be reachable over libfabric.
class WriteBehind
{
public:
  /// Begins; on other ranks than 0 there is nothing to do. To be destroyed before the server stops.
  explicit WriteBehind(Server& server);

  /// As Finish.
  ~WriteBehind();
  WriteBehind(const WriteBehind&) = delete;
  WriteBehind& operator=(const WriteBehind&) = delete;

  /// The server takes no more files, and what waits is written. Waits for that as long as it goes
  /// on, and says in the log what it waits for; after a minute without a byte it gives up. False
  /// when something is not on disk: what, and why, is in the log.
  bool Finish();

private:
  class Implementation;
  std::shared_ptr<Implementation> Self;
};

}
