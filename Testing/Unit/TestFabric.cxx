// SPDX-License-Identifier: BSD-3-Clause
// The two sides of the fabric transport in one process: hosts with their threads, and a peer.
#include "Base/Error.h"
#include "Base/NodeIdentity.h"
#include "ControlFixture.h"
#include "Mpi/Communicator.h"
#include "Transport/ChooseTransport.h"
#include "Transport/Fabric/Fabric.h"
#include "Transport/Fabric/FabricHost.h"
#include "Transport/Fabric/FabricNames.h"
#include "Transport/QueueDepth.h"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <list>
#include <random>
#include <vector>

namespace
{

using namespace dsm;
using dsm::testing::Contains;
using dsm::testing::TextOf;

constexpr std::uint64_t MiB = UINT64_C(1) << 20;

std::vector<TransportOffer> OffersOf(const std::vector<FabricAddress>& addresses)
{
  std::vector<TransportOffer> offers;
  offers.reserve(addresses.size());
  for (const FabricAddress& address : addresses)
  {
    offers.push_back(OfferOf(address));
  }
  return offers;
}

class Hosts
{
public:
  Hosts(std::uint64_t count, std::uint64_t size, const std::string& transport)
  {
    this->Server.SlotCount = 1;
    this->Server.SlotSize = size;
    this->Server.Transport = TransportFromText(transport);
    for (HostIndex host = 0; host < count; ++host)
    {
      this->Memory.emplace_back(size, std::byte(0));
      const LentSegment segment{ this->Alone, this->Memory.back().data(), size, 0, {}, {}, true,
        {} };
      this->Endpoints.emplace_back(segment, this->Server.Transport);
      this->Server.Hosts.push_back({ NodeIdentity(), "here", NetworkIdentity(),
        OffersOf(this->Endpoints.back().Addresses()) });
      this->All.push_back(host);
    }
  }

  ServerDescription Server;
  std::vector<HostIndex> All;
  std::vector<std::vector<std::byte>> Memory;
  const Communicator Alone = Communicator::Single();
  std::list<FabricHost> Endpoints;
};

std::vector<std::byte> Noise(std::size_t size, unsigned seed)
{
  std::mt19937_64 random(seed);
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i + 8 <= size; i += 8)
  {
    const auto value = random();
    std::memcpy(&bytes[i], &value, 8);
  }
  return bytes;
}

// A guest gets a key that only reads.
TEST(Fabric, WhatIsOfferedForReadingCannotBeWritten)
{
  Hosts hosts(1, MiB, "fabric/tcp");
  const auto noise = Noise(MiB, 3);
  std::copy(noise.begin(), noise.end(), hosts.Memory[0].begin()); // which stays where it is
  const ServerDescription forGuests = ForReading(hosts.Server);
  const auto owners = FabricAddressesOf(hosts.Server.Hosts[0]);
  const auto guests = FabricAddressesOf(forGuests.Hosts[0]);
  ASSERT_EQ(guests.size(), 1u);
  EXPECT_EQ(guests[0].Names, owners[0].Names);
  EXPECT_NE(guests[0].Key, owners[0].Key);
  EXPECT_EQ(forGuests.Hosts[0].Offers[0].ReadOnly, Bytes()) << "and no other";
  std::vector<std::byte> back(MiB);
  {
    Fabric reader(forGuests, "tcp", hosts.All);
    reader.Get(0, 0, back.data(), back.size());
    reader.Flush();
    EXPECT_EQ(back, noise);
  }
  Fabric intruder(forGuests, "tcp", hosts.All);
  const std::vector<std::byte> other(MiB, std::byte(1));
  EXPECT_THROW(
    {
      intruder.Put(0, 0, other.data(), other.size());
      intruder.Flush();
    },
    Error);
  EXPECT_EQ(hosts.Memory[0], noise);
}

