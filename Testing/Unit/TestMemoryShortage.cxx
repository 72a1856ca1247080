// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/MemoryShortage.h"

#include "SimulatedServer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace
{

using namespace dsm;
using dsm::testing::SimulatedServer;
using dsm::testing::Texts;

constexpr std::uint64_t KiB = UINT64_C(1) << 10;
using Numbers = std::vector<SnapshotId>;

/// A host that lends 1 MiB, while its node has less.
class MemoryShortageTest : public ::testing::Test
{
protected:
  explicit MemoryShortageTest(const ServerOptions& options = SimulatedServer::Options())
    : Server({ .Hosts = 1, .Lent = 1 << 20, .Options = options, .IsWarm = false })
  {
    this->Server.Connect("writer", "writer");
    this->Server.Connect("viewer", "viewer");
  }

  /// Does what an order says. Returns how many bytes the node lacks for it.
  std::uint64_t Carry(const PrepareMemory& order)
  {
    const auto pagesOf = [](const SlotRange& range)
    { return std::pair(range.Begin / Page, (std::min(range.End, SlotEnd) + Page - 1) / Page); };
    for (const SlotRange& range : order.Release)
    {
      const auto [begin, end] = pagesOf({ range.Slot, range.Begin + Page - 1, range.End });
      auto& pages = this->Pages[range.Slot];
      pages.erase(pages.lower_bound(begin), pages.lower_bound(end));
    }
    std::set<std::uint64_t> missing;
    const auto [begin, end] = pagesOf(order.Reserve);
    for (std::uint64_t page = begin; page < end; ++page)
    {
      if (!this->Pages[order.Reserve.Slot].contains(page))
      {
        missing.insert(page);
      }
    }
    const std::uint64_t wanted = this->Has() + missing.size() * Page;
    if (!missing.empty() && wanted > this->Capacity)
    {
      return wanted - this->Capacity;
    }
    this->Pages[order.Reserve.Slot].merge(missing);
    return 0;
  }

  std::uint64_t Has() const
  {
    std::uint64_t pages = 0;
    for (const auto& [slot, its] : this->Pages)
    {
      pages += its.size();
    }
    return pages * Page;
  }

  void HostWorks()
  {
    for (auto orders = this->Server.TakeOrders(0); !orders.empty();
      orders = this->Server.TakeOrders(0))
    {
      for (const PrepareMemory& order : orders)
      {
        MemoryPrepared prepared;
        prepared.Tickets = order.Tickets;
        prepared.Ahead = !order.Ahead.empty();
        // The node has nothing to spare, so nothing is made ahead.
        prepared.Failure = prepared.Ahead ? "memory is scarce" : "";
        if (const std::uint64_t lacked = prepared.Ahead ? 0 : this->Carry(order); lacked > 0)
        {
          prepared.Failure = "no memory is left";
          prepared.Lacked = lacked;
          ++this->Lacks;
        }
        this->Server.Notify(SimulatedServer::HostPeer(0), prepared);
      }
    }
  }

  template <typename Message>
  std::uint64_t Send(const Message& message)
  {
    const std::uint64_t request = this->Server.Send("writer", message);
    this->HostWorks();
    return request;
  }
  template <typename Message>
  typename Message::Reply Ask(const Message& message)
  {
    return this->Server.ReplyTo<Message>(this->Send(message));
  }

  static BeginImage BeginOf(const std::string& name, SnapshotId source = 0)
  {
    BeginImage begin;
    begin.File = name;
    begin.CopyOf = source;
    begin.Ranks = 1;
    return begin;
  }

  ImageGranted Begin(const std::string& name, SnapshotId source = 0)
  {
    return this->Ask(BeginOf(name, source));
  }

  SnapshotId End(const ImageDescription& image, std::uint64_t size)
  {
    if (size > image.Grant)
    {
      this->Ask(ExtendImage{ image.Image, image.Key, size });
    }
    return this->Ask(this->Server.SealOf(image.Image, size)).Number;
  }

  SnapshotId Write(const std::string& name, std::uint64_t size = 100 * KiB)
  {
    return this->End(this->Begin(name).Image, size);
  }

  void Wait(Seconds time)
  {
    this->Server.Time.Now += std::chrono::duration_cast<Clock::duration>(time);
    this->Server.Time.Wall += time.count();
    this->Server.Core.Router.Do([this] { this->Server.Core.Tick(); });
    this->HostWorks();
  }

  static constexpr std::uint64_t Page = 4 * KiB;
  static constexpr std::uint64_t SlotEnd = UINT64_C(1) << 20;
  SimulatedServer Server;
  std::uint64_t Capacity = 400 * KiB;
  std::uint64_t Lacks = 0; ///< how often the node had no more
  std::map<SlotIndex, std::set<std::uint64_t>> Pages;
};

ServerOptions Blocking()
{
  ServerOptions options = SimulatedServer::Options();
  options.WhenFull = FullRing::Block;
  return options;
}

class BlockedMemoryShortageTest : public MemoryShortageTest
{
protected:
  BlockedMemoryShortageTest()
    : MemoryShortageTest(Blocking())
  {
  }
};

TEST_F(MemoryShortageTest, OldestSnapshotsAreEvictedForNewFiles)
{
  for (std::uint64_t i = 1; i <= 20; ++i)
  {
    EXPECT_EQ(this->Write("/" + std::to_string(i) + ".h5"), SnapshotId(i));
  }
  const Numbers left = this->Server.InRing();
  EXPECT_GE(left.size(), 2u);
  EXPECT_EQ(left.back(), 20u);
  EXPECT_EQ(left.front(), 20 - left.size() + 1) << "the newest are left";
  EXPECT_LE(this->Has(), this->Capacity);
  EXPECT_EQ(this->Server.Status().ImagesAbandoned, 0u);
  EXPECT_LT(this->Lacks, 10u) << "the server learns how much there is";
}

TEST_F(MemoryShortageTest, ShortageIsReportedOnce)
{
  this->Write("/a.1.h5");
  this->Server.Core.State.Trouble.Note("none");
  for (int i = 2; this->Lacks == 0; ++i)
  {
    this->Write("/a." + std::to_string(i) + ".h5");
  }
  EXPECT_NE(
    this->Server.Status().LastError.find("gets less memory than it shares: no memory is left"),
    std::string::npos);
  this->Server.Core.State.Trouble.Note("none");
  const std::uint64_t before = this->Lacks;
  for (int i = 0; i < 5; ++i)
  {
    this->Wait(MemoryShortage::Pause);
    for (int file = 0; file < 5; ++file)
    {
      this->Write("/b." + std::to_string(5 * i + file) + ".h5");
    }
  }
  EXPECT_GT(this->Lacks, before) << "it tries again";
  EXPECT_EQ(this->Server.Status().LastError, "none");
}

TEST_F(MemoryShortageTest, MoreMemoryIsTakenWhenThereIsMore)
{
  for (int i = 0; i < 10; ++i)
  {
    this->Write("/a." + std::to_string(i) + ".h5");
  }
  ASSERT_GT(this->Lacks, 0u);
  const std::size_t few = this->Server.InRing().size();
  this->Capacity = 2048 * KiB;
  this->Wait(MemoryShortage::Pause);
  for (int i = 10; i < 20; ++i)
  {
    this->Write("/a." + std::to_string(i) + ".h5");
  }
  EXPECT_GT(this->Server.InRing().size(), few);
  this->Wait(Seconds(1));
  this->Server.Core.State.Trouble.Note("none");
  this->Capacity = 200 * KiB;
  this->Pages.clear();
  this->Write("/b.h5", 300 * KiB);
  EXPECT_EQ(this->Server.Status().ImagesAbandoned, 0u);
}

TEST_F(MemoryShortageTest, FileThatIsContinuedGetsRoomByEviction)
{
  for (int i = 0; i < 3; ++i)
  {
    this->Write("/old." + std::to_string(i) + ".h5");
  }
  SnapshotId newest = this->Write("/log.h5");
  for (std::uint64_t i = 1; i <= 15; ++i)
  {
    const ImageGranted granted = this->Begin("/log.h5", newest);
    EXPECT_EQ(granted.CopyOf, newest);
    newest = this->End(granted.Image, (100 + 15 * i) * KiB);
  }
  EXPECT_GT(this->Lacks, 0u);
  EXPECT_TRUE(this->Server.Core.Images.Snapshots().Find(newest));
  EXPECT_LE(this->Has(), this->Capacity);
  EXPECT_EQ(this->Server.Status().ImagesAbandoned, 0u);
}

TEST_F(MemoryShortageTest, FileThatGrowsGetsRoomByEviction)
{
  this->Write("/1.h5");
  this->Write("/2.h5");
  const ImageDescription image = this->Begin("/3.h5").Image;
  for (std::uint64_t size = 100 * KiB; size <= 380 * KiB; size += 20 * KiB)
  {
    EXPECT_GE(this->Ask(ExtendImage{ image.Image, image.Key, size }).Grant, size);
  }
  EXPECT_GT(this->Lacks, 0u);
  EXPECT_EQ(this->Server.InRing(), Numbers());
  const std::uint64_t tooMuch = this->Send(ExtendImage{ image.Image, image.Key, 500 * KiB });
  EXPECT_TRUE(
    this->Server.IsRefused(tooMuch, Fault::RingFull, "nodes or jobs have no more memory"));
}

TEST_F(MemoryShortageTest, NewFileIsRefusedIfNoSnapshotIsLeftToEvict)
{
  this->Capacity = 16 * KiB;
  Texts refusals;
  for (const char* name : { "/1.h5", "/2.h5" })
  {
    const std::uint64_t request = this->Send(BeginOf(name));
    EXPECT_TRUE(this->Server.IsRefused(
      request, Fault::RingFull, "hosts cannot get the memory that they share"));
    this->Server.Core.State.Trouble.Note("none");
  }
  EXPECT_EQ(this->Server.Status().LastError, "none") << "the shortage was reported before";
}

TEST_F(MemoryShortageTest, NothingIsRefusedForWhatWasLackedBefore)
{
  const std::uint64_t enough = std::exchange(this->Capacity, 16 * KiB);
  EXPECT_TRUE(this->Server.IsRefused(
    this->Send(BeginOf("/1.h5")), Fault::RingFull, "hosts cannot get the memory that they share"));
  const Seconds moment = MemoryShortage::Pause / 10;
  this->Wait(moment);
  this->Capacity = enough;
  const ImageDescription image = this->Begin("/2.h5").Image;
  this->Capacity = this->Has();
  this->Wait(moment);
  const ExtendImage more{ image.Image, image.Key, 300 * KiB };
  EXPECT_TRUE(
    this->Server.IsRefused(this->Send(more), Fault::RingFull, "nodes or jobs have no more memory"));
  this->Wait(moment);
  this->Capacity = enough;
  EXPECT_GE(this->Ask(more).Grant, 300 * KiB);
}

TEST_F(BlockedMemoryShortageTest, WriterWaitsForUnreadSnapshots)
{
  std::uint64_t request = 0;
  for (int i = 1;; ++i)
  {
    request = this->Send(BeginOf("/" + std::to_string(i) + ".h5"));
    if (!this->Server.IsAnswered(request))
    {
      break;
    }
    this->End(this->Server.ReplyTo<BeginImage>(request).Image, 100 * KiB);
  }
  EXPECT_EQ(this->Server.InRing().front(), 1u) << "nothing unread was evicted";
  this->Wait(Seconds(1)); // viewers hear of all
  OpenSnapshot open;
  open.Number = SnapshotId(1);
  const auto lease = this->Server.ReplyTo<OpenSnapshot>(this->Server.Send("viewer", open)).Lease;
  this->Server.Notify("viewer", CloseSnapshot{ lease });
  this->HostWorks();
  EXPECT_TRUE(this->Server.IsAnswered(request));
  EXPECT_EQ(this->Server.InRing().front(), 2u);
}

TEST_F(BlockedMemoryShortageTest, WriterWaitsNoLongerThanItsLimit)
{
  std::uint64_t request = 0;
  for (int i = 1; request == 0 || this->Server.IsAnswered(request); ++i)
  {
    request = this->Send(BeginOf("/" + std::to_string(i) + ".h5"));
    if (this->Server.IsAnswered(request))
    {
      this->End(this->Server.ReplyTo<BeginImage>(request).Image, 100 * KiB);
    }
  }
  const Seconds limit = this->Server.Core.State.Options.FullRingLimit;
  for (Seconds waited(0); waited < limit; waited += Seconds(1))
  {
    EXPECT_FALSE(this->Server.IsAnswered(request));
    this->Wait(Seconds(1));
  }
  EXPECT_TRUE(this->Server.IsAnswered(request)) << "although it has tried again meanwhile";
}

TEST_F(MemoryShortageTest, FlushesAndWhatTheyKeepGetRoomByEviction)
{
  this->Write("/1.h5", 150 * KiB);
  const ImageDescription image = this->Begin("/2.h5").Image;
  this->Ask(ExtendImage{ image.Image, image.Key, 100 * KiB });
  PublishImage publish;
  publish.Image = image.Image;
  publish.Size = 100 * KiB;
  const Published published = this->Ask(publish);
  ConfirmCopy confirm;
  confirm.Image = image.Image;
  confirm.Copy = published.Copy;
  const SnapshotId shown = this->Ask(confirm).Number;
  ASSERT_NE(shown, 0u);
  this->Capacity = this->Has();
  this->Ask(KeepBytes{ image.Image, image.Key, 0, { 0, 64 * KiB } });
  EXPECT_GT(this->Lacks, 0u);
  EXPECT_EQ(this->Server.InRing(), Numbers{ shown });
  this->End(image, 100 * KiB);
}

}
