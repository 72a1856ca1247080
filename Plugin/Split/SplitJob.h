// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <string>

/// The ranks of one program in an MPI job of several programs.
///
///     mpiexec -n 2 dsm-paraview --split pvbatch script.py : -n 3 simulation
///
///     MPI_COMM_WORLD   [ 0  1 | 2  3  4 ]
///     MPI_APPNUM         0  0   1  1  1
///     Own              [ 0  1 ]              ParaView's world communicator
class SplitJob
{
public:
  /// Collective over MPI_COMM_WORLD: every other program calls MPI_Comm_split itself. Initialises
  /// MPI, with MPI_THREAD_MULTIPLE if the library supports it. Ends the process with a message if
  /// there is no other program.
  SplitJob();
  SplitJob(const SplitJob&) = delete;
  SplitJob& operator=(const SplitJob&) = delete;

  MPI_Comm Own() const { return this->Comm; }

private:
  MPI_Comm Comm = MPI_COMM_NULL;
};
