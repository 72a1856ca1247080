// SPDX-License-Identifier: BSD-3-Clause
// What MPI does in the background, and how it is given up.
#include "Base/Deadline.h"
#include "Mpi/Request.h"

#include <gtest/gtest.h>
#include <mpi.h>

#include <sched.h>

namespace
{

using namespace dsm;

bool IsDoneInTime(Request& request)
{
  const Deadline deadline{ Seconds(60) };
  while (!request.Done())
  {
    if (deadline.Expired())
    {
      return false;
    }
    sched_yield();
  }
  return true;
}

// MPICH ends a process that cancels one.
TEST(Requests, OthersThanMessagesAreNotCancelled)
{
  const Communicator ranks = Communicator::Duplicate(MPI_COMM_WORLD);
  Request barrier = Request::Barrier(ranks);
  barrier.Cancel();
  EXPECT_TRUE(IsDoneInTime(barrier)) << "it goes on";
}

TEST(Requests, AReceiveThatNobodyAnswersIsCancelled)
{
  const Communicator ranks = Communicator::Duplicate(MPI_COMM_WORLD);
  int nothing = 0;
  Request receive = Request::Receive(ranks.Handle(), ranks.Rank(), 7, &nothing, sizeof nothing);
  EXPECT_FALSE(receive.Done());
  receive.Cancel();
  EXPECT_TRUE(IsDoneInTime(receive));
}

}
