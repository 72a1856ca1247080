// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Delays that a test asks for, so that ranks see the server's end, its return and its files at
/// different moments. Without DSM_TEST_DELAYS and DSM_TEST_HOLD nothing here does anything.
///
/// DSM_TEST_DELAYS is a seed. At each place a process draws a number from the seed, its rank, the
/// place's name and how often it has come there. Most draws are no delay, a few are up to half a
/// second. The same seed delays the same visits in each run.
///
/// DSM_TEST_HOLD is RANK:PLACE:FILE. If FILE exists when the process of that rank comes to the
/// place, the process makes FILE.reached. It goes on when FILE is removed, or after 60 seconds.
namespace dsm::testdelay
{

/// Sleeps if the draw says so, and waits while this rank is held. `place` is a literal without a
/// colon. Thread safe.
void At(const char* place);

/// Waits while this rank is held, as At, and draws no delay: for a place to which a process comes
/// again and again. Thread safe.
void HoldAt(const char* place);

}