// Puts pieces of a noise at odd places, and gets them back elsewhere; what lies between stays.
void ExpectPiecesArrive(Hosts& hosts, Fabric& mover, std::uint64_t size, unsigned seed)
{
  const auto noise = Noise(size, seed);
  std::mt19937_64 random(seed);
  std::vector<PutPiece> puts;
  std::vector<GetPiece> gets;
  std::vector<std::byte> back(size, std::byte(0));
  std::vector<std::byte> expected(size, std::byte(0));
  for (std::uint64_t offset = 5; offset < size;)
  {
    const std::uint64_t most = random() % 50 == 0 ? 60000 : random() % 4 == 0 ? 5000 : 16;
    const std::uint64_t length = std::min(1 + random() % most, size - offset);
    puts.push_back({ offset, &noise[offset], length });
    gets.push_back({ offset, &back[offset], length });
    std::memcpy(&expected[offset], &noise[offset], length);
    offset += length + random() % 3 * 8;
  }
  for (const HostIndex host : hosts.All)
  {
    std::fill(hosts.Memory[host].begin(), hosts.Memory[host].end(), std::byte(0));
    mover.PutPieces(host, puts);
  }
  mover.Flush();
  for (const HostIndex host : hosts.All)
  {
    EXPECT_EQ(hosts.Memory[host], expected) << host;
    std::fill(back.begin(), back.end(), std::byte(0));
    mover.GetPieces(host, gets);
    mover.Flush();
    EXPECT_EQ(back, expected) << host;
  }
}

// Nobody is lost here; a busy machine may leave a transfer alone for longer than ten seconds.
class FabricOver : public ::testing::TestWithParam<const char*>
{
  const dsm::testing::ShortPeerTimeout Long{ "60" };
};

TEST_P(FabricOver, PutsAndGetsOfAllSizesArrive)
{
  const std::string provider = GetParam();
  const std::uint64_t size = 12 * MiB;
  Hosts hosts(3, size, "fabric/" + provider);
  ASSERT_EQ(hosts.Server.Hosts[2].Offers.size(), 1u);
  EXPECT_EQ(FabricAddressesOf(hosts.Server.Hosts[2])[0].Provider, provider);
  Fabric mover(hosts.Server, provider, hosts.All);
  EXPECT_EQ(mover.Name(), "fabric/" + provider);
  for (const bool bounce : { false, true })
  {
    if (bounce)
    {
      mover.UseBounceBuffers();
    }
    const auto noise = Noise(size, bounce ? 7 : 8);
    std::mt19937_64 random(5);
    // Odd sizes and offsets, many at once, then one larger than any piece and queue.
    std::uint64_t offset = 3;
    while (offset < 2 * MiB)
    {
      const std::uint64_t length = 1 + random() % 9000;
      for (HostIndex host = 0; host < 3; ++host)
      {
        mover.Put(host, offset, &noise[offset + host], length);
      }
      offset += length;
    }
    for (HostIndex host = 0; host < 3; ++host)
    {
      mover.Put(host, offset, &noise[offset + host], size - offset - 5);
    }
    mover.Flush();
    for (HostIndex host = 0; host < 3; ++host)
    {
      EXPECT_EQ(std::memcmp(&hosts.Memory[host][3], &noise[3 + host], size - 5 - 3), 0)
        << "host " << host << (bounce ? ", bounced" : "");
      EXPECT_EQ(hosts.Memory[host][2], std::byte(0));
      EXPECT_EQ(hosts.Memory[host][size - 5], std::byte(0));
    }
    std::vector<std::byte> back(size - 8);
    mover.Get(1, 3, back.data(), 100);
    mover.Get(1, 103, back.data() + 100, back.size() - 100);
    mover.Flush();
    EXPECT_EQ(std::memcmp(back.data(), &noise[4], back.size()), 0);
  }
  // Small puts everywhere, as small blocks make of a large write.
  const auto noise = Noise(MiB, 9);
  for (std::uint64_t block = 0; block < MiB / 256; ++block)
  {
    mover.Put(HostIndex(block % 3), block / 3 * 256, &noise[block * 256], 256);
  }
  mover.Put(1, 2 * MiB, noise.data(), 100);
  mover.Put(1, 2 * MiB + 200, noise.data(), 100);
  mover.Put(1, 2 * MiB + 100, noise.data() + 100, 100);
  mover.Flush();
  std::uint64_t wrong = 0;
  for (std::uint64_t block = 0; block < MiB / 256; ++block)
  {
    wrong += std::memcmp(&hosts.Memory[block % 3][block / 3 * 256], &noise[block * 256], 256) != 0;
  }
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(std::memcmp(&hosts.Memory[1][2 * MiB], noise.data(), 200), 0);
  EXPECT_EQ(std::memcmp(&hosts.Memory[1][2 * MiB + 200], noise.data(), 100), 0);
  EXPECT_EQ(mover.Direct(0, 0), nullptr);
  mover.Flush(); // nothing is under way
}

