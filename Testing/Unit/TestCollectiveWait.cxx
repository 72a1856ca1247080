// SPDX-License-Identifier: BSD-3-Clause
#include "Mpi/CollectiveWait.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <thread>

namespace
{

using dsm::CollectiveWait;

void WaitTooLong(const char* call)
{
  const CollectiveWait wait(call, 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
}

// HDF5 closes files in a handler of exit(), which runs when what the thread had of its own is gone.
// Found as a use of freed memory; without a sanitizer that may go well.
TEST(CollectiveWait, TellsAlsoWhenTheProgramEnds)
{
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto end = []
  {
    setenv("DSM_WAIT_WARNING", "0.2", 1);
    {
      const CollectiveWait::Purpose purpose("writing");
      const CollectiveWait early("MPI_Barrier", 0);
    }
    std::atexit(
      []
      {
        const CollectiveWait::Purpose purpose("closing a file");
        WaitTooLong("MPI_Allreduce");
      });
    std::exit(7); // NOLINT(concurrency-mt-unsafe): it is what is tested
  };
  EXPECT_EXIT(end(), testing::ExitedWithCode(7),
    "rank 0 has been waiting for the other ranks .*closing a file \\(MPI_Allreduce\\)");
}

}
