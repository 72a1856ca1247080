// SPDX-License-Identifier: BSD-3-Clause
// Snapshots in the memory of two hosts, which are segments of this process.
#include "Base/Error.h"
#include "Base/NodeIdentity.h"
#include "Control/ContactFile.h"
#include "Memory/Segment.h"
#include "Memory/SegmentLayout.h"
#include "Memory/SharedNumber.h"
#include "Peer/Connection.h"
#include "Peer/SnapshotView.h"
#include "Peer/StitchedView.h"
#include "Protocol/SnapshotPlaces.h"
#include "Smaps.h"
#include "Transport/Transport.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace
{

using namespace dsm;

constexpr std::uint64_t MiB = UINT64_C(1) << 20;
constexpr std::uint64_t Page = 4096;
constexpr std::uint64_t SlotSize = 16 * MiB;
constexpr std::uint64_t SlotCount = 2;
constexpr SlotIndex Slot = 1;
constexpr std::uint64_t Generation = 7;
constexpr std::uint64_t FileSize = 9 * MiB + 12345;
constexpr std::uint64_t DiskSize = 8 * MiB;

// Copies bytes out of the hosts' segments, as a transport to another node does.
class FarMemory final : public Transport
{
public:
  FarMemory(const std::vector<Segment>& hosts, bool isMapped)
    : Hosts(hosts)
    , IsMapped(isMapped)
  {
  }
  std::string Name() const override { return "far"; }
  void Put(HostIndex, std::uint64_t, const void*, std::uint64_t) override { FAIL(); }
  void Get(HostIndex host, std::uint64_t offset, void* destination, std::uint64_t size) override
  {
    std::memcpy(destination, this->Hosts[host].Data() + offset, size);
  }
  void Flush() override {}
  const std::byte* Direct(HostIndex host, std::uint64_t offset) const override
  {
    return this->IsMapped ? this->Hosts[host].Data() + offset : nullptr;
  }

private:
  const std::vector<Segment>& Hosts;
  bool IsMapped; ///< what Direct says
};

// Bytes of the pages in a range that are this process's own.
std::uint64_t OwnBytes(const std::byte* place, std::uint64_t size)
{
  return dsm::testing::SmapsBytes(place, size, "Anonymous");
}

// Reads each page, so that its mapping is used.
unsigned Sum(const StitchedView& view)
{
  unsigned sum = 0;
  for (std::uint64_t at = 0; at < view.Size(); at += Page / 4)
  {
    sum += std::to_integer<unsigned>(view.Data()[at]);
  }
  return sum;
}

class StitchedViews : public ::testing::Test
{
protected:
  StitchedViews()
  {
    for (HostIndex host = 0; host < 2; ++host)
    {
      this->Hosts.push_back(Segment::Create(this->Layout.Size(), DiskSize));
      const Segment& segment = this->Hosts.back();
      this->GenerationOf(host).Store(Generation);
      const std::string& name = segment.Name();
      this->Server.Hosts.push_back({ NodeIdentity(), "here", NetworkIdentity(),
        { { "shared-memory", { name.begin(), name.end() } } } });
    }
    this->Server.SlotSize = SlotSize;
    this->Server.SlotCount = SlotCount;
    this->Server.DiskSize = DiskSize;
    this->Snapshot.Number = 3;
    this->Snapshot.FileName = "/sim/out.h5";
    this->Snapshot.Slot = Slot;
    this->Snapshot.Generation = Generation;
    this->Snapshot.Map = { "block cyclic", 2, SlotSize, MiB, 0, 0, 0, {} };
  }

  SharedNumber GenerationOf(HostIndex host) const
  {
    return SharedNumber(this->Hosts[host].Data() + this->Layout.Generations.OffsetOf(Slot));
  }

  // Puts random bytes on the hosts, spread by a map.
  void Store(const MapParameters& map, std::uint64_t size = FileSize)
  {
    this->Snapshot.Map = map;
    this->Snapshot.FileSize = size;
    std::minstd_rand random(5);
    this->File.resize(size);
    std::generate(this->File.begin(), this->File.end(), [&] { return std::byte(random() >> 8); });
    SnapshotPlaces(this->Snapshot, SlotSize)
      .ForEachRun(0, size,
        [&](HostIndex host, std::uint64_t offset, std::uint64_t position, std::uint64_t length)
        {
          this->Hosts[host].Reserve(offset, length, Segment::Pages::Small);
          std::memcpy(this->Hosts[host].Data() + offset, this->File.data() + position, length);
        });
  }
  void Store() { this->Store(this->Snapshot.Map); }

  // Makes host 1 one of another node, which this process reaches by a transport of the test.
  void MoveHostAway(bool isMapped)
  {
    this->Server.Hosts[1] = { "elsewhere", "there", "network", {} };
    this->Far = std::make_shared<FarMemory>(this->Hosts, isMapped);
  }

  SnapshotView Open() const
  {
    const auto connection =
      Connection::FromDescription("/nowhere/dsm.contact", Contact{}, this->Server, "viewer");
    if (this->Far)
    {
      connection->AddJoined({ this->Far });
    }
    return { connection, this->Snapshot };
  }

  // Expects that a view has what the snapshot has.
  void ExpectBytes(const StitchedView& view, const SnapshotView& snapshot, FileOffset address) const
  {
    std::vector<std::byte> read(view.Size());
    snapshot.Read(address, read.data(), read.size());
    EXPECT_TRUE(std::equal(read.begin(), read.end(), view.Data()));
    EXPECT_TRUE(std::equal(read.begin(), read.end(), this->File.begin() + address));
  }

  const SegmentLayout Layout{ SlotSize, SlotCount };
  std::vector<Segment> Hosts;
  ServerDescription Server;
  SnapshotDescription Snapshot;
  std::vector<std::byte> File;
  std::shared_ptr<Transport> Far; ///< to host 1, if it was moved away
};

TEST_F(StitchedViews, HasTheBytesOfTheFileWhateverTheStrategy)
{
  struct Case
  {
    MapParameters Map;
    std::uint64_t Mapped; ///< bytes of the whole file
    const char* Reason = "";
  };
  constexpr std::uint64_t All = (FileSize + Page - 1) / Page * Page;
  constexpr std::uint64_t Odd = 5 * MiB + 1000;
  const char* const unaligned = "its bytes are not aligned to pages";
  const Case cases[] = {
    { { "contiguous", 2, SlotSize, MiB, 0, 0, 0, {} }, All },
    { { "contiguous", 2, 5 * MiB, MiB, 0, 0, 0, {} }, All },
    { { "contiguous", 2, Odd, MiB, 0, 0, 0, {} }, 5 * MiB, unaligned },
    { { "mask", 2, SlotSize, MiB, 0, 0, FileSize, {} }, All },
    { { "block cyclic", 2, SlotSize, 4096, 0, 0, 0, {} }, All, "it has 2308 pieces" },
    { { "block cyclic", 2, SlotSize, 65536, 0, 0, 0, {} }, All },
    { { "block cyclic", 2, SlotSize, MiB, 0, 0, 0, {} }, All },
    { { "block cyclic", 2, SlotSize, 2 * MiB, 0, 0, 0, {} }, All },
    { { "block cyclic", 2, SlotSize, 1000, 0, 0, 0, {} }, 0, unaligned },
    { { "block cyclic", 2, SlotSize, 10000, 1, 0, 0, {} }, All }, // on one host
    { { "random block", 2, SlotSize, 65536, 0, 11, 0, {} }, All },
    { { "random block", 2, SlotSize, MiB, 0, 11, 0, {} }, All },
  };
  for (const Case& row : cases)
  {
    SCOPED_TRACE(row.Map.Strategy + " " + std::to_string(row.Map.BlockSize) + " " +
      std::to_string(row.Map.HostCapacity));
    this->Store(row.Map);
    const SnapshotView snapshot = this->Open();
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges = { { 0, FileSize }, { 0, 1 },
      { 1, 1 }, { FileSize - 1, 1 }, { FileSize - 5000, 5000 }, { Page, Page }, { Page - 1, 2 },
      { 2 * MiB - 3, 3 * MiB + 5 }, { MiB, 4 * MiB }, { 5 * MiB + 900, 200 } };
    std::minstd_rand random(9);
    for (int more = 0; more < 10; ++more)
    {
      const std::uint64_t begin = random() % FileSize;
      ranges.emplace_back(begin, 1 + random() % (FileSize - begin));
    }
    for (const auto& [begin, size] : ranges)
    {
      SCOPED_TRACE(std::to_string(begin) + " " + std::to_string(size));
      const FileOffset address(begin);
      const StitchedView view(snapshot, address, size);
      EXPECT_EQ(view.Size(), size);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(view.Data()) % Segment::HugePage,
        begin % Segment::HugePage);
      EXPECT_TRUE(view.IsAligned(1));
      EXPECT_EQ(view.IsAligned(8), begin % 8 == 0);
      EXPECT_EQ(view.Mapped() + view.Copied(),
        (begin + size + Page - 1) / Page * Page - begin / Page * Page);
      this->ExpectBytes(view, snapshot, address);
    }
    const StitchedView whole(snapshot, 0, FileSize);
    EXPECT_EQ(whole.Mapped(), row.Mapped);
    EXPECT_EQ(whole.Copied(), All - row.Mapped);
    const auto reason = StitchedView::ReasonToCopy(snapshot, 0, FileSize);
    EXPECT_EQ(reason.value_or(""), row.Reason);
  }
}