// Many small ones that do not follow one another, as few large ones that stand among them.
TEST_P(FabricOver, PiecesOfAllSizesArrive)
{
  const std::uint64_t size = 4 * MiB;
  Hosts hosts(2, size, "fabric/" + std::string(GetParam()));
  Fabric mover(hosts.Server, GetParam(), hosts.All);
  for (const bool bounce : { false, true })
  {
    if (bounce)
    {
      mover.UseBounceBuffers();
    }
    ExpectPiecesArrive(hosts, mover, size, bounce ? 3 : 4);
  }
}

INSTANTIATE_TEST_SUITE_P(Providers, FabricOver,
  ::testing::Values("tcp", "tcp;ofi_rxm", "shm", "sockets"),
  [](const auto& info)
  {
    std::string name = info.param;
    std::replace(name.begin(), name.end(), ';', '_');
    return name;
  });

class QueueDepthGiven : public ::testing::Test
{
protected:
  void TearDown() override { unsetenv("DSM_QUEUE_DEPTH"); }
};

TEST_F(QueueDepthGiven, IsANumberFromOneOn)
{
  EXPECT_EQ(QueueDepth(), 256u);
  setenv("DSM_QUEUE_DEPTH", "4", 1);
  EXPECT_EQ(QueueDepth(), 4u);
  for (const char* wrong : { "0", "257", "few" })
  {
    setenv("DSM_QUEUE_DEPTH", wrong, 1);
    const std::string text = TextOf(Fault::Usage, [] { static_cast<void>(QueueDepth()); });
    EXPECT_TRUE(Contains(text, "DSM_QUEUE_DEPTH") && Contains(text, wrong)) << text;
  }
}

// The only operation may hold gathered puts when another target wants it.
TEST_F(QueueDepthGiven, OneTransferAtATimeArrivesWhole)
{
  setenv("DSM_QUEUE_DEPTH", "1", 1);
  Hosts hosts(3, 4 * MiB, "fabric/tcp");
  Fabric mover(hosts.Server, "tcp", hosts.All);
  const auto noise = Noise(4 * MiB, 11);
  constexpr std::uint64_t block = 300;
  for (std::uint64_t offset = 0; offset < MiB; offset += block)
  {
    for (HostIndex host = 0; host < 3; ++host)
    {
      mover.Put(host, offset, &noise[offset], block);
    }
  }
  for (HostIndex host = 0; host < 3; ++host)
  {
    mover.Put(host, 2 * MiB, &noise[2 * MiB], 2 * MiB);
  }
  mover.Flush();
  std::vector<std::byte> back(2 * MiB);
  for (HostIndex host = 0; host < 3; ++host)
  {
    EXPECT_EQ(std::memcmp(hosts.Memory[host].data(), noise.data(), MiB), 0) << host;
    mover.Get(host, 2 * MiB, back.data(), back.size());
    mover.Flush();
    EXPECT_EQ(std::memcmp(back.data(), &noise[2 * MiB], back.size()), 0) << host;
  }
  ExpectPiecesArrive(hosts, mover, 4 * MiB, 12);
}

// A host that published these addresses for its provider tcp.
ServerDescription HostAt(const std::vector<std::string>& names, const std::string& network = {})
{
  ServerDescription server;
  server.SlotCount = 1;
  server.SlotSize = MiB;
  server.Hosts.push_back(
    { "far", "node7", network, { OfferOf(FabricAddress{ "tcp", names, 1, 0 }) } });
  return server;
}

