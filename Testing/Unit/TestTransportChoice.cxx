// SPDX-License-Identifier: BSD-3-Clause
#include "Base/Error.h"
#include "Base/NodeIdentity.h"
#include "Transport/ChooseTransport.h"
#include "Transport/Router.h"
#include "Transport/Routes.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

namespace
{

class TransportChoice : public testing::Test
{
protected:
  void SetUp() override { this->Forget(); }
  void TearDown() override { this->Forget(); }
  static void Forget()
  {
    unsetenv("DSM_TRANSPORT");
    unsetenv("DSM_NODE_MEMORY");
  }
};

TEST_F(TransportChoice, SurvivesItsText)
{
  for (const char* text : { "automatic", "shared-memory", "mpi-rma", "mpi-messages", "fabric",
         "fabric/tcp;ofi_rxm", "mpi-rma,fabric/tcp:8192" })
  {
    EXPECT_EQ(dsm::TransportFromText(text).ToText(), text);
  }
  const auto two = dsm::TransportFromText("mpi-rma,fabric:8KiB");
  EXPECT_EQ(two.Heavy, "mpi-rma");
  EXPECT_EQ(two.Light, "fabric");
  EXPECT_EQ(two.Threshold, 8192u);
}

TEST_F(TransportChoice, RefusesWhatItDoesNotKnow)
{
  for (const char* text :
    { "", "tcp", "fabric/", "mpi-rma,fabric", "mpi-rma,pigeon:8KiB", "mpi-rma,fabric:many" })
  {
    EXPECT_THROW(dsm::TransportFromText(text), dsm::Error) << text;
  }
}

TEST_F(TransportChoice, TheEnvironmentOverridesTheServer)
{
  const auto server = dsm::TransportFromText("fabric");
  EXPECT_EQ(dsm::TransportWithEnvironment(server), server);
  setenv("DSM_TRANSPORT", "mpi-rma", 1);
  setenv("DSM_NODE_MEMORY", "off", 1);
  EXPECT_EQ(dsm::TransportWithEnvironment(server).Heavy, "mpi-rma");
  EXPECT_FALSE(dsm::TransportWithEnvironment(server).NodeMemory);
  setenv("DSM_NODE_MEMORY", "perhaps", 1);
  EXPECT_THROW(dsm::TransportWithEnvironment(server), dsm::Error);
}

/// Notes what it is asked to do.
class Recorder : public dsm::Transport
{
public:
  explicit Recorder(std::string name)
    : Called(std::move(name))
  {
  }
  std::string Name() const override { return this->Called; }
  void Put(dsm::HostIndex host, std::uint64_t, const void*, std::uint64_t size) override
  {
    this->Puts.emplace_back(host, size);
  }
  void Get(dsm::HostIndex host, std::uint64_t, void*, std::uint64_t size) override
  {
    this->Gets.emplace_back(host, size);
  }
  void Flush() override { ++this->Flushes; }
  const std::byte* Direct(dsm::HostIndex, std::uint64_t) const override { return nullptr; }

  using Transfers = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  std::string Called;
  Transfers Puts;
  Transfers Gets;
  int Flushes = 0;
};

dsm::ServerDescription FarHosts(std::uint64_t count)
{
  dsm::ServerDescription server;
  server.Hosts.resize(count);
  for (auto& host : server.Hosts)
  {
    host.Node = "another machine";
  }
  return server;
}

TEST(Routes, SplitsTransfersBySize)
{
  const auto heavy = std::make_shared<Recorder>("mpi-rma");
  const auto light = std::make_shared<Recorder>("mpi-messages");
  const auto way = dsm::MakeRoutes(
    FarHosts(2), dsm::TransportFromText("mpi-rma,mpi-messages:100"), { light, heavy });
  way->Put(0, 0, nullptr, 99);
  way->Put(1, 0, nullptr, 100);
  way->Get(1, 0, nullptr, 7);
  way->Flush();
  EXPECT_EQ(light->Puts, (Recorder::Transfers{ { 0, 99 } }));
  EXPECT_EQ(heavy->Puts, (Recorder::Transfers{ { 1, 100 } }));
  EXPECT_EQ(light->Gets, (Recorder::Transfers{ { 1, 7 } }));
  EXPECT_EQ(light->Flushes, 1);
  EXPECT_EQ(heavy->Flushes, 1);
}

TEST(Routes, SaysWhichHostIsOutOfReach)
{
  auto server = FarHosts(2);
  for (const char* choice : { "shared-memory", "mpi-rma" })
  {
    try
    {
      dsm::MakeRoutes(server, dsm::TransportFromText(choice), {});
      FAIL() << "reached another machine over " << choice;
    }
    catch (const dsm::Error& error)
    {
      EXPECT_EQ(error.GetFault(), dsm::Fault::Unsupported);
      EXPECT_NE(std::string(error.what()).find("host 0 of 2"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("DSM_TRANSPORT"), std::string::npos) << error.what();
    }
  }
}

// Hosts that offer no fabric are reached by what was joined over MPI, unless something is named.
TEST(Routes, AutoTakesWhatThereIs)
{
  const auto joined = std::make_shared<Recorder>("mpi-rma");
  const auto automatic = dsm::TransportFromText("automatic");
  EXPECT_EQ(dsm::MakeRoutes(FarHosts(2), automatic, { joined })->Name(), "mpi-rma");
  for (const char* choice : { "automatic", "fabric" })
  {
    try
    {
      dsm::MakeRoutes(FarHosts(2), dsm::TransportFromText(choice), {});
      FAIL() << "reached another machine over " << choice;
    }
    catch (const dsm::Error& error)
    {
      EXPECT_EQ(error.GetFault(), dsm::Fault::Unsupported);
      EXPECT_NE(std::string(error.what()).find("fabric"), std::string::npos) << error.what();
    }
  }
}

}
