// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace dsm
{

/// The MPI job that this process is part of, as its launcher says in the environment: also of
/// programs that do not use MPI for their files, or not at all.
struct LaunchedJob
{
  std::string Name;            ///< of the job, the same in all its processes; empty: none is known
  std::uint64_t Processes = 1; ///< how many it has

  bool operator==(const LaunchedJob&) const = default;
};

/// Returns the job that PMIx (Open MPI, PRRTE, Slurm), Slurm, PALS (Cray), Flux, or PMI (MPICH,
/// Intel MPI) describes. PMI does not name jobs: two jobs of one size and one launch have the same
/// name.
LaunchedJob JobOfThisProcess();

/// Returns whether a launcher (mpiexec, PALS, Flux) has started this process as a rank of a job.
bool IsLaunchedRank();

/// Returns a text that differs between two launches of a program by its user: the machine and the
/// process group, which a shell makes for each command line. The programs that a script starts have
/// the same launch. A rank's process group belongs to the rank alone, so ranks return what dsm-run
/// has passed to them (DSM_LAUNCH). Empty if a rank's launch is unknown.
std::string LaunchOfThisProcess();

/// Which of its job's processes this one is, from 0 on; 0 where no launcher says so.
std::uint64_t RankOfThisProcess();

}
