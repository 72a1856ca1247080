// SPDX-License-Identifier: BSD-3-Clause
// main() of tests that run on several ranks: a test fails when any rank fails.
#include "TestRanks.h"

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>

int main(int argc, char** argv)
{
  testing::InitGoogleTest(&argc, argv);
  MPI_Init(&argc, &argv);
  int rank = 0;
  testranks::Connect();
  MPI_Comm_rank(testranks::Comm(), &rank);
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  if (rank != 0)
  {
    // One rank tells the story; the others print only what fails, to standard error.
    delete listeners.Release(listeners.default_result_printer());
    class Failures : public testing::EmptyTestEventListener
    {
      void OnTestPartResult(const testing::TestPartResult& result) override
      {
        if (result.failed())
        {
          std::fprintf(stderr, "%s:%d: %s\n", result.file_name() ? result.file_name() : "",
            result.line_number(), result.message());
        }
      }
    };
    listeners.Append(new Failures);
  }
  int failed = RUN_ALL_TESTS();
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, testranks::Comm());
  testranks::Disconnect();
  MPI_Finalize();
  return failed;
}
