// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/PeerService.h"

#include "SimulatedServer.h"

#include <gtest/gtest.h>

namespace
{

using namespace dsm;
using dsm::testing::SimulatedServer;
using dsm::testing::Texts;
using Numbers = std::vector<std::uint64_t>;

class PeerServiceTest : public ::testing::Test
{
protected:
  explicit PeerServiceTest(SimulatedServer::Setup setup = {})
    : Server(std::move(setup))
  {
  }

  std::uint64_t SendHostHello(const PeerId& peer, HostIndex number, const std::string& secret,
    const std::string& key, std::uint64_t connection = 0)
  {
    Hello hello;
    hello.Peer = SimulatedServer::Describe(peer, "host");
    hello.Host = HostSeat{ number, secret, connection };
    return this->Server.Send(peer, hello, key);
  }

  const Peer& Known(const PeerId& peer) { return this->Server.Core.Peers.Known(peer); }

  SimulatedServer Server;
};

/// No memory is ready, so each image waits for the hosts.
class ColdPeerServiceTest : public PeerServiceTest
{
protected:
  ColdPeerServiceTest()
    : PeerServiceTest({ .IsWarm = false })
  {
  }
};

// ---- Peers that come.

TEST_F(PeerServiceTest, TellsAPeerOfTheServer)
{
  const HelloReply reply = this->Server.Connect("writer", "writer");
  EXPECT_EQ(reply.Server, this->Server.Core.State.Description);
  EXPECT_EQ(reply.FullRingLimit, 5);
  EXPECT_EQ(reply.Clock, this->Server.Time.Steady());
  EXPECT_EQ(reply.Trouble, "");
  EXPECT_FALSE(reply.Mailbox) << "none is left";
  EXPECT_EQ(this->Known("writer").Since, this->Server.Time.Wall);
}

TEST_F(PeerServiceTest, TellsAPeerWhichHostIsLost)
{
  this->Server.Leave(SimulatedServer::HostPeer(1), false);
  EXPECT_EQ(this->Server.Connect("writer", "writer").Trouble,
    "DSM host 1 ended: its memory cannot be reached");
}

TEST_F(PeerServiceTest, TellsAPeerThatItTakesNoFiles)
{
  this->Server.Core.Router.Do([&] { this->Server.Core.TakeNoMore(); });
  EXPECT_EQ(this->Server.Connect("writer", "writer").Trouble, "it ends, and takes no more files");
  this->Server.Core.Router.Do([&] { this->Server.Core.TakeAgain(); });
  EXPECT_EQ(this->Server.Connect("later", "writer").Trouble, "");
}

TEST_F(PeerServiceTest, GivesMailboxesToTheOwnersProgramsOnThisMachine)
{
  this->Server.Channel.Mailbox = GivenMailbox{ 3, 77 };
  struct Case
  {
    const char* Role;
    const char* Machine;
    bool IsGuest;
    bool Gets;
    std::uint64_t Left = 17;
  };
  const std::string guest = this->Server.Invite("eve", Right::Look);
  for (const Case& one :
    { Case{ "writer", "machine", false, true }, Case{ "writer", "other", false, false },
      Case{ "viewer", "machine", false, true }, Case{ "viewer", "machine", false, false, 16 },
      Case{ "writer", "machine", false, true, 16 }, Case{ "viewer", "other", false, false },
      Case{ "steering", "machine", false, false }, Case{ "writer", "machine", true, false } })
  {
    this->Server.Channel.MailboxesLeft = one.Left;
    PeerDescription process = SimulatedServer::Describe("peer", one.Role);
    process.Machine = one.Machine;
    const HelloReply reply =
      this->Server.Connect("peer", process, one.IsGuest ? guest : SimulatedServer::Owner);
    EXPECT_EQ(reply.Mailbox.has_value(), one.Gets) << one.Role << " on " << one.Machine;
    if (reply.Mailbox)
    {
      EXPECT_EQ(reply.Mailbox->Number, 3u);
      EXPECT_EQ(reply.Mailbox->Key, 77u);
    }
    this->Server.Leave("peer", false);
  }
}

TEST_F(PeerServiceTest, TakesAGuestForAViewerWhateverItSays)
{
  const std::string key = this->Server.Invite("eve", Right::Look);
  this->Server.Connect("guest", SimulatedServer::Describe("guest", "writer"), key);
  EXPECT_EQ(this->Known("guest").Role(), PeerRole::Viewer);
  EXPECT_EQ(this->Known("guest").Guest, "eve");
  EXPECT_EQ(this->Server.Status().WritersSeen, 0u);
}

TEST_F(PeerServiceTest, KeepsWhatAPeerHadThatSaysHelloAgain)
{
  this->Server.Core.Router.Do([&] { this->Server.Core.Admin.OfferAttaching(true); });
  this->Server.Connect("viewer", "viewer");
  this->Server.Ask("viewer", AttachViewer());
  this->Server.Connect("viewer", "viewer");
  EXPECT_TRUE(this->Known("viewer").Attached);
}

TEST_F(PeerServiceTest, CountsWritersInTheOrderInWhichTheyCome)
{
  this->Server.Connect("before", "viewer");
  this->Server.Connect("writer", "writer");
  this->Server.Connect("after", "viewer");
  EXPECT_EQ(this->Known("before").WritersBefore, 0u);
  EXPECT_EQ(this->Known("writer").WritersBefore, 1u);
  EXPECT_EQ(this->Known("after").WritersBefore, 1u);
}

// ---- Hosts.

TEST_F(PeerServiceTest, RefusesHostsThatAreNotItsOwn)
{
  const std::string refusal = "only this DSM server's own processes are its hosts";
  const std::string guest = this->Server.Invite("eve", Right::Steer);
  struct Case
  {
    HostIndex Number;
    const char* Secret;
    std::string Key;
  };
  for (const Case& one : { Case{ 0, "guessed", SimulatedServer::Owner },
         Case{ 2, SimulatedServer::Secret, SimulatedServer::Owner },
         Case{ 0, SimulatedServer::Secret, guest } })
  {
    EXPECT_TRUE(this->Server.IsRefused(
      this->SendHostHello("stranger", one.Number, one.Secret, one.Key), Fault::Refused, refusal));
    EXPECT_FALSE(this->Server.Core.Peers.Has("stranger"));
    EXPECT_TRUE(this->Server.Core.Presence.Lost.empty());
  }
}

TEST_F(PeerServiceTest, LosesAHostThatLeavesUntilItIsBack)
{
  this->Server.EndedProcesses.insert(
    SimulatedServer::Describe(SimulatedServer::HostPeer(1), "").Process);
  this->Server.Leave(SimulatedServer::HostPeer(1), true);
  const std::string text = "DSM host 1 exited without disconnecting: its memory cannot be reached";
  EXPECT_EQ(this->Server.Core.Presence.WhyLost(), text);
  EXPECT_EQ(this->Server.Status().LastError, text);
  EXPECT_FALSE(this->Server.Core.Presence.AllAreHere());
  this->Server.ConnectHost(1, "host 1 again");
  EXPECT_EQ(this->Server.Core.Presence.WhyLost(), "");
  EXPECT_EQ(this->Server.Core.Presence.Peers[1], "host 1 again");
}

TEST_F(ColdPeerServiceTest, FailsTheTasksOfAHostThatComesBackBeforeItsEndIsNoticed)
{
  this->Server.Connect("writer", "writer");
  BeginImage begin;
  begin.File = "/a.h5";
  const std::uint64_t request = this->Server.Send("writer", begin);
  this->Server.ConnectHost(1, "host 1 again");
  EXPECT_TRUE(this->Server.IsRefused(request, Fault::System, "DSM host 1 was away"));
  EXPECT_EQ(this->Server.Core.Presence.WhyLost(), "");
  EXPECT_FALSE(this->Server.Core.Peers.Has(SimulatedServer::HostPeer(1)));
  this->Server.Leave(SimulatedServer::HostPeer(1), true);
  EXPECT_EQ(this->Server.Core.Presence.WhyLost(), "") << "that connection is not its any more";
  EXPECT_NO_THROW(this->Server.Begin("writer", "/b.h5"));
}

TEST_F(ColdPeerServiceTest, RefusesTheLateGreetingOfAHostThatHasConnectedAgain)
{
  const auto greet = [this](const PeerId& peer, std::uint64_t connection)
  {
    return this->SendHostHello(
      peer, 1, SimulatedServer::Secret, SimulatedServer::Owner, connection);
  };
  this->Server.Connect("writer", "writer");
  this->Server.ReplyTo<Hello>(greet("host 1, third", 3));
  this->Server.HostsWork();
  EXPECT_TRUE(this->Server.IsRefused(
    greet("host 1, second", 2), Fault::Refused, "DSM host 1 has connected again since"));
  EXPECT_EQ(this->Server.Core.Presence.Peers[1], "host 1, third");
  EXPECT_FALSE(this->Server.Core.Peers.Has("host 1, second"));
  this->Server.ReplyTo<Hello>(greet("host 1, third", 3));
  EXPECT_NO_THROW(this->Server.Begin("writer", "/a.h5"));
}

TEST_F(ColdPeerServiceTest, KeepsAHostThatSaysHelloAgainOnTheSameConnection)
{
  this->Server.Connect("writer", "writer");
  BeginImage begin;
  begin.File = "/a.h5";
  const std::uint64_t request = this->Server.Send("writer", begin);
  this->Server.ConnectHost(1, SimulatedServer::HostPeer(1));
  EXPECT_NO_THROW(this->Server.ReplyTo<BeginImage>(request));
}

// ---- Peers that leave.

TEST_F(PeerServiceTest, TellsObserversOnceThatAPeerHasLeft)
{
  this->Server.Connect("viewer", "viewer");
  this->Server.Leave("viewer", false);
  this->Server.Leave("viewer", true);
  this->Server.Leave("nobody", true);
  EXPECT_EQ(this->Server.Heard.Take(), Texts{ "viewer ended" });
}

TEST_F(PeerServiceTest, ReportsALostSimulationOnceThoughItHasTwoChannels)
{
  this->Server.Connect("writer", SimulatedServer::Describe("sim", "writer"));
  this->Server.Connect("steering", SimulatedServer::Describe("sim", "steering"));
  this->Server.Leave("writer", true);
  EXPECT_EQ(this->Server.Status().LastError,
    "sim (1 rank on node) stopped responding (no message for 10 s)");
  this->Server.Core.Router.Do([&] { this->Server.Core.State.Trouble.Note("nothing"); });
  this->Server.Leave("steering", true);
  EXPECT_EQ(this->Server.Status().LastError, "nothing");
  EXPECT_EQ(this->Server.Status().State, ServerState::ClientLost);
  this->Server.Connect("writer", SimulatedServer::Describe("sim", "writer"));
  EXPECT_EQ(this->Server.Status().State, ServerState::Connected);
  this->Server.Leave("writer", true);
  EXPECT_NE(this->Server.Status().LastError, "nothing") << "it came back, and is lost again";
}

TEST_F(PeerServiceTest, DoesNotReportASimulationThatEnds)
{
  this->Server.Connect("writer", "writer");
  this->Server.Leave("writer", false);
  EXPECT_EQ(this->Server.Status().LastError, "");
  EXPECT_EQ(this->Server.Status().State, ServerState::Listening);
}

TEST_F(PeerServiceTest, FreesTheLeasesOfAPeerThatLeaves)
{
  this->Server.Connect("writer", "writer");
  this->Server.Connect("viewer", "viewer");
  OpenSnapshot open;
  open.Number = this->Server.WriteFile("writer", "/a.h5");
  this->Server.Ask("viewer", open);
  EXPECT_TRUE(this->Server.Core.Images.Snapshots().IsKept(1));
  this->Server.Leave("viewer", true);
  EXPECT_FALSE(this->Server.Core.Images.Snapshots().IsKept(1));
}

TEST_F(PeerServiceTest, ClosedServerNoticesNobodysEnd)
{
  this->Server.Connect("writer", "writer");
  this->Server.Core.Router.Do([&] { this->Server.Core.Close(); });
  this->Server.Leave("writer", true);
  EXPECT_TRUE(this->Server.Heard.Take().empty());
  EXPECT_EQ(this->Server.Core.State.Trouble.Last(), "");
  EXPECT_EQ(this->Server.Status().Writers.size(), 1u) << "what was connected at the end";
}

// ---- The registry.

TEST_F(PeerServiceTest, SaysWhyAPeerIsNotKnown)
{
  try
  {
    this->Server.Core.Peers.Known("nobody");
    FAIL() << "it is not known";
  }
  catch (const Error& error)
  {
    EXPECT_EQ(error.GetFault(), Fault::PeerLost);
    EXPECT_STREQ(error.what(),
      "the DSM server does not know this program any more: it was silent for more than 10 s "
      "(DSM_PEER_TIMEOUT), so the server gave it up");
  }
}

TEST_F(PeerServiceTest, ProcessesOfAJobHaveOneIdentity)
{
  PeerDescription one = SimulatedServer::Describe("one", "writer");
  PeerDescription two = SimulatedServer::Describe("two", "writer");
  EXPECT_NE(IdentityOf(one), IdentityOf(two));
  one.Job = two.Job = "job";
  EXPECT_EQ(IdentityOf(one), IdentityOf(two));
}

TEST_F(PeerServiceTest, EndedProcessesDoNotWrite)
{
  const PeerDescription writer = SimulatedServer::Describe("writer", "writer");
  this->Server.Connect("writer", writer);
  EXPECT_TRUE(this->Server.Core.Peers.IsWriting(IdentityOf(writer)));
  this->Server.EndedProcesses.insert(writer.Process);
  EXPECT_FALSE(this->Server.Core.Peers.IsWriting(IdentityOf(writer)));
  EXPECT_TRUE(this->Server.Core.Peers.HasSimulations()) << "its end is not noticed yet";
}

}
