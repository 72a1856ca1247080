// SPDX-License-Identifier: BSD-3-Clause
// What a writer believes and what its server has are the same, whatever is lost between them.
#include "Relay.h"
#include "SlotFixture.h"

#include "Memory/SlotEnding.h"
#include "Peer/ImageSeal.h"
#include "Protocol/SnapshotMessages.h"

#include <future>

namespace
{

using namespace dsm;
using namespace dsm::testing;
using Kind = SlotEnding::Kind;

class ImageSealTest : public ImageTest
{
protected:
  // Asks for the snapshot.
  std::optional<std::uint64_t> Seal(const std::shared_ptr<Connection>& link)
  {
    const ImageSlot slot = this->Slot();
    const ImageConnection server(link, slot);
    SealImage request;
    request.Image = this->Image.Image;
    return ImageSeal(slot, server, Generation).Request(request);
  }

  // Seals by what both sides map, and says nothing.
  void SealSilently()
  {
    this->When<SealImage>(
      [this](Listener&, const RequestId&, const SealImage&)
      {
        EXPECT_EQ(this->Board().Ending(SlotNumber).Decide(Generation, Kind::Sealed), Kind::Sealed);
      });
  }

  // A server that is asked for the snapshot, and ends before it answers: nobody listens any more.
  std::optional<std::uint64_t> SealWhileTheServerEnds()
  {
    this->Listen();
    auto between = std::make_unique<Relay>(this->Address.Endpoints.front());
    Contact contact = this->Address;
    contact.Endpoints = { between->Endpoint() };
    auto sealing =
      std::async(std::launch::async, [&] { return this->Seal(this->ConnectTo(contact)); });
    EXPECT_TRUE(this->Await<SealImage>());
    between.reset();
    return sealing.get();
  }

  // Lists a snapshot of the image's file, sealed at any time, whose slot has that generation.
  void List(std::uint64_t generation, SlotIndex slot = SlotNumber)
  {
    this->When<ListSnapshots>(
      [generation, slot](Listener& self, const RequestId& request, const ListSnapshots&)
      {
        SnapshotList list;
        list.Snapshots.resize(1);
        list.Snapshots[0].Number = 23;
        list.Snapshots[0].FileName = FileName;
        list.Snapshots[0].Slot = slot;
        list.Snapshots[0].Generation = generation;
        self.Reply(request, list);
      });
  }
};

TEST_F(ImageSealTest, ReturnsTheSnapshotsNumber)
{
  this->When<SealImage>([](Listener& self, const RequestId& request, const SealImage&)
    { self.Reply(request, Sealed{ 23 }); });
  EXPECT_EQ(this->Seal(this->Connect()), 23u);
}

TEST_F(ImageSealTest, LeavesTheEndingToAServerThatRefuses)
{
  this->When<SealImage>([](Listener& self, const RequestId& request, const SealImage&)
    { self.Refuse(request, Error(Fault::Refused, "no such image")); });
  const auto link = this->Connect();
  TextOf(Fault::Refused, [&] { this->Seal(link); });
  EXPECT_EQ(this->Board().Ending(SlotNumber).Decide(Generation, Kind::Sealed), Kind::Sealed);
}

TEST_F(ImageSealTest, FindsInMemoryThatTheServerHasSealed)
{
  HaveLittlePatience();
  this->SealSilently();
  EXPECT_EQ(this->Seal(this->Connect()), std::nullopt);
}

TEST_F(ImageSealTest, GivesUpInMemoryBeforeAServerThatIsLate)
{
  HaveLittlePatience();
  const auto link = this->Connect();
  TextOf(Fault::TimedOut, [&] { this->Seal(link); });
  EXPECT_TRUE(this->Await<SealImage>());
  EXPECT_EQ(this->Board().Ending(SlotNumber).Decide(Generation, Kind::Sealed), Kind::GivenUp);
}

TEST_F(ImageSealTest, IsNotSealedByAServerThatHasEnded)
{
  HaveLittlePatience();
  this->SealSilently();
  EXPECT_THROW(this->SealWhileTheServerEnds(), Error);
}

TEST_F(ImageSealTest, IsSealedByAServerThatHasEndedIfSomebodySavesIt)
{
  HaveLittlePatience();
  this->When<SealImage>(
    [this](Listener&, const RequestId&, const SealImage&)
    {
      const SlotEnding ending = this->Board().Ending(SlotNumber);
      ending.Decide(Generation, Kind::Sealed);
      ending.Undertake(Generation, Kind::Kept);
    });
  EXPECT_EQ(this->SealWhileTheServerEnds(), std::nullopt);
}

TEST_F(ImageSealTest, AsksForTheSnapshotIfMemoryIsNotMapped)
{
  HaveLittlePatience();
  this->Route->IsMapped[0] = false;
  this->List(Generation);
  EXPECT_EQ(this->Seal(this->Connect()), 23u);
}

TEST_F(ImageSealTest, TakesNoOlderSnapshotForIts)
{
  HaveLittlePatience();
  this->Route->IsMapped[0] = false;
  this->List(Generation - 1);
  const auto link = this->Connect();
  TextOf(Fault::TimedOut, [&] { this->Seal(link); });
  EXPECT_EQ(this->CountOf<ListSnapshots>(), 1);
}

TEST_F(ImageSealTest, TakesNoOthersSnapshotForIts)
{
  HaveLittlePatience();
  this->Route->IsMapped[0] = false;
  this->List(Generation, SlotIndex(SlotNumber + 1));
  const auto link = this->Connect();
  TextOf(Fault::TimedOut, [&] { this->Seal(link); });
}

}
