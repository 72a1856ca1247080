// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Delays that a test asks for, so that ranks see the server's end, its return and its files at
/// different moments. Without DSM_TEST_DELAYS nothing here does anything.
///
/// DSM_TEST_DELAYS is a seed. At each place a process draws a number from the seed, its rank, the
/// place's name and how often it has come there. Most draws are no delay, a few are up to half a
/// second. The same seed delays the same visits in each run.
namespace dsm::testdelay
{

/// Sleeps if the draw says so. `place` is a literal. Thread safe.
void At(const char* place);

}
