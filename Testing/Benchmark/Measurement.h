// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace bench
{

/// Rates of one way of writing over its rounds, in GB/s (10^9 bytes per second).
struct Series
{
  std::string Name;
  std::vector<double> Rates;

  double Median() const
  {
    auto sorted = this->Rates;
    std::sort(sorted.begin(), sorted.end());
    return sorted.empty() ? 0 : sorted[sorted.size() / 2];
  }
};

/// Collective: seconds that `work` takes on the slowest rank, from a common start.
inline double SecondsOf(MPI_Comm comm, const std::function<void()>& work)
{
  MPI_Barrier(comm);
  const double begin = MPI_Wtime();
  work();
  double seconds = MPI_Wtime() - begin;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
  return seconds;
}

}
