// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Control/Messages.h"

#include <cstdint>
#include <string>

namespace dsm
{

/// This process as it introduces itself to a server. Names the MPI library only if MPI is alive.
PeerDescription DescribeThisProcess(const std::string& role, std::uint64_t ranks);

/// "ada@node7": whose process this is, and where, for the log of who changed what.
std::string PersonHere();

/// "meep-script (3 ranks on node7, Open MPI 5.0.7)": a peer in a sentence.
std::string PeerText(const PeerDescription& peer);

}