TEST_F(StitchedViews, MapsWhatAHostHasOnDisk)
{
  const std::uint64_t begin = Segment::DiskBegin(this->Layout.Size()) - Slot * SlotSize;
  for (Segment& segment : this->Hosts)
  {
    const int descriptor = segment.MakeDisk(::testing::TempDir());
    SharedNumber(segment.Data() + this->Layout.Signals.OffsetOf(SegmentLayout::DiskFile))
      .Store(static_cast<std::uint64_t>(descriptor) + 1);
  }
  constexpr std::uint64_t Size = 9 * MiB + 12288;
  this->Store({ "block cyclic", 2, SlotSize, MiB, 0, 0, 0, { 3 * MiB, begin, DiskSize } }, Size);
  const SnapshotView snapshot = this->Open();
  StitchedView view(snapshot, 0, Size);
  EXPECT_EQ(view.Mapped(), Size);
  this->ExpectBytes(view, snapshot, 0);
  EXPECT_EQ(OwnBytes(view.Data(), Size), 0u);
  view.CopyOut();
  this->ExpectBytes(view, snapshot, 0);

  // Its share on disk begins within a page.
  this->Store({ "block cyclic", 2, SlotSize, MiB, 0, 0, 0,
                { 3 * MiB + 100, begin + Page + 100, DiskSize - 2 * Page } },
    Size);
  const SnapshotView torn = this->Open();
  const StitchedView other(torn, 0, Size);
  EXPECT_GT(other.Mapped(), 3 * MiB);
  EXPECT_GE(other.Copied(), Page);
  this->ExpectBytes(other, torn, 0);
}

