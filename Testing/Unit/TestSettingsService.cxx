// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/SettingsService.h"

#include "SimulatedServer.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

namespace
{

using namespace dsm;
using dsm::testing::SimulatedServer;
using dsm::testing::Texts;

constexpr std::uint64_t KiB = UINT64_C(1) << 10;

class SettingsServiceTest : public ::testing::Test
{
protected:
  SettingsServiceTest() { this->Server.Connect("writer", "writer"); }

  SettingsService& Settings() { return this->Server.Core.Settings; }
  const CoreState& State() const { return this->Server.Core.State; }

  template <typename Work>
  auto Do(const Work& work)
  {
    return this->Server.Core.Router.Do(work);
  }

  /// Changes some options.
  void Adjust(const std::function<void(ServerOptions&)>& change)
  {
    ServerOptions options = this->State().Options;
    change(options);
    this->Do([&] { this->Settings().Adjust(options, this->State().Description); });
  }

  /// Why options that are changed so are refused; empty: they are not.
  std::string Check(const std::function<void(ServerOptions&)>& change)
  {
    ServerOptions options = this->State().Options;
    change(options);
    try
    {
      this->Do([&] { this->Settings().Check(options); });
    }
    catch (const Error& error)
    {
      EXPECT_EQ(error.GetFault(), Fault::Usage);
      return error.what();
    }
    return {};
  }

  SimulatedServer Server;
};

TEST_F(SettingsServiceTest, RefusesWhatTheRunningServerCannotDo)
{
  using Options = ServerOptions;
  const struct
  {
    std::function<void(Options&)> Change;
    std::string Refusal; ///< its beginning; empty: it is possible
  } cases[] = {
    { [](Options&) {}, "" },
    { [](Options& options)
      {
        options.MemoryPerHost = 512 * KiB;
        options.Map.BlockSize = 4 * KiB;
      },
      "" },
    { [](Options& options)
      {
        options.MemoryPerHost = 512 * KiB;
        options.Map.BlockSize = 1024 * KiB;
      },
      "a block size of 1048576 bytes does not fit" },
    { [](Options& options) { options.MemoryPerHost = 1024 * KiB; }, "" },
    { [](Options& options) { options.MemoryPerHost = 1025 * KiB; },
      "1.004 MiB is more than the running server can grow to" },
    { [](Options& options) { options.MaximumSnapshots = 63; }, "" },
    { [](Options& options) { options.MaximumSnapshots = 64; },
      "64 snapshots are more than the running server can keep (63)" },
    { [](Options& options) { options.FullRingLimit = Seconds(-1); },
      "a simulation cannot wait -1 seconds for room: give 0 or more" },
    { [](Options& options)
      { options.FullRingLimit = Seconds(std::numeric_limits<double>::quiet_NaN()); },
      "a simulation cannot wait nan seconds" },
    { [](Options& options) { options.Map.Strategy = "none of them"; },
      "there is no redistribution strategy \"none of them\"" },
    { [](Options& options) { options.AlsoOnDisk = "every x"; },
      "unknown rule \"every x\": enter all, none, every N" },
  };
  for (const auto& one : cases)
  {
    const std::string refusal = this->Check(one.Change);
    EXPECT_EQ(refusal.empty(), one.Refusal.empty()) << refusal;
    EXPECT_EQ(refusal.find(one.Refusal), 0u) << refusal;
  }
}

TEST_F(SettingsServiceTest, PinnedMemoryStaysAsItWas)
{
  this->Do([&] { this->Server.Core.State.Description.Pinned = true; });
  EXPECT_EQ(this->Check([](ServerOptions& options) { options.MemoryPerHost = 512 * KiB; })
              .find("cannot change the memory per host: the running server shares 1 MiB of pinned"),
    0u);
  EXPECT_EQ(this->Check([](ServerOptions& options) { options.MemoryPerHost = 1024 * KiB + 1; }), "")
    << "the same in MiB";
}

TEST_F(SettingsServiceTest, RefusedChangesChangeNothing)
{
  EXPECT_THROW(this->Adjust(
                 [](ServerOptions& options)
                 {
                   options.WhenFull = FullRing::Block;
                   options.MaximumSnapshots = 64;
                 }),
    Error);
  EXPECT_EQ(this->State().Options.WhenFull, FullRing::DropOldest);
  EXPECT_TRUE(this->Settings().Pending().empty());
}

TEST_F(SettingsServiceTest, AppliesThePolicyAtOnceAndKeepsTheContactFile)
{
  this->Adjust(
    [](ServerOptions& options)
    {
      options.WhenFull = FullRing::Block;
      options.MaximumSnapshots = 7;
      options.ContactFile = "/elsewhere/run.dsm";
    });
  EXPECT_EQ(this->Server.Core.Images.GetPolicy().WhenFull, FullRing::Block);
  EXPECT_EQ(this->Server.Status().Options.MaximumSnapshots, 7u);
  EXPECT_EQ(this->State().Options.ContactFile, "/nowhere/run.dsm");
}

TEST_F(SettingsServiceTest, KeepsAsManySnapshotsAsThereAreSlotsIfNobodySaysHowMany)
{
  EXPECT_EQ(this->Server.Status().Options.MaximumSnapshots, 63u);
}

TEST_F(SettingsServiceTest, ChangesWhatHostsLendAndHasThemReleaseTheRest)
{
  this->Server.TakeOrders(0);
  this->Adjust(
    [](ServerOptions& options)
    {
      options.MemoryPerHost = 510 * KiB;
      options.Map.BlockSize = 4 * KiB;
    });
  EXPECT_EQ(this->Server.Core.Images.Memory().Budget(), 512 * KiB) << "whole pages";
  const auto orders = this->Server.TakeOrders(0);
  ASSERT_FALSE(orders.empty());
  EXPECT_FALSE(orders.front().Release.empty());
  this->Adjust([](ServerOptions& options) { options.MemoryPerHost = 0; });
  EXPECT_EQ(this->Server.Core.Images.Memory().Budget(), 1024 * KiB) << "as at Start";
}

TEST_F(SettingsServiceTest, NamesChangesUntilAFileBeginsWithThem)
{
  this->Adjust(
    [](ServerOptions& options)
    {
      options.Map.Strategy = "contiguous";
      options.Map.Seed = 5;
    });
  this->Adjust([](ServerOptions& options) { options.Map.Seed = 6; });
  EXPECT_EQ(this->Server.Status().Pending, (Texts{ "strategy", "seed" }));
  this->Server.Begin("writer", "/a.h5");
  EXPECT_TRUE(this->Server.Status().Pending.empty());
}

TEST_F(SettingsServiceTest, SetsAMapOrRefusesIt)
{
  Redistribution map;
  map.Strategy = "none of them";
  EXPECT_THROW(this->Do([&] { this->Settings().SetMap(map); }), Error);
  EXPECT_TRUE(this->Server.Status().Pending.empty());
  map.Strategy = "contiguous";
  this->Do([&] { this->Settings().SetMap(map); });
  EXPECT_EQ(this->Server.Status().Pending, Texts{ "strategy" });
  EXPECT_EQ(this->Server.Begin("writer", "/a.h5").Map.Strategy, "contiguous");
}

TEST_F(SettingsServiceTest, TellsEachWriterOfNewSettingsOnceBeforeAnAnswer)
{
  const auto image = this->Server.Begin("writer", "/a.h5");
  this->Adjust([](ServerOptions& options) { options.FullRingLimit = Seconds(9); });
  EXPECT_TRUE(this->Server.Channel.Take<ServerChanged>("writer").empty()) << "not by itself";
  this->Server.Seal("writer", image.Image);
  const auto told = this->Server.Channel.Take<ServerChanged>("writer");
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told.front().FullRingLimit, 9);
  EXPECT_EQ(told.front().Server, this->State().Description);
  this->Server.WriteFile("writer", "/b.h5");
  EXPECT_TRUE(this->Server.Channel.Take<ServerChanged>("writer").empty());
  this->Server.Connect("newer", "writer");
  this->Server.WriteFile("newer", "/c.h5");
  EXPECT_TRUE(this->Server.Channel.Take<ServerChanged>("newer").empty()) << "it was told at hello";
}

