// SPDX-License-Identifier: BSD-3-Clause
#include "Base/Error.h"
#include "Mpi/Agreement.h"
#include "Mpi/Communicator.h"

#include <gtest/gtest.h>

namespace
{

using namespace dsm;

TEST(Agreement, AnErrorOnOneRankIsAnErrorOnAll)
{
  const Communicator world = Communicator::Duplicate(MPI_COMM_WORLD);
  const int last = world.Size() - 1;
  try
  {
    Agree(world,
      [&]
      {
        if (world.Rank() == last)
        {
          throw Error(Fault::Unsupported, "no such thing");
        }
      });
    FAIL();
  }
  catch (const Error& error)
  {
    EXPECT_EQ(error.GetFault(), Fault::Unsupported);
    EXPECT_NE(std::string(error.what()).find("no such thing"), std::string::npos);
  }
  EXPECT_NO_THROW(Agree(world, [] {}));
}

}