TEST_F(StitchedViews, WriteChangesNeitherHostsNorOtherViews)
{
  this->Store();
  const SnapshotView snapshot = this->Open();
  const StitchedView view(snapshot, 100, 4 * MiB);
  const StitchedView other(snapshot, 0, 4 * MiB);
  std::fill_n(view.Data(), view.Size(), std::byte(1));
  this->ExpectBytes(other, snapshot, 0);
  EXPECT_EQ(OwnBytes(other.Data(), other.Size()), 0u);
}

TEST_F(StitchedViews, ReadingMakesNoPageThisProcessesOwn)
{
  this->Store();
  const SnapshotView snapshot = this->Open();
  const StitchedView view(snapshot, 0, FileSize);
  Sum(view);
  EXPECT_EQ(OwnBytes(view.Data(), FileSize), 0u);
  view.Data()[MiB + 5] = std::byte(1);
  EXPECT_EQ(OwnBytes(view.Data(), FileSize), Page);
}

TEST_F(StitchedViews, CopiesWhatIsOnAnotherNode)
{
  this->Store();
  this->MoveHostAway(false);
  const SnapshotView snapshot = this->Open();
  const StitchedView view(snapshot, 1, FileSize - 1);
  EXPECT_EQ(view.Mapped(), 5 * MiB);
  EXPECT_EQ(view.Copied(), 4 * MiB + 16384);
  this->ExpectBytes(view, snapshot, 1);
  EXPECT_EQ(StitchedView::ReasonToCopy(snapshot, 1, FileSize - 1),
    "this process does not reach its hosts through shared memory");
  EXPECT_EQ(StitchedView::ReasonToCopy(snapshot, 0, MiB), std::nullopt);
}

