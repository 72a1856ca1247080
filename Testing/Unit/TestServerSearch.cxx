// SPDX-License-Identifier: BSD-3-Clause
#include "ControlFixture.h"

#include "Control/ContactFile.h"
#include "Peer/Connections.h"
#include "Peer/ServerSearch.h"
#include "Protocol/Peer.h"
#include "Protocol/SessionMessages.h"

#include <atomic>
#include <optional>
#include <thread>

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>

namespace
{

using namespace dsm;
using namespace dsm::testing;

const Error Why(Fault::PeerLost, "it is gone");

PeerDescription Me()
{
  return DescribeThisProcess("writer", 1, "");
}

/// A server that welcomes who comes, or does not, under a contact file.
struct Welcome
{
  Contact Address = ContactOfThisProcess();
  std::atomic<int> Asked = 0;
  std::unique_ptr<TestServer> Server;
  std::unique_ptr<ContactFile> File;

  explicit Welcome(const std::string& path, const std::optional<Error>& refusal = {})
  {
    this->Server = std::make_unique<TestServer>(this->Address,
      [this, refusal](Listener& self, const RequestId& request, const Envelope&)
      {
        ++this->Asked;
        if (refusal)
        {
          self.Refuse(request, *refusal);
          return;
        }
        self.Reply(request, HelloReply{});
      });
    this->File = std::make_unique<ContactFile>(path, this->Address);
  }
};

bool WaitFor(const std::function<bool()>& true_, double seconds = 20)
{
  for (const Deadline deadline{ Seconds(seconds) }; !deadline.Expired();)
  {
    if (true_())
    {
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true_();
}

class ServerSearchTest : public ::testing::Test
{
protected:
  TemporaryFolder Folder;
  const std::string Path = Folder.File("run.dsm");
};

TEST_F(ServerSearchTest, FindsAServerThatComes)
{
  const ServerSearch search(this->Path, Me(), Why, false);
  EXPECT_FALSE(search.Found());
  const Welcome server(this->Path);
  EXPECT_TRUE(WaitFor([&] { return search.Found() != nullptr; }));
  ASSERT_TRUE(search.Found());
  EXPECT_EQ(search.Found()->ContactPath(), this->Path);
  EXPECT_TRUE(search.Found()->Alive());
  EXPECT_EQ(server.Asked, 1);
}

TEST_F(ServerSearchTest, AServerThatDoesNotWantUsIsAskedOnce)
{
  std::optional<Welcome> other;
  other.emplace(this->Path, Error(Fault::Refused, "another version"));
  const ServerSearch search(this->Path, Me(), Why, false);
  EXPECT_TRUE(WaitFor([&] { return other->Asked == 1; }));
  EXPECT_FALSE(WaitFor([&] { return other->Asked > 1; }, 3));
  other.reset();
  const Welcome server(this->Path);
  EXPECT_TRUE(WaitFor([&] { return search.Found() != nullptr; }));
}

TEST_F(ServerSearchTest, WhatIsNoContactFileIsPassedOver)
{
  {
    const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(this->Path.c_str(), "w"), fclose);
    std::fputs("no contact file\n", file.get());
  }
  const ServerSearch search(this->Path, Me(), Why, false);
  EXPECT_FALSE(WaitFor([&] { return search.Found() != nullptr; }, 1.5));
  std::filesystem::remove(this->Path);
  const Welcome server(this->Path);
  EXPECT_TRUE(WaitFor([&] { return search.Found() != nullptr; }));
}

// As a stopped process: the system accepts connections for it, and nothing is said.
TEST_F(ServerSearchTest, EndsAtOnceAlsoWhereASilentServerIs)
{
  const int door = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(bind(door, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  socklen_t size = sizeof address;
  ASSERT_EQ(getsockname(door, reinterpret_cast<sockaddr*>(&address), &size), 0);
  ASSERT_EQ(listen(door, 8), 0);
  Contact contact = ContactOfThisProcess();
  {
    Contact keys = contact;
    const Listener server(keys, {});
    contact = keys;
  }
  contact.Endpoints = { "tcp://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) };
  const ContactFile file(this->Path, contact);
  const auto end = [&]
  {
    auto search = std::make_unique<ServerSearch>(this->Path, Me(), Why, false);
    const int visitor = accept4(door, nullptr, nullptr, SOCK_CLOEXEC); // it is there
    EXPECT_GE(visitor, 0);
    EXPECT_FALSE(search->Found());
    const auto begin = Clock::now();
    search.reset();
    const double taken = SecondsSince(begin);
    close(visitor);
    return taken;
  };
  EXPECT_LT(Quickest(0.5, end), 0.5) << "it need not be left behind";
  close(door);
}

TEST_F(ServerSearchTest, AForkedChildLeavesItToItsParent)
{
  auto search = std::make_unique<ServerSearch>(this->Path, Me(), Why, false);
  const pid_t child = fork();
  if (child == 0)
  {
    alarm(20);
    const bool forked = search->Forked();
    search.reset();
    _exit(forked ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  const Welcome server(this->Path);
  EXPECT_TRUE(WaitFor([&] { return search->Found() != nullptr; }));
}

TEST_F(ServerSearchTest, NobodyWaitsForAServerThatIsSearchedFor)
{
  const auto get = [&] { return connections::Get(this->Path, "writer", 1, Deadline(Seconds(20))); };
  connections::Search(this->Path, Me(), Why);
  const auto missing = connections::TakeUntold(this->Path);
  ASSERT_TRUE(missing);
  EXPECT_STREQ(missing->Why.what(), "it is gone");
  EXPECT_FALSE(missing->WasThere);
  connections::Search(this->Path, Me(), Why);
  EXPECT_FALSE(connections::TakeUntold(this->Path)) << "it is told once";
  const auto begin = Clock::now();
  EXPECT_EQ(TextOf(Fault::PeerLost, get), "it is gone");
  EXPECT_LT(SecondsSince(begin), AtOnce);
  EXPECT_FALSE(connections::WasLost(this->Path));
  {
    const Welcome server(this->Path);
    EXPECT_TRUE(WaitFor([&] { return connections::Find(this->Path) != nullptr; }));
    EXPECT_EQ(get(), connections::Find(this->Path));
    EXPECT_EQ(connections::All().size(), 1u);
  }
  EXPECT_TRUE(WaitFor([&] { return connections::WasLost(this->Path); }));
  EXPECT_FALSE(connections::TakeUntold(this->Path)) << "nobody searches";
  connections::Search(this->Path, Me(), Why);
  ASSERT_TRUE(connections::TakeUntold(this->Path));
  EXPECT_TRUE(connections::All().empty());
  connections::Clear();
}

}
