// SPDX-License-Identifier: BSD-3-Clause
#include "Protocol/HostMessages.h"
#include "Protocol/ImageMessages.h"
#include "Protocol/SessionMessages.h"
#include "Protocol/SnapshotMessages.h"

#include "Control/Envelope.h"
#include "Transport/Fabric/FabricAddress.h"
#include "Transport/Mpi/LinkMessages.h"

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

// Over the wire and back.
template <typename T>
T Travelled(const T& value)
{
  return Decode<T>(Encode(value), "it");
}

// A placeholder is a file on disk, where anybody may write anything.
TEST(Messages, APlaceIsTakenWhereTheServerHasSuchASlot)
{
  ServerDescription server{ "session", { {}, {} }, 1 << 20, 7, 0, false, {} };
  const SlotAddress place{ "session", 8192, 6, 3, { "contiguous", 2, 1 << 20, 4096, 0, 0, 0 } };
  EXPECT_EQ(Travelled(place), place);
  EXPECT_TRUE(place.IsOf(server));
  const auto differs = [&](const auto& change)
  {
    SlotAddress other = place;
    change(other);
    return !other.IsOf(server);
  };
  EXPECT_TRUE(differs([](SlotAddress& other) { other.Session = "an earlier one"; }));
  EXPECT_TRUE(differs([](SlotAddress& other) { other.Slot = 7; }));
  EXPECT_TRUE(differs([](SlotAddress& other) { other.Map.Hosts = 3; }));
  EXPECT_TRUE(differs([](SlotAddress& other) { other.Map.HostCapacity = 2 << 20; }));
  EXPECT_TRUE(differs([](SlotAddress& other) { other.FileSize = (2 << 20) + 1; }));
  EXPECT_TRUE(differs([](SlotAddress& other) { other.Map.Strategy = "none"; }));
}

TEST(Messages, TravelUnchanged)
{
  EXPECT_EQ(Travelled(Map), Map);
  EXPECT_EQ(Travelled(Statistics), Statistics);
  const FabricAddress address{ "verbs;ofi_rxm", { "0200", "0201" }, ~UINT64_C(0), 1 };
  EXPECT_EQ(Travelled(address), address);
  const HostDescription host{ "machine/0:25", "node7", "machine/net",
    { OfferOf(address), { "shared-memory", { 0, 255 } } } };
  EXPECT_EQ(FabricAddressesOf(host), std::vector<FabricAddress>{ address });
  EXPECT_EQ(Travelled(host), host);
  const ServerDescription server{ "session", { host, { "other", "", "", {} } }, UINT64_C(1) << 45,
    7, UINT64_C(1) << 42, true, {} };
  EXPECT_EQ(Travelled(server), server);
  EXPECT_EQ(Travelled(ServerDescription{}), ServerDescription{});
  const PeerDescription peer{ "writer", "gray_scott", "node7", "MPICH 4.2.1", 512, 4711,
    "machine/0:25", "prterun-1@1", 1024, "machine/311" };
  EXPECT_EQ(Travelled(peer), peer);
  const ImageDescription image{ 12, 3, 5, Map, std::numeric_limits<std::uint64_t>::max(), 99,
    { 4096, 0 } };
  EXPECT_EQ(Travelled(image), image);
  SnapshotDescription snapshot{ 8, "/run/out.00012.h5", UINT64_C(1) << 41, 12.25, 0, 2, 4, Map, {},
    Statistics, 1.75e9, { 7, 8 }, "out.#.h5", 3, "gray_scott" };
  EXPECT_EQ(Travelled(snapshot), snapshot);
  snapshot.Shared = { 3, 9, { AsideBytes(), AsideBytes::FromList({ { 0, 4096, 4096 } }) } };
  EXPECT_EQ(Travelled(snapshot), snapshot);
  PublishImage publish{ 12, 99, { { { 0, 4096 }, { 8192, 12288 } }, {} }, Statistics };
  EXPECT_EQ(Travelled(publish).Changing, publish.Changing);
  EXPECT_EQ(Travelled(KeepBytes{ 12, 99, 1, { 0, 4096 } }).Bytes, (ByteRange{ 0, 4096 }));
  const auto job = Travelled(JobDescription{ "MPICH 5.0.2", 7, 3, 4 });
  EXPECT_EQ(job.Library, "MPICH 5.0.2");
  EXPECT_EQ(job.WorldSize, 7u);
  EXPECT_EQ(job.Leader, 3u);
  EXPECT_EQ(job.Ranks, 4u);
}