TEST_F(StitchedViews, CopiesWhatTheTransportCannotMap)
{
  this->Store();
  this->MoveHostAway(true);
  const SnapshotView snapshot = this->Open();
  const StitchedView view(snapshot, 0, 4 * MiB);
  EXPECT_EQ(view.Mapped(), 2 * MiB);
  EXPECT_EQ(view.Copied(), 2 * MiB);
  this->ExpectBytes(view, snapshot, 0);
}

TEST_F(StitchedViews, KeepsItsBytesOnceTheyAreCopiedOut)
{
  this->Store();
  const SnapshotView snapshot = this->Open();
  const StitchedView mapped(snapshot, 777, FileSize - 777);
  StitchedView copied(snapshot, 777, FileSize - 777);
  copied.Data()[10] = std::byte(~std::to_integer<unsigned>(copied.Data()[10]));
  copied.CopyOut();
  EXPECT_EQ(copied.Mapped(), 0u);
  EXPECT_EQ(copied.Copied(), 9 * MiB + 16384);
  EXPECT_EQ(OwnBytes(copied.Data(), copied.Size()), copied.Copied());
  for (const Segment& host : this->Hosts)
  {
    host.Release(Slot * SlotSize, SlotSize);
  }
  EXPECT_EQ(mapped.Data()[4 * MiB], std::byte(0)) << "a mapped page is the hosts'";
  copied.Data()[10] = std::byte(~std::to_integer<unsigned>(copied.Data()[10]));
  EXPECT_TRUE(std::equal(this->File.begin() + 777, this->File.end(), copied.Data()));
  copied.CopyOut();
  EXPECT_TRUE(std::equal(this->File.begin() + 777, this->File.end(), copied.Data()));
}

TEST_F(StitchedViews, CopiesOutWhileOtherThreadsUseTheBytes)
{
  this->Store();
  const SnapshotView snapshot = this->Open();
  for (int time = 0; time < 5; ++time)
  {
    StitchedView view(snapshot, 0, FileSize);
    // The first word of every second page is written, the rest is read.
    constexpr std::uint64_t Every = 2 * Page;
    constexpr std::uint64_t Pages = FileSize / Every;
    std::vector<std::uint64_t> expected(Pages);
    for (std::uint64_t page = 0; page < Pages; ++page)
    {
      std::memcpy(&expected[page], this->File.data() + page * Every, sizeof(std::uint64_t));
    }
    std::atomic<bool> begun = false;
    std::thread writer(
      [&]
      {
        for (std::uint64_t page = 0; page < Pages; ++page)
        {
          auto* const word = reinterpret_cast<std::uint64_t*>(view.Data() + page * Every);
          std::atomic_ref(*word).fetch_add(1);
          ++expected[page];
          begun = true;
        }
      });
    while (!begun)
    {
      std::this_thread::yield();
    }
    std::thread reader(
      [&]
      {
        for (std::uint64_t at = Page; at + Page <= FileSize; at += Every)
        {
          ASSERT_EQ(std::memcmp(view.Data() + at, this->File.data() + at, Page), 0);
        }
      });
    view.CopyOut();
    writer.join();
    reader.join();
    for (std::uint64_t page = 0; page < Pages; ++page)
    {
      ASSERT_EQ(std::memcmp(view.Data() + page * Every, &expected[page], sizeof(std::uint64_t)), 0);
    }
  }
}

