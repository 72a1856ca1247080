// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"
#include "Mpi/RankGroup.h"
#include "Server/Host/HostPlace.h"

#include <functional>
#include <memory>
#include <string>

namespace dsm
{

/// Brings the host processes of one launch together without MPI. Host 0 leaves an address beside
/// the contact file (its name and ".hosts", mode 0600) until all have come; then each keeps a
/// control channel to host 0, which collects what all say and tells it to all. It is for the few
/// collectives at the start, the end and a change of settings, not for bytes.
///
/// A host that is suspended is waited for, however long, until `isStopped` says that this process
/// shall end. If host 0 ends, the others throw Error(PeerLost); if another one does, host 0 throws
/// it. In Free, host 0 waits until all others have had its last answer, for ten seconds at most.
///
/// Collective over the hosts, which name the same contact file. Throws Error(TimedOut) on all that
/// came if not all come within the limit, and Error(Usage) if two have the same number. `isStopped`
/// is called in the thread that calls a collective function, twenty times a second.
std::shared_ptr<RankGroup> GatherHosts(const std::string& contactPath, const HostPlace& place,
  Seconds limit, std::function<bool()> isStopped);

}
