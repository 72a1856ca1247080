// SPDX-License-Identifier: BSD-3-Clause
#include "Base/Error.h"
#include "Mpi/SpareCommunicators.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

namespace
{

using namespace dsm;

Communicator Split(int colour, int key)
{
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, colour, key, &comm);
  return Communicator::Adopt(comm);
}

TEST(SpareCommunicators, FindsAndTakesOneOfTheSameRanks)
{
  const Communicator world = Communicator::Duplicate(MPI_COMM_WORLD);
  ASSERT_EQ(SpareCommunicators::Find(world), 0u);
  Communicator spare = Communicator::Duplicate(MPI_COMM_WORLD);
  const MPI_Comm handle = spare.Handle();
  SpareCommunicators::Keep(7, std::move(spare));
  EXPECT_EQ(SpareCommunicators::Find(world), 7u);
  const Communicator taken = SpareCommunicators::Take(7);
  EXPECT_EQ(taken.Handle(), handle);
  EXPECT_EQ(taken.Sum(std::uint64_t{ 1 }), static_cast<std::uint64_t>(world.Size()));
  EXPECT_EQ(SpareCommunicators::Find(world), 0u);
  EXPECT_THROW(SpareCommunicators::Take(7), Error);
}

TEST(SpareCommunicators, DoesNotFindOneOfOtherRanksOrAnotherOrder)
{
  const Communicator world = Communicator::Duplicate(MPI_COMM_WORLD);
  if (world.Size() == 1)
  {
    GTEST_SKIP() << "one rank has one order";
  }
  SpareCommunicators::Keep(8, Split(0, -world.Rank()));
  SpareCommunicators::Keep(9, Split(world.Rank() == 0 ? 0 : 1, 0));
  EXPECT_EQ(SpareCommunicators::Find(world), 0u);
  EXPECT_EQ(SpareCommunicators::Take(8).Size(), world.Size());
  EXPECT_LT(SpareCommunicators::Take(9).Size(), world.Size());
}

TEST(SpareCommunicators, KeepsFew)
{
  const Communicator world = Communicator::Duplicate(MPI_COMM_WORLD);
  EXPECT_FALSE(SpareCommunicators::MayKeep(Communicator::Single()));
  std::uint64_t kept = 0;
  for (; kept < 100 && SpareCommunicators::MayKeep(world); ++kept)
  {
    SpareCommunicators::Keep(100 + kept, Communicator::Duplicate(MPI_COMM_WORLD));
  }
  EXPECT_EQ(kept, 16u);
  for (std::uint64_t taken = 0; taken < kept; ++taken)
  {
    SpareCommunicators::Take(100 + taken);
  }
  EXPECT_TRUE(SpareCommunicators::MayKeep(world));
}

}
