// SPDX-License-Identifier: BSD-3-Clause
#include "Base/Watchdog.h"

#include <gtest/gtest.h>

#include <future>

using namespace dsm;

TEST(Watchdog, SaysWhichCallTakesTooLong)
{
  std::promise<std::string> said;
  Watchdog watchdog(Seconds(0.2), [&](const char* call) { said.set_value(call); });
  {
    const Watchdog::Watch watch(watchdog, "short");
  }
  const Watchdog::Watch watch(watchdog, "long");
  auto call = said.get_future();
  ASSERT_EQ(call.wait_for(std::chrono::seconds(20)), std::future_status::ready);
  EXPECT_EQ(call.get(), "long"); // once: a second time would throw in the watchdog's thread
}

TEST(Watchdog, EndsWhileItWatchesNothing)
{
  Watchdog watchdog(Seconds(60), [](const char*) { FAIL(); });
  const Watchdog::Watch watch(watchdog, "short");
}

TEST(Watchdog, LastResortSaysWhyAndEnds)
{
  EXPECT_EXIT(EndThisProcess("the hosts are gone"), testing::ExitedWithCode(EXIT_FAILURE),
    "the hosts are gone");
}
