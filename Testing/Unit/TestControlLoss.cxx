// SPDX-License-Identifier: BSD-3-Clause
// The control channel when one side stops, dies or falls silent.
#include "Control/Channel.h"

#include "ControlFixture.h"
#include "Relay.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <thread>
#include <vector>

#include <sys/wait.h>

namespace
{

using namespace dsm;
using namespace dsm::testing;

// A child process that runs `body`, which gets a descriptor to write lines to. Made while the test
// has no other threads. Killed at the end if it still lives.
class Child
{
public:
  explicit Child(const std::function<void(int)>& body)
  {
    int ends[2] = { -1, -1 };
    EXPECT_EQ(pipe(ends), 0);
    this->Process = fork();
    if (this->Process == 0)
    {
      close(ends[0]);
      body(ends[1]);
      _exit(0);
    }
    close(ends[1]);
    this->Output = ends[0];
  }
  ~Child()
  {
    kill(this->Process, SIGKILL);
    this->Wait();
    close(this->Output);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Up to a zero byte.
  std::string Read() const
  {
    std::string text;
    char letter = 0;
    while (read(this->Output, &letter, 1) == 1 && letter != 0)
    {
      text += letter;
    }
    return text;
  }

  void Signal(int number) const { kill(this->Process, number); }

  // Returns when all its threads stand still.
  void Freeze() const
  {
    this->Signal(SIGSTOP);
    int status = 0;
    EXPECT_EQ(waitpid(this->Process, &status, WUNTRACED), this->Process);
    EXPECT_TRUE(WIFSTOPPED(status));
  }
  void Wait()
  {
    if (!this->Ended)
    {
      waitpid(this->Process, nullptr, 0);
      this->Ended = true;
    }
  }

private:
  pid_t Process = -1;
  int Output = -1;
  bool Ended = false;
};

void Say(int descriptor, const std::string& text)
{
  [[maybe_unused]] const auto wrote = write(descriptor, text.c_str(), text.size() + 1);
}

void AnswerEcho(Listener& self, const RequestId& request, const Envelope& message)
{
  if (Is<EchoRequest>(message))
  {
    self.Reply(request, EchoReply());
  }
}

// Answers "hello" and leaves everything else unanswered.
void ServeForEver(int descriptor)
{
  Contact contact = ContactOfThisProcess();
  const TestServer server(contact, AnswerEcho);
  Say(descriptor, contact.ToText());
  for (;;)
  {
    pause();
  }
}

Deadline Long()
{
  return Deadline(Seconds(30));
}

TEST(ControlLoss, AStoppingServerFailsPendingRequestsAtOnce)
{
  Contact contact = ContactOfThisProcess();
  Watched<int> asked;
  auto server = std::make_unique<Listener>(contact,
    Listener::Handler{
      [&](const RequestId&, const Envelope&) { asked.Change([](int& n) { ++n; }); }, {}, {} });
  Watched<std::vector<std::string>> events;
  Channel channel(contact, "run.dsm",
    [&](const Envelope& event) { events.Change([&](auto& seen) { seen.push_back(event.Name); }); });
  std::thread stopper(
    [&]
    {
      EXPECT_TRUE(asked.WaitFor([](int n) { return n == 1; }));
      server.reset();
    });
  const auto begin = Clock::now();
  const std::string text =
    TextOf(Fault::PeerLost, [&] { channel.Request(NeverAnswered(), Long()); });
  EXPECT_LT(SecondsSince(begin), AtOnce);
  EXPECT_TRUE(Contains(text, "run.dsm") && Contains(text, "stopped")) << text;
  EXPECT_FALSE(channel.Alive());
  EXPECT_EQ(events.Get(), std::vector<std::string>{ "stopping" });
  TextOf(Fault::PeerLost, [&] { channel.Request(NeverAnswered(), Long()); });
  stopper.join();
}

// A channel thread is held while this file exists, just after it has looked for messages. The
// environment is read once.
const TemporaryFolder HoldFolder;
const std::string HoldFile = HoldFolder.File("hold");
const bool CanBeHeld =
  setenv("DSM_TEST_HOLD", ("0:a channel has received:" + HoldFile).c_str(), 1) == 0;

TEST(ControlLoss, AFarewellThatComesTogetherWithTheEndIsHeard)
{
  ASSERT_TRUE(CanBeHeld);
  Contact contact = ContactOfThisProcess();
  auto server = std::make_unique<TestServer>(contact, AnswerEcho);
  Watched<std::vector<std::string>> events;
  Channel channel(contact, "run.dsm",
    [&](const Envelope& event) { events.Change([&](auto& seen) { seen.push_back(event.Name); }); });
  channel.Request(EchoRequest(), Long());
  std::ofstream(HoldFile).close();
  channel.Notify(NeverAnswered()); // wakes the thread
  const Deadline reached = Long();
  while (!std::filesystem::exists(HoldFile + ".reached") && !reached.Expired())
  {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_FALSE(reached.Expired());
  server.reset();
  std::filesystem::remove(HoldFile);
  const std::string text =
    TextOf(Fault::PeerLost, [&] { channel.Request(NeverAnswered(), Long()); });
  EXPECT_TRUE(Contains(text, "has stopped")) << text;
  EXPECT_EQ(events.Get(), std::vector<std::string>{ "stopping" });
  std::filesystem::remove(HoldFile + ".reached");
}

TEST(ControlLoss, AKilledServerFailsPendingRequestsAtOnce)
{
  Child child(ServeForEver);
  const Contact contact = Contact::FromText(child.Read());
  Channel channel(contact, "run.dsm");
  channel.Request(EchoRequest(), Long());
  std::thread killer(
    [&]
    {
      child.Signal(SIGKILL);
      child.Wait();
    });
  const auto begin = Clock::now();
  const std::string text =
    TextOf(Fault::PeerLost, [&] { channel.Request(NeverAnswered(), Long()); });
  EXPECT_LT(SecondsSince(begin), AtOnce);
  EXPECT_TRUE(Contains(text, "run.dsm")) << text;
  EXPECT_FALSE(channel.Alive());
  killer.join();
}

TEST(ControlLoss, AFrozenServerIsLostAfterTheLimit)
{
  const ShortPeerTimeout limit("1");
  Child child(ServeForEver);
  const Contact contact = Contact::FromText(child.Read());
  Channel channel(contact, "run.dsm");
  channel.Request(EchoRequest(), Long());
  child.Freeze();
  auto begin = Clock::now();
  std::string text =
    TextOf(Fault::TimedOut, [&] { channel.Request(NeverAnswered(), Deadline(Seconds(0.3))); });
  EXPECT_TRUE(Contains(text, "begin") && Contains(text, "0.3 s")) << text;
  text = TextOf(Fault::PeerLost, [&] { channel.Request(NeverAnswered(), Long()); });
  EXPECT_LT(SecondsSince(begin), AtOnce);
  EXPECT_TRUE(Contains(text, "1 s") && Contains(text, "DSM_PEER_TIMEOUT")) << text;
  EXPECT_FALSE(channel.Alive());
}

TEST(ControlLoss, AFrozenServerThatGoesOnIsNotLost)
{
  const ShortPeerTimeout limit("5");
  Child child(ServeForEver);
  const Contact contact = Contact::FromText(child.Read());
  Channel channel(contact, "run.dsm");
  channel.Request(EchoRequest(), Long());
  child.Freeze();
  TextOf(Fault::TimedOut, [&] { channel.Request(EchoRequest(), Deadline(Seconds(0.2))); });
  child.Signal(SIGCONT);
  channel.Request(EchoRequest(), Long());
  EXPECT_TRUE(channel.Alive());
}

TEST(ControlLoss, ABusyServerThatNeverAnswersIsAlive)
{
  const ShortPeerTimeout limit("1");
  Contact contact = ContactOfThisProcess();
  const Listener server(contact, {});
  Channel channel(contact, "run.dsm");
  const std::string text =
    TextOf(Fault::TimedOut, [&] { channel.Request(NeverAnswered(), Deadline(Seconds(2.5))); });
  EXPECT_TRUE(Contains(text, "\"begin\"") && Contains(text, "2.5 s")) << text;
  EXPECT_TRUE(channel.Alive()) << "heartbeats go on while a request waits";
}

// A server in this process, and who left it.
struct Host
{
  Contact Address = ContactOfThisProcess();
  Watched<std::map<PeerId, bool>> Gone;
  std::unique_ptr<TestServer> Server;

  Host()
  {
    this->Server = std::make_unique<TestServer>(
      this->Address, [](Listener& self, const RequestId& request, const Envelope&)
      { self.Reply(request, EchoReply{ request.Peer }); }, [this](const PeerId& peer, bool lost)
      { this->Gone.Change([&](auto& gone) { gone[peer] = lost; }); });
  }
};

TEST(ControlLoss, ABrokenConnectionHealsAndNobodyIsLost)
{
  const ShortPeerTimeout limit("3");
  Host host;
  Relay relay(host.Address.Endpoints.front());
  Contact contact = host.Address;
  contact.Endpoints = { relay.Endpoint() };
  Channel channel(contact, "run.dsm");
  const std::string before = channel.Request(EchoRequest(), Long()).Said;
  relay.Cut();
  ASSERT_TRUE(relay.HasCut());
  // A request that went down with the connection is lost, and times out; the next is not.
  std::string after;
  for (int attempt = 0; attempt < 20 && after.empty(); ++attempt)
  {
    try
    {
      after = channel.Request(EchoRequest(), Deadline(Seconds(0.5))).Said;
    }
    catch (const Error& error)
    {
      ASSERT_EQ(error.GetFault(), Fault::TimedOut) << error.what();
    }
  }
  EXPECT_EQ(after, before) << "the server knows the peer again";
  EXPECT_FALSE(host.Gone.WaitFor([](const auto& gone) { return !gone.empty(); }, 1.5));
  EXPECT_TRUE(channel.Alive());
}

// A server that was only stopped does not hear from its peers that they have given it up, and then
// drop what they have.
TEST(ControlLoss, AChannelThatGaveASilentServerUpStillHasItsPlaceThere)
{
  Contact contact = ContactOfThisProcess();
  Host host;
  Relay relay(host.Address.Endpoints.front());
  contact = host.Address;
  contact.Endpoints = { relay.Endpoint() };
  std::unique_ptr<Channel> channel;
  {
    const ShortPeerTimeout limit("2"); // the server's is longer
    channel = std::make_unique<Channel>(contact, "run.dsm");
  }
  channel->Request(EchoRequest(), Long());
  relay.Mute();
  const Deadline deadline(Seconds(30));
  while (channel->Alive() && !deadline.Expired())
  {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ASSERT_FALSE(channel->Alive());
  EXPECT_FALSE(host.Gone.WaitFor([](const auto& gone) { return !gone.empty(); }, 5))
    << "as long as the channel is there";
  channel.reset();
  EXPECT_TRUE(host.Gone.WaitFor([](const auto& gone) { return !gone.empty(); }));
}

// A client process: reads a contact text from a descriptor, says hello, and stays.
void VisitForEver(int input, int output)
{
  std::string text;
  char letter = 0;
  while (read(input, &letter, 1) == 1 && letter != 0)
  {
    text += letter;
  }
  Channel channel(Contact::FromText(text), "run.dsm");
  Say(output, channel.Request(EchoRequest(), Long()).Said);
  while (read(input, &letter, 1) == 1 && letter != 0)
  {
  }
  try
  {
    channel.Request(EchoRequest(), Long());
    Say(output, "fine");
  }
  catch (const Error& error)
  {
    Say(output, fmt::format("{}: {}", FaultName(error.GetFault()), error.what()));
  }
  pause();
}

class ControlLossOfPeers : public ::testing::Test
{
protected:
  explicit ControlLossOfPeers(const char* limit = "2")
    : Limit(limit)
  {
  }

  // The child first: a process with threads should not fork.
  void SetUp() override
  {
    ASSERT_EQ(pipe(this->Input), 0);
    this->Visitor = std::make_unique<Child>(
      [this](int output)
      {
        close(this->Input[1]);
        VisitForEver(this->Input[0], output);
      });
    this->Server = std::make_unique<Host>();
    Say(this->Input[1], this->Server->Address.ToText());
    this->Peer = this->Visitor->Read();
    ASSERT_FALSE(this->Peer.empty());
  }

  void TearDown() override
  {
    this->Visitor.reset();
    close(this->Input[0]);
    close(this->Input[1]);
  }

  bool SeenGone(bool lost)
  {
    return this->Server->Gone.WaitFor(
      [&](const auto& gone)
      {
        const auto found = gone.find(this->Peer);
        return found != gone.end() && found->second == lost;
      });
  }

  const ShortPeerTimeout Limit;
  int Input[2] = { -1, -1 };
  std::unique_ptr<Child> Visitor;
  std::unique_ptr<Host> Server;
  PeerId Peer;
};

/// Whose silence counts late: one that has left its connection is lost after a third of that.
class ControlLossOfQuietPeers : public ControlLossOfPeers
{
protected:
  ControlLossOfQuietPeers()
    : ControlLossOfPeers("10")
  {
  }
};

TEST_F(ControlLossOfQuietPeers, AKilledOneIsLostBeforeTheSilenceLimit)
{
  const auto begin = Clock::now();
  this->Visitor->Signal(SIGKILL);
  EXPECT_TRUE(this->SeenGone(true));
  EXPECT_LT(SecondsSince(begin), 7.5);
}

TEST_F(ControlLossOfPeers, AFrozenPeerIsLostAfterTheLimitAndIsToldSo)
{
  const auto begin = Clock::now();
  this->Visitor->Freeze();
  EXPECT_TRUE(this->SeenGone(true));
  EXPECT_GT(SecondsSince(begin), 1);
  this->Visitor->Signal(SIGCONT);
  Say(this->Input[1], "");
  const std::string answer = this->Visitor->Read();
  EXPECT_TRUE(Contains(answer, "peer-lost")) << answer;
}

TEST_F(ControlLossOfPeers, AQuietPeerStaysAsLongAsItLives)
{
  EXPECT_FALSE(this->Server->Gone.WaitFor([](const auto& gone) { return !gone.empty(); }, 3));
  Say(this->Input[1], "");
  EXPECT_EQ(this->Visitor->Read(), "fine");
}

TEST(ControlFork, AForkedChildNeitherUsesNorDisturbsTheParentsChannel)
{
  Host host;
  auto channel = std::make_unique<Channel>(host.Address, "run.dsm");
  channel->Request(EchoRequest(), Long());
  const pid_t child = fork();
  if (child == 0)
  {
    int wrong = channel->Alive() ? 1 : 0;
    bool refused = false;
    try
    {
      channel->Request(EchoRequest(), Long());
    }
    catch (const Error&)
    {
      refused = true;
    }
    wrong += refused ? 0 : 2;
    channel->Notify(TestEvent());
    channel.reset();
    host.Server.reset();
    _exit(wrong);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(channel->Alive());
  channel->Request(EchoRequest(), Long());
  EXPECT_TRUE(host.Gone.Get().empty());
}

// Channels and listeners held by static objects end while the process exits, both orders.
TEST(ControlFork, ExitEndsStaticObjectsQuickly)
{
  const auto begin = Clock::now();
  const pid_t child = fork();
  if (child == 0)
  {
    static Host host;
    static Channel channel(host.Address, "run.dsm");
    channel.Request(EchoRequest(), Long());
    static std::unique_ptr<Host> first;
    static std::unique_ptr<Channel> last = []
    {
      first = std::make_unique<Host>();
      auto made = std::make_unique<Channel>(first->Address, "run.dsm");
      made->Request(EchoRequest(), Long());
      return made;
    }();
    std::exit(0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_LT(SecondsSince(begin), AtOnce);
}

}
