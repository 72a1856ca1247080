// SPDX-License-Identifier: BSD-3-Clause
#include "Base/Error.h"
#include "Mpi/Agreement.h"
#include "Mpi/RestingGroup.h"

#include <gtest/gtest.h>

#include <chrono>
#include <ctime>
#include <string>
#include <thread>

namespace
{

using namespace dsm;
using std::chrono::milliseconds;

// Returns the processor time of this thread, in seconds.
double ProcessorTime()
{
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

TEST(RestingGroup, HasTheResultsOfItsCommunicator)
{
  const Communicator world = Communicator::Duplicate(MPI_COMM_WORLD);
  const RestingGroup group(world);
  const int last = world.Size() - 1;
  EXPECT_EQ(group.Rank(), world.Rank());
  EXPECT_EQ(group.Size(), world.Size());
  EXPECT_EQ(group.Max(static_cast<std::uint64_t>(world.Rank())), static_cast<std::uint64_t>(last));
  const std::string mine = "rank " + std::to_string(world.Rank());
  const std::string longer(100000, static_cast<char>('a' + world.Rank()));
  for (int root = 0; root <= last; ++root)
  {
    EXPECT_EQ(group.BroadcastText(mine, root), "rank " + std::to_string(root));
    EXPECT_EQ(
      group.BroadcastText(longer, root), std::string(100000, static_cast<char>('a' + root)));
  }
  const auto all = group.AllGatherText(mine);
  ASSERT_EQ(all.size(), static_cast<std::size_t>(world.Size()));
  EXPECT_EQ(all.back(), "rank " + std::to_string(last));
  try
  {
    RunOnRankZero(group, [] { throw Error(Fault::Refused, "not today"); });
    FAIL();
  }
  catch (const AgreedError& error)
  {
    EXPECT_EQ(error.GetFault(), Fault::Refused);
    EXPECT_STREQ(error.what(), "not today");
  }
}

TEST(RestingGroup, RanksSleepWhileTheyWait)
{
  const Communicator world = Communicator::Duplicate(MPI_COMM_WORLD);
  const RestingGroup group(world);
  const auto late = [&]
  {
    std::this_thread::sleep_for(milliseconds(300));
    return 7;
  };
  group.Barrier();
  const double before = ProcessorTime();
  EXPECT_EQ(RunOnRankZero(group, late), 7);
  if (world.Rank() == 0)
  {
    late();
  }
  group.Barrier();
  // Ranks that poll use a core for all of the 0.6 seconds.
  EXPECT_LT(ProcessorTime() - before, 0.2);
}

TEST(RestingGroup, OneRankNeedsNoMpi)
{
  const Communicator single = Communicator::Single();
  const RestingGroup group(single);
  group.Barrier();
  EXPECT_EQ(group.Max(std::uint64_t{ 3 }), 3u);
  EXPECT_EQ(group.BroadcastText("alone"), "alone");
  EXPECT_EQ(group.AllGatherText("alone"), std::vector<std::string>{ "alone" });
}

}