TEST(Messages, CarryFileNamesThatAreNoUtf8)
{
  SnapshotDescription snapshot;
  snapshot.FileName = "/run/caf\xe9.h5";
  EXPECT_EQ(Travelled(snapshot).FileName, snapshot.FileName);
}

TEST(Messages, LeaveOutWhatIsNotThere)
{
  OpenSnapshot open;
  open.Number = SnapshotId(7);
  open.Together = JointViewer{ "ada", 3 };
  const auto travelled = Travelled(open);
  EXPECT_EQ(travelled.Number, open.Number);
  EXPECT_FALSE(travelled.Instead);
  ASSERT_TRUE(travelled.Together);
  EXPECT_EQ(travelled.Together->Ranks, 3u);
}

TEST(Messages, NumbersOutOfRangeAreRefused)
{
  const std::string text =
    TextOf(Fault::Refused, [] { Travelled(SealImage{ 1, UINT64_C(1) << 63, 0, {}, 0 }); });
  EXPECT_TRUE(Contains(text, "Size") && Contains(text, "range")) << text;
  TextOf(Fault::Refused, [] { Travelled(ExtendImage{ 0, 1 }); });
  TextOf(Fault::Refused, [] { Travelled(JointViewer{ "ada", 0 }); });
}

TEST(Messages, AnEnvelopeTravelsUnchanged)
{
  const Envelope request{ Envelope::Kind::Request, "begin", 7, Encode(BeginImage{ "x", 3 }), {},
    {} };
  const Bytes frame = EncodeEnvelope(request);
  const auto travelled = DecodeEnvelope(frame.data(), frame.size());
  ASSERT_TRUE(travelled);
  EXPECT_EQ(travelled->Name, "begin");
  EXPECT_EQ(travelled->Id, 7u);
  EXPECT_EQ(3u, Content<BeginImage>(*travelled).CopyOf);
}

TEST(Messages, AnotherRecordThanTheNameSaysIsRefused)
{
  const Envelope wrong{ Envelope::Kind::Request, "begin", 7, Encode(ExtendImage{ 1, 2 }), {}, {} };
  const std::string text = TextOf(Fault::Refused, [&] { Content<BeginImage>(wrong); });
  EXPECT_TRUE(Contains(text, "\"begin\"") && Contains(text, "File")) << text;
}

// A peer of any other version is told of that, whatever else its greeting has.
TEST(Messages, TheVersionIsReadFromAnyGreeting)
{
  const Bytes strange = EncodeFields(
    [](Fields& fields)
    {
      std::int64_t version = 99;
      std::string more = "what nobody knows";
      fields("Protocol", version);
      fields("Later", more);
    });
  EXPECT_EQ(Decode<HelloVersion>(strange, "hello", Unknown::Ignored).Protocol, 99);
  TextOf(Fault::Refused, [&] { Decode<Hello>(strange, "hello"); });
  EXPECT_EQ(Travelled(Hello()).Protocol, ProtocolVersion());
}

TEST(Messages, WhatIsNoMessageIsNone)
{
  const std::string noise = "GET / HTTP/1.1\r\n\r\n";
  EXPECT_FALSE(DecodeEnvelope(noise.data(), noise.size()));
  EXPECT_FALSE(DecodeEnvelope(nullptr, 0));
  const Bytes record = Encode(BeginImage());
  EXPECT_FALSE(DecodeEnvelope(record.data(), record.size()));
  const Bytes cut =
    EncodeEnvelope({ Envelope::Kind::Request, "hello", 1, Encode(Hello()), {}, {} });
  EXPECT_FALSE(DecodeEnvelope(cut.data(), cut.size() - 1));
}

}