// An IPv4 endpoint's name, as libfabric has it.
std::string NameOf(const std::string& address, std::uint16_t port)
{
  sockaddr_in bytes = {};
  bytes.sin_family = AF_INET;
  bytes.sin_port = htons(port);
  EXPECT_EQ(inet_pton(AF_INET, address.c_str(), &bytes.sin_addr), 1);
  return fabric::ToHexadecimal(&bytes, sizeof bytes);
}

// A socket at a port of its own; nobody accepts what comes.
class UnresponsiveListener
{
public:
  UnresponsiveListener()
    : Socket(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
  {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(this->Socket, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(getsockname(this->Socket, reinterpret_cast<sockaddr*>(&address), &size), 0);
    this->Port = ntohs(address.sin_port);
  }
  ~UnresponsiveListener() { close(this->Socket); }
  void Listen() const { EXPECT_EQ(listen(this->Socket, 4), 0); }

  int Socket;
  std::uint16_t Port = 0;
};

class FabricFailures : public ::testing::Test
{
protected:
  void SetUp() override { setenv("DSM_PEER_TIMEOUT", "1.5", 1); }
  void TearDown() override { unsetenv("DSM_PEER_TIMEOUT"); }

  static std::string TextOfPut(Fabric& mover)
  {
    const std::byte one{ 1 };
    return TextOf(Fault::PeerLost,
      [&]
      {
        mover.Put(0, 0, &one, 1);
        mover.Flush();
      });
  }
};

TEST_F(FabricFailures, AClosedPortIsNamed)
{
  const UnresponsiveListener closed; // bound, not listening: nobody else gets the port
  const auto server = HostAt({ NameOf("127.0.0.1", closed.Port) }, NetworkIdentity());
  Fabric mover(server, "", { 0 });
  for (int attempt = 0; attempt < 2; ++attempt)
  {
    const std::string text = TextOfPut(mover);
    EXPECT_TRUE(Contains(text, "host 0 of 1 (node7)")) << text;
    EXPECT_TRUE(Contains(text, fmt::format("127.0.0.1:{} refuses connections", closed.Port)))
      << text;
    EXPECT_TRUE(Contains(text, "firewall") && Contains(text, "DSM_TRANSPORT")) << text;
  }
}

TEST_F(FabricFailures, AHostThatNeverAnswersIsGivenUp)
{
  const UnresponsiveListener deaf;
  deaf.Listen();
  const auto server = HostAt({ NameOf("127.0.0.1", deaf.Port) }, NetworkIdentity());
  Fabric mover(server, "tcp", { 0 });
  const std::string text = TextOfPut(mover);
  EXPECT_TRUE(Contains(text, "does not answer over fabric/tcp")) << text;
  EXPECT_TRUE(Contains(text, "1.5 s (DSM_PEER_TIMEOUT)")) << text;
}

TEST_F(FabricFailures, ASecondAddressIsTaken)
{
  const UnresponsiveListener closed;
  Hosts hosts(1, MiB, "fabric/tcp");
  auto address = FabricAddressesOf(hosts.Server.Hosts[0])[0];
  address.Names.insert(address.Names.begin(), NameOf("127.0.0.1", closed.Port));
  hosts.Server.Hosts[0].Offers = { OfferOf(address) };
  Fabric mover(hosts.Server, "tcp", hosts.All);
  const std::byte one{ 1 };
  mover.Put(0, 77, &one, 1);
  mover.Flush();
  EXPECT_EQ(hosts.Memory[0][77], one);
}

TEST_F(FabricFailures, AHostThatEndsIsLost)
{
  Hosts hosts(1, 8 * MiB, "fabric/tcp");
  Fabric mover(hosts.Server, "tcp", hosts.All);
  const std::vector<std::byte> bytes(8 * MiB, std::byte(1));
  mover.Put(0, 0, bytes.data(), bytes.size());
  mover.Flush();
  hosts.Endpoints.clear();
  const std::string text = TextOfPut(mover);
  EXPECT_TRUE(Contains(text, "host 0 of 1 (here)")) << text;
}

TEST_F(FabricFailures, AProviderThatIsNotInCommonIsNamed)
{
  auto server = HostAt({ NameOf("127.0.0.1", 9) });
  std::string text = TextOf(Fault::Unsupported, [&] { Fabric(server, "pigeon", { 0 }); });
  EXPECT_TRUE(Contains(text, "\"pigeon\"") && Contains(text, "the hosts offer tcp")) << text;
  server.Hosts[0].Offers = { OfferOf(FabricAddress{ "cxi", {}, 1, 0 }) };
  text = TextOf(Fault::Unsupported, [&] { Fabric(server, "", { 0 }); });
  EXPECT_TRUE(Contains(text, "the hosts offer cxi") && Contains(text, "tcp, ")) << text;
  server.Hosts[0].Offers.clear();
  text = TextOf(Fault::Unsupported, [&] { Fabric(server, "", { 0 }); });
  EXPECT_TRUE(Contains(text, "the hosts offer none")) << text;
}

TEST_F(FabricFailures, LoopbackIsNoAddressForAnotherMachine)
{
  const auto server = HostAt({ NameOf("127.0.0.1", 9) }, "another machine");
  const std::string text = TextOf(Fault::Unsupported, [&] { Fabric(server, "", { 0 }); });
  EXPECT_TRUE(Contains(text, "no address")) << text;
}

TEST_F(FabricFailures, AnInterfaceThatIsNotThereIsNamed)
{
  setenv("DSM_FABRIC_INTERFACE", "nowhere0", 1);
  const std::string text = TextOf(Fault::Usage, [] { Hosts(1, MiB, "fabric/tcp"); });
  unsetenv("DSM_FABRIC_INTERFACE");
  EXPECT_TRUE(Contains(text, "\"nowhere0\"") && Contains(text, "lo")) << text;
}

TEST(FabricHost, OpensWhatTheChoiceAsksFor)
{
  EXPECT_TRUE(Hosts(1, MiB, "shared-memory").Server.Hosts[0].Offers.empty());
  EXPECT_TRUE(Hosts(1, MiB, "mpi-rma").Server.Hosts[0].Offers.empty());
  const auto both = FabricAddressesOf(Hosts(1, MiB, "fabric/shm,fabric/tcp:8KiB").Server.Hosts[0]);
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].Provider, "shm");
  EXPECT_EQ(both[1].Provider, "tcp");
  const auto best = FabricAddressesOf(Hosts(1, MiB, "automatic").Server.Hosts[0]);
  ASSERT_FALSE(best.empty());
  EXPECT_EQ(best.back().Provider, "tcp");
  EXPECT_NE(best.front().Key, both.front().Key);
}

