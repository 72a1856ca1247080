// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"
#include "Mpi/Communicator.h"

#include <functional>
#include <string>

/// What a process can learn of the MPI job it is part of, without talking to anybody.
namespace dsm::job
{

/// True when threads of ours may call MPI at any time (MPI_THREAD_MULTIPLE).
bool AllowsThreads();

/// "MPI_THREAD_SINGLE", …
std::string ThreadLevelName();

/// How users get MPI_THREAD_MULTIPLE in programs that do not ask MPI for it, as a sentence's end.
std::string MoreThreadsText();

/// This process in MPI_COMM_WORLD.
int WorldRank();
int WorldSize();

/// Collective over MPI_COMM_WORLD: the ranks that run this program, when one launch started several
/// (mpiexec … A : … B). Told apart by DSM_MPMD_COLOUR, a number, where a launch script sets it;
/// else by the launcher (MPI_APPNUM). All ranks of all programs must call it, or split the same
/// way.
Communicator ThisProgram();

/// Has `work` called at the beginning of MPI_Finalize, while MPI still works. Once per call.
void AtFinalize(std::function<void()> work);

/// MPI_Finalize waits for processes that MPI still counts as connected, and one of them will not
/// come: from the beginning of MPI_Finalize on, it gets this long, and then this process ends with
/// `why`. The first call counts.
void LimitFinalize(Seconds limit, const std::string& why);

}
