// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <string>

/// Collective functions over the ranks of this ParaView server (VTK's global controller). With one
/// rank, or without a controller, they return their argument. Ranks give their cores away while
/// they wait for each other.
namespace dsm::readers
{

int Rank();
int Size();

/// Returns the communicator of all ranks, which is VTK's; MPI_COMM_NULL if there is no MPI.
MPI_Comm AllRanks();

/// Rank 0's text, on all ranks.
std::string BroadcastFromRoot(const std::string& text);

/// The first non-empty text in the order of ranks, on all ranks. Empty: no rank has an error.
std::string FirstError(const std::string& error);

}