TEST_F(StitchedViews, MapsRunsThatAreAdjacentInTheSegmentAsOnePiece)
{
  // Bytes beyond the expected size follow on the same host.
  this->Store({ "mask", 1, SlotSize, MiB, 0, 0, 4 * MiB, {} });
  const SnapshotView snapshot = this->Open();
  const FileOffset address(4 * MiB - 2 * Page);
  // Two pieces would be too many for so few bytes.
  EXPECT_EQ(StitchedView::ReasonToCopy(snapshot, address, 4 * Page), std::nullopt);
  const StitchedView view(snapshot, address, 4 * Page);
  EXPECT_EQ(view.Copied(), 0u);
  this->ExpectBytes(view, snapshot, address);
}

TEST_F(StitchedViews, RefusesTooManyPieces)
{
  constexpr std::uint64_t Most = StitchedView::MostPieces;
  this->Store({ "block cyclic", 2, SlotSize, Page, 0, 0, 0, {} }, (Most + 1) * Page);
  const SnapshotView snapshot = this->Open();
  EXPECT_EQ(StitchedView::ReasonToCopy(snapshot, 0, Most * Page + 1), "it has 4097 pieces");
  EXPECT_THROW(StitchedView(snapshot, 0, Most * Page + 1), Error);
  EXPECT_EQ(StitchedView::ReasonToCopy(snapshot, 0, Most * Page), "it has 4096 pieces");

  std::vector<StitchedView> views;
  for (std::uint64_t pieces = 0; pieces < StitchedView::MostPiecesOfProcess; pieces += Most)
  {
    views.emplace_back(snapshot, FileOffset(0), Most * Page);
  }
  EXPECT_EQ(StitchedView::ReasonToCopy(snapshot, 0, 1), "this process has mapped too many pieces");
  EXPECT_THROW(StitchedView(snapshot, 0, 1), Error);
  views.pop_back();
  EXPECT_EQ(StitchedView::ReasonToCopy(snapshot, 0, 1), std::nullopt);
  // A view that is assigned to gives its pieces back.
  views.front() = std::move(views.back());
  views.pop_back();
  this->ExpectBytes(views.front(), snapshot, 0);
  EXPECT_NO_THROW(StitchedView(snapshot, FileOffset(0), Most * Page));
}

TEST_F(StitchedViews, RefusesAFileThatIsBeingWritten)
{
  this->Store();
  this->Snapshot.Shared = SharedBytes{ 0, Generation, std::vector<AsideBytes>(2) };
  const SnapshotView snapshot = this->Open();
  EXPECT_EQ(StitchedView::ReasonToCopy(snapshot, 0, MiB), "its file is being written");
  EXPECT_THROW(StitchedView(snapshot, 0, MiB), Error);
}

TEST_F(StitchedViews, RefusesWhatIsNotInTheFile)
{
  this->Store();
  const SnapshotView snapshot = this->Open();
  const std::uint64_t all = ~std::uint64_t(0);
  EXPECT_EQ(StitchedView::ReasonToCopy(snapshot, 0, 0), "it is empty");
  EXPECT_EQ(StitchedView::ReasonToCopy(snapshot, 1, FileSize), "it ends behind its file's end");
  EXPECT_EQ(StitchedView::ReasonToCopy(snapshot, 1, all), "it ends behind its file's end");
  EXPECT_EQ(
    StitchedView::ReasonToCopy(snapshot, FileOffset(all), 2), "it ends behind its file's end");
  EXPECT_THROW(StitchedView(snapshot, 1, FileSize), Error);
}

TEST_F(StitchedViews, FailsIfTheSnapshotWasEvicted)
{
  this->Store();
  const SnapshotView snapshot = this->Open();
  EXPECT_NO_THROW(StitchedView(snapshot, 0, FileSize));
  this->GenerationOf(1).Store(Generation + 1);
  try
  {
    const StitchedView view(snapshot, 0, FileSize);
    FAIL() << "no error";
  }
  catch (const Error& error)
  {
    EXPECT_EQ(error.GetFault(), Fault::PeerLost) << error.what();
  }
}

}
