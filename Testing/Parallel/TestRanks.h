// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

/// All ranks of a test. MPI_COMM_WORLD, unless the test is two MPI jobs that have met at a port:
/// DSM_TEST_JOIN=accept:FILE for the first (FILE is where it writes the port's name),
/// connect:FILE for the second. In the communicator the first job's ranks come first.
namespace testranks
{

/// Once, after MPI_Init; exits the process when the jobs cannot meet.
void Connect();

/// Collective over both jobs, before MPI_Finalize.
void Disconnect();

MPI_Comm Comm();

/// True when they are two jobs.
bool AreTwoJobs();

}
