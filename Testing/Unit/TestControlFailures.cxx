// SPDX-License-Identifier: BSD-3-Clause
// The control channel when it cannot be made: each failure with its kind, its words and its time.
#include "ControlFixture.h"

#include "Control/Presence.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <zmq.h>

namespace
{

using namespace dsm;
using namespace dsm::testing;

Contact RunningServer(std::unique_ptr<TestServer>& server)
{
  Contact contact = ContactOfThisProcess();
  server = std::make_unique<TestServer>(contact,
    [](Listener& self, const RequestId& request, const Envelope&)
    { self.Reply(request, EchoReply()); });
  return contact;
}

void MakeKeys(std::string& open, std::string& secret)
{
  std::array<char, 41> one{};
  std::array<char, 41> two{};
  ASSERT_EQ(zmq_curve_keypair(one.data(), two.data()), 0);
  open = one.data();
  secret = two.data();
}

// A TCP port that accepts connections, or only was one, without any server behind it.
class Port
{
public:
  Port()
    : Socket(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
  {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(this->Socket, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    socklen_t size = sizeof address;
    EXPECT_EQ(getsockname(this->Socket, reinterpret_cast<sockaddr*>(&address), &size), 0);
    this->Number = ntohs(address.sin_port);
  }
  ~Port() { close(this->Socket); }
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  void Listen() { EXPECT_EQ(listen(this->Socket, 8), 0); }
  std::string Endpoint() const { return "tcp://127.0.0.1:" + std::to_string(this->Number); }

private:
  int Socket;
  int Number = 0;
};

Contact ContactWithKeys()
{
  Contact contact = ContactOfThisProcess();
  std::string unused;
  MakeKeys(contact.ServerPublicKey, unused);
  std::string secret;
  MakeKeys(contact.ClientPublicKey, secret);
  contact.ClientSecretKey = secret;
  return contact;
}

TEST(ControlFailures, NobodyListens)
{
  const Port port; // bound, so that nobody else gets it, and not listening
  Contact contact = ContactWithKeys();
  contact.Endpoints = { port.Endpoint() };
  const auto begin = Clock::now();
  Channel channel(contact, "run.dsm");
  const std::string text =
    TextOf(Fault::NoServer, [&] { channel.Request(EchoRequest(), Deadline(Seconds(30))); });
  EXPECT_LT(SecondsSince(begin), AtOnce);
  for (const std::string& part :
    { std::string("run.dsm"), port.Endpoint(), contact.Started, std::string("refused") })
  {
    EXPECT_TRUE(Contains(text, part)) << text;
  }
  EXPECT_FALSE(channel.Alive());
  TextOf(Fault::NoServer, [&] { channel.Request(EchoRequest(), Deadline(Seconds(30))); });
}

TEST(ControlFailures, TheServersProcessIsGone)
{
  const pid_t child = fork();
  if (child == 0)
  {
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  const Port port;
  Contact contact = ContactWithKeys();
  contact.Endpoints = { port.Endpoint() };
  contact.Process = static_cast<std::uint64_t>(child);
  Channel channel(contact, "run.dsm");
  const std::string text =
    TextOf(Fault::NoServer, [&] { channel.Request(EchoRequest(), Deadline(Seconds(30))); });
  EXPECT_TRUE(Contains(text, "is gone: start it again, or remove the file")) << text;
}

TEST(ControlFailures, AcceptsAndSaysNothing)
{
  const ShortPeerTimeout limit("1");
  Port port;
  port.Listen();
  Contact contact = ContactWithKeys();
  contact.Endpoints = { port.Endpoint() };
  Channel channel(contact, "run.dsm");
  std::string text =
    TextOf(Fault::NoServer, [&] { channel.Request(EchoRequest(), Deadline(Seconds(0.2))); });
  EXPECT_TRUE(Contains(text, "0.2 s")) << text;
  const auto begin = Clock::now();
  text = TextOf(Fault::NoServer, [&] { channel.Request(EchoRequest(), Deadline(Seconds(30))); });
  EXPECT_TRUE(Contains(text, "says nothing")) << text;
  EXPECT_LT(SecondsSince(begin), AtOnce);
}

TEST(ControlFailures, WrongServerKey)
{
  std::unique_ptr<TestServer> server;
  Contact contact = RunningServer(server);
  std::string unused;
  MakeKeys(contact.ServerPublicKey, unused);
  const auto begin = Clock::now();
  Channel channel(contact, "run.dsm");
  const std::string text =
    TextOf(Fault::Refused, [&] { channel.Request(EchoRequest(), Deadline(Seconds(30))); });
  EXPECT_TRUE(Contains(text, "run.dsm") && Contains(text, "from another run")) << text;
  EXPECT_LT(SecondsSince(begin), AtOnce) << text;
}

TEST(ControlFailures, WrongClientKey)
{
  std::unique_ptr<TestServer> server;
  const Contact right = RunningServer(server);
  Contact contact = right;
  std::string secret;
  MakeKeys(contact.ClientPublicKey, secret);
  contact.ClientSecretKey = secret;
  const auto begin = Clock::now();
  Channel channel(contact, "run.dsm");
  const std::string text =
    TextOf(Fault::Refused, [&] { channel.Request(EchoRequest(), Deadline(Seconds(30))); });
  EXPECT_TRUE(Contains(text, "run.dsm") && Contains(text, "not admit")) << text;
  EXPECT_LT(SecondsSince(begin), AtOnce) << text;
  Channel friendly(right, "run.dsm");
  friendly.Request(EchoRequest(), Deadline(Seconds(30)));
}

TEST(ControlFailures, DamagedKey)
{
  std::unique_ptr<TestServer> server;
  Contact contact = RunningServer(server);
  contact.ClientSecretKey = std::string_view("short");
  Channel channel(contact, "run.dsm");
  const std::string text =
    TextOf(Fault::Refused, [&] { channel.Request(EchoRequest(), Deadline(Seconds(30))); });
  EXPECT_TRUE(Contains(text, "run.dsm") && Contains(text, "key")) << text;
}

TEST(ControlFailures, NotAProtocolOfOurs)
{
  Port port;
  Contact contact = ContactWithKeys();
  contact.Endpoints = { "ipc:///tmp/nowhere" };
  Channel channel(contact, "run.dsm");
  TextOf(Fault::NoServer, [&] { channel.Request(EchoRequest(), Deadline(Seconds(30))); });
  contact.Endpoints.clear();
  Channel other(contact, "run.dsm");
  TextOf(Fault::NoServer, [&] { other.Request(EchoRequest(), Deadline(Seconds(30))); });
}

// A server's other addresses may lead nowhere or to somebody else: the right one is found.
TEST(ControlFailures, SkipsAddressesThatAreNotTheServers)
{
  const ShortPeerTimeout limit("2");
  std::unique_ptr<TestServer> other;
  const Contact stranger = RunningServer(other);
  std::unique_ptr<TestServer> server;
  Contact contact = RunningServer(server);
  const Port closed;
  contact.Endpoints.insert(
    contact.Endpoints.begin(), { closed.Endpoint(), stranger.Endpoints.front() });
  Channel channel(contact, "run.dsm");
  channel.Request(EchoRequest(), Deadline(Seconds(30)));
}

// In another network, be it on this machine, the loopback is not the server, whatever answers
// there.
TEST(ControlFailures, UsesTheLoopbackOnlyInTheServersNetwork)
{
  std::unique_ptr<TestServer> server;
  Contact contact = RunningServer(server);
  contact.Network = "another network";
  contact.Endpoints = { contact.Endpoints.front(), "tcp://256.1.1.1:1" };
  Channel channel(contact, "run.dsm");
  const std::string text =
    TextOf(Fault::NoServer, [&] { channel.Request(EchoRequest(), Deadline(Seconds(30))); });
  EXPECT_FALSE(Contains(text, "127.0.0.1")) << text;
}

TEST(ControlFailures, ThatNobodyListensTellsOfTheEndOnlyInTheServersNetwork)
{
  const Port closed;
  Contact contact = ContactWithKeys();
  contact.Endpoints = { closed.Endpoint() };
  EXPECT_TRUE(presence::HasEnded(contact));
  contact.Network = "another network";
  EXPECT_FALSE(presence::HasEnded(contact));
}

TEST(ControlFailures, EndsQuicklyWhateverItWaitsFor)
{
  Port port;
  port.Listen();
  Contact contact = ContactWithKeys();
  contact.Endpoints = { port.Endpoint() };
  const auto silent = [&]
  {
    const auto begin = Clock::now();
    {
      Channel channel(contact, "run.dsm");
      channel.Notify(TestEvent());
    }
    return SecondsSince(begin);
  };
  EXPECT_LT(Quickest(0.6, silent), 0.6);
  const auto connecting = []
  {
    std::unique_ptr<TestServer> server;
    const Contact running = RunningServer(server);
    const auto begin = Clock::now();
    {
      const Channel channel(running, "run.dsm");
    }
    server.reset();
    return SecondsSince(begin);
  };
  EXPECT_LT(Quickest(1.2, connecting), 1.2);
}

}