TEST(FabricNames, AreOrderedByReachability)
{
  using fabric::Interface;
  const auto number = [](const char* text)
  {
    in_addr address = {};
    inet_pton(AF_INET, text, &address);
    return address.s_addr;
  };
  const std::vector<Interface> own{ { "e0", number("10.2.0.5"), number("255.255.0.0"), false },
    { "lo", number("127.0.0.1"), number("255.0.0.0"), true } };
  const auto far = NameOf("192.168.7.1", 4000);
  const auto close = NameOf("10.2.9.9", 4000);
  const auto loop = NameOf("127.0.0.1", 4000);
  using Names = std::vector<std::string>;
  EXPECT_EQ(fabric::OrderByReachability({ far, close, loop }, false, own), (Names{ close, far }));
  EXPECT_EQ(
    fabric::OrderByReachability({ far, close, loop }, true, own), (Names{ loop, far, close }));
  EXPECT_EQ(fabric::OrderByReachability({ loop }, false, own), Names{});
  const std::string text = "fi_shm://1:0:0";
  const auto other = fabric::ToHexadecimal(text.c_str(), text.size() + 1);
  EXPECT_EQ(fabric::OrderByReachability({ other }, false, own), Names{ other });
  EXPECT_EQ(fabric::Readable(other), text);
  EXPECT_EQ(fabric::Readable(close), "10.2.9.9:4000");
  EXPECT_EQ(fabric::Readable("00ff"), "00ff");
  EXPECT_THROW(fabric::FromHexadecimal("0g"), Error);
  EXPECT_THROW(fabric::FromHexadecimal("123"), Error);
  EXPECT_THROW(fabric::FromHexadecimal(""), Error);
}

}
