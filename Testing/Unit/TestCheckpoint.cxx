// SPDX-License-Identifier: BSD-3-Clause
// Which streams ParaView's panel does not show by itself, by their names.
#include "pqDSMCheckpoint.h"

#include <gtest/gtest.h>

TEST(Checkpoint, IsAWordOfTheName)
{
  for (const char* name : { "checkpoint.#.h5", "run_chk_#.h5", "Restart#.hdf5", "chk#",
         "out-ckpt.#.h5", "restarts/state.#.h5", "SIM_hdf5_chk_#" })
  {
    EXPECT_TRUE(pqDSMCheckpoint::isName(name)) << name;
  }
  for (const char* name : { "density.#.h5", "first.#.h5", "chknorris.#.h5", "unrestarted.#.h5",
         "particles.#.h5", "#.h5", "" })
  {
    EXPECT_FALSE(pqDSMCheckpoint::isName(name)) << name;
  }
}
