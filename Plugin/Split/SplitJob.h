// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <string>

/// The part of an MPI job that one program of several has to itself.
///
///     mpiexec -n 2 dsm-paraview --split pvbatch script.py : -n 3 simulation
///
///     MPI_COMM_WORLD   [ 0  1 | 2  3  4 ]
///     MPI_APPNUM         0  0   1  1  1
///     Own              [ 0  1 ]              what ParaView takes for the world
class SplitJob
{
public:
  /// Collective over MPI_COMM_WORLD, in which every program takes part by an MPI_Comm_split of its
  /// own. Initialises MPI, at MPI_THREAD_MULTIPLE where the library can. Ends the process with a
  /// message when there is nobody to split from.
  SplitJob();
  SplitJob(const SplitJob&) = delete;
  SplitJob& operator=(const SplitJob&) = delete;

  MPI_Comm Own() const { return this->Comm; }

private:
  MPI_Comm Comm = MPI_COMM_NULL;
};
