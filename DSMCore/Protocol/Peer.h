// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Protocol/Descriptions.h"

#include <cstdint>
#include <string>

namespace dsm
{

/// This process as it introduces itself to a server. `mpi`: the MPI library that it runs, empty
/// without one (Communicator::RunningLibrary).
PeerDescription DescribeThisProcess(
  const std::string& role, std::uint64_t ranks, const std::string& mpi);

/// "ada@node7": whose process this is, and where, for the log of who changed what.
std::string UserAtHost();

/// "meep-script (3 ranks on node7, Open MPI 5.0.7)": a peer in a sentence.
std::string PeerText(const PeerDescription& peer);

}
