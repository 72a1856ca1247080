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

/// By PMIx (Open MPI, PRRTE, Slurm), Slurm, PALS (Cray), Flux, or PMI (MPICH, Intel MPI). PMI gives
/// jobs no names: there, jobs of one size are taken for one.
LaunchedJob JobOfThisProcess();

/// Which of its job's processes this one is, from 0 on; 0 where no launcher says so.
std::uint64_t RankOfThisProcess();

}
