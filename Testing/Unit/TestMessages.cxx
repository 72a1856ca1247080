// SPDX-License-Identifier: BSD-3-Clause
#include "Control/Messages.h"

#include "Control/Codec.h"
#include "ControlFixture.h"

#include <gtest/gtest.h>

#include <limits>

namespace
{

using namespace dsm;
using dsm::testing::Contains;
using dsm::testing::TextOf;

const MapParameters Map{ "contiguous", 3, UINT64_C(5) << 40, 4096, 17, ~UINT64_C(0), 12345 };
const WriteStatistics Statistics{ UINT64_C(9) << 33, 1.25, 2.5e-9, { UINT64_C(5) << 40, 0, 7 } };

// Over the wire and back, with a key that a newer peer may have added.
template <typename T>
T Travelled(const T& value)
{
  nlohmann::json json = value;
  json["SaidByANewerPeer"] = { 1, 2, 3 };
  const Frame frame = EncodeMessage({ { "value", json } });
  const auto message = DecodeMessage(frame.data(), frame.size());
  EXPECT_TRUE(message);
  return message->at("value").get<T>();
}

TEST(Messages, TravelUnchanged)
{
  EXPECT_EQ(Travelled(Map), Map);
  EXPECT_EQ(Travelled(Statistics), Statistics);
  const FabricAddress address{ "verbs;ofi_rxm", { "0200", "0201" }, ~UINT64_C(0), 1 };
  EXPECT_EQ(Travelled(address), address);
  const HostDescription host{ "machine/0:25", "/dsm-1-0", "node7", "machine/net", { address } };
  EXPECT_EQ(Travelled(host), host);
  const ServerDescription server{ "session", { host, { "other", "/dsm-1-1", "", "", {} } },
    UINT64_C(1) << 45, 7 };
  EXPECT_EQ(Travelled(server), server);
  EXPECT_EQ(Travelled(ServerDescription{}), ServerDescription{});
  const PeerDescription peer{ "writer", "gray_scott", "node7", "MPICH 4.2.1", 512, 4711 };
  EXPECT_EQ(Travelled(peer), peer);
  const ImageDescription image{ 12, 3, Map, std::numeric_limits<std::uint64_t>::max() };
  EXPECT_EQ(Travelled(image), image);
  const SnapshotDescription snapshot{ 8, "/run/out.00012.h5", UINT64_C(1) << 41, 12.25, 2, Map,
    Statistics, 1.75e9 };
  EXPECT_EQ(Travelled(snapshot), snapshot);
}

TEST(Messages, CarryFileNamesThatAreNoUtf8)
{
  SnapshotDescription snapshot;
  snapshot.FileName = "/run/caf\xe9.h5";
  EXPECT_EQ(Travelled(snapshot).FileName, snapshot.FileName);
}

TEST(Messages, SayWhatTheyLack)
{
  nlohmann::json json = ImageDescription{};
  json.erase("Slot");
  const std::string text = TextOf(Fault::Refused, [&] { json.get<ImageDescription>(); });
  EXPECT_TRUE(Contains(text, "Slot") && Contains(text, "image description")) << text;
}

TEST(Messages, SayWhatHasTheWrongType)
{
  nlohmann::json json = ImageDescription{};
  json["Slot"] = -1;
  const std::string text = TextOf(Fault::Refused, [&] { json.get<ImageDescription>(); });
  EXPECT_TRUE(Contains(text, "Slot")) << text;
  json = ServerDescription{};
  json["Hosts"] = "all";
  TextOf(Fault::Refused, [&] { json.get<ServerDescription>(); });
  TextOf(Fault::Refused, [] { nlohmann::json("text").get<PeerDescription>(); });
}

TEST(Messages, WhatIsNoMessageIsNone)
{
  const std::string noise = "GET / HTTP/1.1\r\n\r\n";
  EXPECT_FALSE(DecodeMessage(noise.data(), noise.size()));
  EXPECT_FALSE(DecodeMessage(nullptr, 0));
  const Frame list = EncodeMessage({ 1, 2, 3 });
  EXPECT_FALSE(DecodeMessage(list.data(), list.size()));
  Frame cut = EncodeMessage({ { "ask", "hello" } });
  EXPECT_FALSE(DecodeMessage(cut.data(), cut.size() - 1));
}

}