TEST_F(SettingsServiceTest, TellsOfAnotherTransportWithTheNextFile)
{
  ServerDescription description = this->State().Description;
  description.Session = "reached otherwise";
  this->Do([&] { this->Settings().Adjust(this->State().Options, description); });
  EXPECT_EQ(this->Server.Status().Pending, Texts{ "transport" });
  this->Server.Begin("writer", "/a.h5");
  const auto told = this->Server.Channel.Take<ServerChanged>("writer");
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told.front().Server, description);
}

// A simulation asks nothing before a flush.
TEST_F(SettingsServiceTest, TellsAllPeersButHostsOfTheFilePolicyAtOnce)
{
  this->Server.Connect("viewer", "viewer");
  FilePolicy policy = this->State().Options.Files;
  policy.MayBeOnDisk = true; // which is not for the policy to say
  this->Do([&] { this->Settings().SetFilePolicy(policy); });
  for (const PeerId peer : { "writer", "viewer" })
  {
    const auto told = this->Server.Channel.Take<FilePolicyChanged>(peer);
    ASSERT_EQ(told.size(), 1u) << peer;
    EXPECT_FALSE(told.front().Files.MayBeOnDisk);
  }
  EXPECT_TRUE(this->Server.Channel.Take<FilePolicyChanged>(SimulatedServer::HostPeer(0)).empty());
}

TEST_F(SettingsServiceTest, TellsPeersWhenFilesMayBeOnDisk)
{
  EXPECT_FALSE(this->Server.Connect("viewer", "viewer").Files.MayBeOnDisk);
  this->Adjust([](ServerOptions& options) { options.AlsoOnDisk = "all"; });
  const auto told = this->Server.Channel.Take<FilePolicyChanged>("writer");
  ASSERT_EQ(told.size(), 1u);
  EXPECT_TRUE(told.front().Files.MayBeOnDisk);
  this->Adjust([](ServerOptions& options) { options.AlsoOnDisk = "none"; });
  EXPECT_TRUE(this->Server.Channel.Take<FilePolicyChanged>("writer").empty())
    << "some may be there already";
  EXPECT_TRUE(this->Server.Connect("viewer", "viewer").Files.MayBeOnDisk);
}

}
