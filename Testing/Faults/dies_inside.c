/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded into one side of an MPI job: the process stops or dies inside the call that joins the
 * two sides, just where nobody can give up any more. DSM_TEST_SIGNAL: the signal's number. */
#include <mpi.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

int MPI_Intercomm_create(
  MPI_Comm local, int localLeader, MPI_Comm peer, int remoteLeader, int tag, MPI_Comm* made)
{
  const char* number = getenv("DSM_TEST_SIGNAL");
  if (number)
  {
    fprintf(stderr, "inside\n");
    raise(atoi(number));
  }
  return PMPI_Intercomm_create(local, localLeader, peer, remoteLeader, tag, made);
}
