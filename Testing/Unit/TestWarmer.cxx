// SPDX-License-Identifier: BSD-3-Clause
// Memory that is made ready in the background: all of it, once, and told; also where somebody
// cannot wait for it.
#include "Server/Host/Warmer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

namespace
{

using namespace dsm;

constexpr std::uint64_t MiB = UINT64_C(1) << 20;

/// What was made ready, and how often each MiB was.
class Memory
{
public:
  Warmer::Work Work()
  {
    return [this](const Warmer::Range& range)
    {
      const std::lock_guard lock(this->Guard);
      for (std::uint64_t at = range.Begin; at < range.Begin + range.Size; at += MiB)
      {
        ++this->Times[at / MiB];
      }
    };
  }
  std::map<std::uint64_t, int> Found()
  {
    const std::lock_guard lock(this->Guard);
    return this->Times;
  }

private:
  std::mutex Guard;
  std::map<std::uint64_t, int> Times;
};

TEST(Warmer, EveryThreadDoesItsPartAndTheEndIsToldOnce)
{
  Memory memory;
  std::promise<std::string> told;
  Warmer warmer(memory.Work(), 3);
  warmer.Add({ 5 * MiB, 4 * MiB }, [&](const std::string& failure) { told.set_value(failure); });
  auto end = told.get_future();
  ASSERT_EQ(end.wait_for(std::chrono::seconds(30)), std::future_status::ready);
  EXPECT_EQ(end.get(), "");
  EXPECT_EQ(
    memory.Found(), (std::map<std::uint64_t, int>{ { 5, 1 }, { 6, 1 }, { 7, 1 }, { 8, 1 } }));
}

TEST(Warmer, WhoNeedsAPartDoesWhatIsLeftOfIt)
{
  Memory memory;
  std::vector<std::string> told;
  Warmer warmer(memory.Work(), 0); // none that would do it meanwhile
  warmer.Add({ 0, 3 * MiB }, [&](const std::string&) { told.emplace_back("first"); });
  warmer.Add({ 10 * MiB, 2 * MiB }, [&](const std::string&) { told.emplace_back("second"); });
  warmer.Finish({ 11 * MiB, 1 });
  EXPECT_EQ(told, std::vector<std::string>{ "second" });
  EXPECT_EQ(memory.Found(), (std::map<std::uint64_t, int>{ { 10, 1 }, { 11, 1 } }));
  warmer.Finish({ 3 * MiB, 7 * MiB });
  EXPECT_EQ(told.size(), 1U) << "between the two there is nothing to do";
  warmer.Finish({ 2 * MiB, 1 });
  EXPECT_EQ(told.back(), "first");
}

TEST(Warmer, AfterAFailureTheRestIsNotTried)
{
  int tried = 0;
  std::string told;
  Warmer warmer(
    [&](const Warmer::Range&)
    {
      ++tried;
      throw std::runtime_error("no memory");
    },
    0);
  warmer.Add({ 0, 8 * MiB }, [&](const std::string& failure) { told = failure; });
  warmer.Finish({ 0, MiB });
  EXPECT_EQ(told, "no memory");
  EXPECT_EQ(tried, 1);
}

}
