// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

namespace dsm
{

class Server;

/// Carries out "write to disk now" for a server: a thread on host rank 0 that writes the snapshots
/// asked for as plain HDF5 files, while the host program does what it likes. It reads through a
/// link of its own and makes no MPI call, so hosts on several nodes must be reachable over
/// libfabric.
class DiskWriter
{
public:
  /// Begins; on other ranks than 0 there is nothing to do. To be destroyed before the server stops.
  explicit DiskWriter(Server& server);
  ~DiskWriter();
  DiskWriter(const DiskWriter&) = delete;
  DiskWriter& operator=(const DiskWriter&) = delete;

private:
  class Implementation;
  std::unique_ptr<Implementation> Self;
};

}
