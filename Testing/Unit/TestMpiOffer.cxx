// SPDX-License-Identifier: BSD-3-Clause
#include "Base/Error.h"
#include "Transport/ChooseTransport.h"
#include "Transport/Mpi/MpiOffer.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include <unistd.h>

namespace
{

using dsm::ChooseJoinMethod;
using dsm::Fault;
using dsm::JobDescription;
using dsm::JoinMethod;
using dsm::MpiOffer;
using dsm::NetworksThatPin;

JobDescription Job(
  const std::string& library, std::uint64_t world, std::uint64_t leader, std::uint64_t ranks)
{
  return { library, world, leader, ranks };
}

/// Hosts that are ranks [0, hosts) of a job.
MpiOffer Offer(const std::string& library, std::uint64_t hosts, std::uint64_t world,
  const std::string& port = "a port")
{
  MpiOffer made;
  made.Given = true;
  made.Port = port;
  made.PortFailure = port.empty() ? "no ports with this netmod" : "";
  made.Hosts = Job(library, world, 0, hosts);
  return made;
}

/// What the refusal says; empty when there is none.
std::string Refusal(const MpiOffer& offer, const JobDescription& client)
{
  try
  {
    ChooseJoinMethod(offer, client);
  }
  catch (const dsm::Error& error)
  {
    EXPECT_EQ(error.GetFault(), Fault::Unsupported);
    return error.what();
  }
  return "";
}

bool Says(const std::string& text, const std::string& words)
{
  return text.find(words) != std::string::npos;
}

TEST(MpiOffer, OneLaunchJoinsStatically)
{
  const auto offer = Offer("MPICH 4.2.1", 2, 5, "");
  EXPECT_EQ(ChooseJoinMethod(offer, Job("MPICH 4.2.1", 5, 2, 3)), JoinMethod::Static);
  // Not all others need to come, and a third program may be there.
  EXPECT_EQ(ChooseJoinMethod(offer, Job("MPICH 4.2.1", 5, 4, 1)), JoinMethod::Static);
  EXPECT_EQ(ChooseJoinMethod(Offer("Open MPI 5.0.7", 2, 5), Job("Open MPI 5.0.7", 5, 2, 3)),
    JoinMethod::Static);
}

TEST(MpiOffer, TwoLaunchesJoinByAPort)
{
  EXPECT_EQ(
    ChooseJoinMethod(Offer("MPICH 5.0.2", 2, 2), Job("MPICH 5.0.2", 3, 0, 3)), JoinMethod::Dynamic);
  // As many ranks on both sides prove nothing.
  EXPECT_EQ(
    ChooseJoinMethod(Offer("MPICH 5.0.2", 2, 2), Job("MPICH 5.0.2", 2, 0, 2)), JoinMethod::Dynamic);
}

TEST(MpiOffer, RefusesAServerWithoutMpi)
{
  MpiOffer offer = Offer("MPICH 4.2.1", 2, 5);
  offer.Given = false;
  const auto text = Refusal(offer, Job("MPICH 4.2.1", 5, 2, 3));
  EXPECT_TRUE(Says(text, "started without one")) << text;
  EXPECT_TRUE(Says(text, "unset DSM_TRANSPORT")) << text;
}

TEST(MpiOffer, RefusesAnotherLibrary)
{
  for (const char* other : { "Open MPI 5.0.7", "MPICH 5.0.2" })
  {
    const auto text = Refusal(Offer("MPICH 4.2.1", 2, 5), Job(other, 5, 2, 3));
    EXPECT_TRUE(Says(text, other) && Says(text, "MPICH 4.2.1") && Says(text, "fabric")) << text;
  }
}

TEST(MpiOffer, RefusesWhoIsNotInTheHostsJob)
{
  const auto offer = Offer("MPICH 4.2.1", 2, 5);
  const JobDescription strangers[] = {
    Job("MPICH 4.2.1", 3, 2, 3), // another job of another size
    Job("MPICH 4.2.1", 5, 0, 3), // rank 0 there is the hosts' leader here
    Job("MPICH 4.2.1", 5, 2, 4), // with the hosts more than the job has
  };
  for (const auto& client : strangers)
  {
    const auto text = Refusal(offer, client);
    EXPECT_TRUE(Says(text, "only when one launch starts both (mpiexec -n 2 PARAVIEW : -n")) << text;
    EXPECT_TRUE(Says(text, "fabric")) << text;
  }
}

TEST(MpiOffer, RefusesWithoutAPort)
{
  const auto text = Refusal(Offer("MPICH 4.2.1", 2, 2, ""), Job("MPICH 4.2.1", 3, 0, 3));
  EXPECT_TRUE(Says(text, "offers no port")) << text;
  EXPECT_TRUE(Says(text, "no ports with this netmod")) << text;
  EXPECT_TRUE(Says(text, "fabric") && Says(text, "in one job")) << text;
}

TEST(MpiOffer, RefusesOpenMpiAtAPort)
{
  const auto text = Refusal(Offer("Open MPI 5.0.7", 2, 2), Job("Open MPI 5.0.7", 3, 0, 3));
  EXPECT_TRUE(Says(text, "MPI_Comm_connect may never return")) << text;
  EXPECT_TRUE(Says(text, "dsm-mpmd 2 PARAVIEW :: 3 SIMULATION")) << text;
}

TEST(MpiOffer, DescribesWhichClientsCanJoin)
{
  EXPECT_EQ(dsm::JoinMethodText(Offer("MPICH", 2, 5)), "for programs of the same MPI job");
  EXPECT_EQ(dsm::JoinMethodText(Offer("MPICH", 2, 2)), "for other MPI jobs, by a port");
  EXPECT_EQ(dsm::JoinMethodText(Offer("MPICH", 2, 2, "")), "for nobody: no ports with this netmod");
}

TEST(MpiOffer, KnowsWhichTransportsNeedMpi)
{
  const auto wants = [](const char* text)
  {
    const auto choice = dsm::TransportFromText(text);
    return std::pair(dsm::WantsMpi(choice), dsm::WantsOneSided(choice));
  };
  EXPECT_EQ(wants("automatic"), std::pair(false, false));
  EXPECT_EQ(wants("fabric"), std::pair(false, false));
  EXPECT_EQ(wants("mpi-rma"), std::pair(true, true));
  EXPECT_EQ(wants("mpi-messages"), std::pair(true, false));
  EXPECT_EQ(wants("fabric,mpi-rma:1KiB"), std::pair(true, true));
  EXPECT_EQ(wants("mpi-messages,fabric:1KiB"), std::pair(true, false));
}

TEST(MpiOffer, KnowsTheNetworksThatPin)
{
  const std::string root = testing::TempDir() + "dsm-networks." + std::to_string(getpid());
  EXPECT_TRUE(NetworksThatPin(root).empty());
  std::filesystem::create_directories(root + "/sys/class/infiniband/mlx5_0");
  std::filesystem::create_directories(root + "/sys/class/cxi/cxi0");
  EXPECT_EQ(NetworksThatPin(root), (std::vector<std::string>{ "cxi0", "mlx5_0" }));
  std::filesystem::remove_all(root);
}

}
