// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Host/HostGathering.h"

#include "ControlFixture.h"

#include "Base/Error.h"
#include "Control/ContactFile.h"
#include "Control/Listener.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <future>
#include <optional>
#include <thread>
#include <vector>

namespace
{

using namespace dsm;

/// The hosts are threads of this process.
class HostGatheringTest : public ::testing::Test
{
protected:
  using Group = std::shared_ptr<RankGroup>;

  std::string Meeting() const { return this->Folder.File("run.dsm.hosts"); }

  Group Gather(const HostPlace& place, double seconds = 10)
  {
    return GatherHosts(this->Folder.File("run.dsm"), place, Seconds(seconds),
      [this] { return this->Stopped.load(); });
  }

  // Runs `work` on so many hosts, and returns what each throws.
  template <typename Work>
  std::vector<std::optional<Error>> OnHosts(int hosts, const Work& work)
  {
    std::vector<std::future<std::optional<Error>>> running;
    running.reserve(static_cast<std::size_t>(hosts));
    for (int host = 0; host < hosts; ++host)
    {
      running.push_back(std::async(std::launch::async,
        [&, host]() -> std::optional<Error>
        {
          try
          {
            work(host);
            return std::nullopt;
          }
          catch (const Error& error)
          {
            return error;
          }
        }));
    }
    std::vector<std::optional<Error>> thrown;
    thrown.reserve(running.size());
    for (auto& one : running)
    {
      thrown.push_back(one.get());
    }
    return thrown;
  }

  std::atomic<bool> Stopped{ false };
  const dsm::testing::TemporaryFolder Folder;
};

TEST_F(HostGatheringTest, AllHearWhatAllSay)
{
  constexpr int Hosts = 4;
  const auto thrown = this->OnHosts(Hosts,
    [&](int host)
    {
      const auto textOf = [](std::uint64_t round, int of)
      { return std::string(100 * round, static_cast<char>('a' + of)); };
      const Group group = this->Gather({ host, Hosts, "job" });
      EXPECT_EQ(group->Rank(), host);
      EXPECT_EQ(group->Size(), Hosts);
      for (std::uint64_t round = 0; round < 20; ++round)
      {
        const auto texts = group->AllGatherText(textOf(round, host));
        ASSERT_EQ(texts.size(), 4u);
        for (int other = 0; other < Hosts; ++other)
        {
          EXPECT_EQ(texts[other], textOf(round, other));
        }
        EXPECT_EQ(group->Max(round + host), round + 3);
        EXPECT_EQ(group->BroadcastText(std::to_string(host), 2), "2");
        int command = host == 0 ? 7 : 0;
        group->BroadcastYielding(&command, sizeof command, [] {});
        EXPECT_EQ(command, 7);
      }
      group->Barrier();
      EXPECT_FALSE(std::filesystem::exists(this->Meeting())) << "all are there";
    });
  EXPECT_TRUE(std::ranges::none_of(thrown, [](const auto& error) { return error.has_value(); }));
}

TEST_F(HostGatheringTest, OneHostNeedsNoOther)
{
  const Group group = this->Gather({});
  EXPECT_EQ(group->Size(), 1);
  EXPECT_EQ(group->AllGatherText("a"), std::vector<std::string>{ "a" });
}

TEST_F(HostGatheringTest, SaysWhoHasNotCome)
{
  const auto thrown = this->OnHosts(2, [&](int host) { this->Gather({ host * 2, 3, "" }, 0.5); });
  ASSERT_TRUE(thrown[0] && thrown[1]);
  EXPECT_EQ(thrown[0]->GetFault(), Fault::TimedOut);
  EXPECT_NE(
    std::string(thrown[0]->what()).find("these have not come within 0.5 s: 1."), std::string::npos)
    << thrown[0]->what();
  EXPECT_EQ(thrown[1]->GetFault(), Fault::TimedOut);
  EXPECT_FALSE(std::filesystem::exists(this->Meeting()));
}

TEST_F(HostGatheringTest, NamesTheFileByWhichHostZeroIsNotFound)
{
  const auto thrown = this->OnHosts(1, [&](int) { this->Gather({ 1, 2, "" }, 0.2); });
  ASSERT_TRUE(thrown[0]);
  EXPECT_EQ(thrown[0]->GetFault(), Fault::TimedOut);
  EXPECT_NE(std::string(thrown[0]->what()).find("run.dsm.hosts"), std::string::npos)
    << thrown[0]->what();
}

TEST_F(HostGatheringTest, EndsWhenItIsToldTo)
{
  this->Stopped = true;
  const auto thrown = this->OnHosts(2, [&](int host) { this->Gather({ host, 3, "" }, 60); });
  EXPECT_TRUE(thrown[0] && thrown[1]);
}

TEST_F(HostGatheringTest, RefusesTwoOfOneNumber)
{
  const auto thrown =
    this->OnHosts(3, [&](int host) { this->Gather({ std::min(host, 1), 3, "" }, 1); });
  EXPECT_EQ(std::ranges::count_if(
              thrown, [](const auto& error) { return error && error->GetFault() == Fault::Usage; }),
    1);
}

TEST_F(HostGatheringTest, DoesNotTakeTheHostsOfAnotherLaunch)
{
  const auto thrown = this->OnHosts(
    2, [&](int host) { this->Gather({ host, 2, host == 0 ? "this" : "another" }, 0.5); });
  ASSERT_TRUE(thrown[0] && thrown[1]);
  EXPECT_EQ(thrown[0]->GetFault(), Fault::TimedOut);
  EXPECT_NE(std::string(thrown[1]->what()).find("none of this launch"), std::string::npos)
    << thrown[1]->what();
}

TEST_F(HostGatheringTest, SaysWhyItWasRefusedAlsoWhenThatHostZeroHasEnded)
{
  const auto thrown = this->OnHosts(3,
    [&](int host)
    {
      const auto awaitMeeting = [this](bool there)
      {
        for (const Deadline deadline(Seconds(10));
          std::filesystem::exists(this->Meeting()) != there && !deadline.Expired();)
        {
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
      };
      if (host == 2)
      {
        awaitMeeting(true);
        const Contact first = ReadContact(this->Meeting(), Deadline(Seconds(10)));
        awaitMeeting(false);
        WriteContact(this->Meeting(), first); // as if host 0 ended behind the next look at it
        return;
      }
      this->Gather({ host, 2, host == 0 ? "this" : "another" }, host == 0 ? 0.5 : 1.5);
    });
  ASSERT_TRUE(thrown[0] && thrown[1] && !thrown[2]);
  EXPECT_NE(std::string(thrown[1]->what()).find("none of this launch"), std::string::npos)
    << thrown[1]->what();
}

TEST_F(HostGatheringTest, WhatAKilledHostHasLeftIsInNobodysWay)
{
  Contact left = Contact::OfThisProcess();
  {
    const Listener ended(left, {});
  }
  WriteContact(this->Meeting(), left);
  const auto thrown = this->OnHosts(2,
    [&](int host)
    {
      if (host == 0)
      {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
      }
      EXPECT_EQ(this->Gather({ host, 2, "" })->Max(host), 1u);
    });
  EXPECT_FALSE(thrown[0] || thrown[1]);
}

TEST_F(HostGatheringTest, TheOthersEndWithHostZero)
{
  const auto thrown = this->OnHosts(3,
    [&](int host)
    {
      const Group group = this->Gather({ host, 3, "" });
      if (host > 0)
      {
        group->Barrier();
      }
    });
  EXPECT_FALSE(thrown[0]);
  for (const int host : { 1, 2 })
  {
    ASSERT_TRUE(thrown[host]);
    EXPECT_EQ(thrown[host]->GetFault(), Fault::PeerLost);
    EXPECT_NE(std::string(thrown[host]->what()).find("host 0 of 3 has ended"), std::string::npos)
      << thrown[host]->what();
  }
}

}
