// SPDX-License-Identifier: BSD-3-Clause
// Hosts and writers with different rank counts: what is written is what is read, byte for byte.
#include "SessionFixture.h"

#include "Archive/SaveSnapshot.h"
#include "Peer/Peek.h"
#include "Protocol/ImageMessages.h"
#include "Protocol/SessionMessages.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <numeric>

namespace
{

using namespace sessiontests;

class UsedPages
  : public Session
  , public testing::WithParamInterface<Lending>
{
protected:
  // On rank 0.
  void ExpectShown(const std::string& name, const std::vector<std::byte>& expected) const
  {
    if (this->Part->Rank() == 0)
    {
      const SnapshotView view(this->Connect(), name);
      ASSERT_EQ(view.Description().FileSize, expected.size());
      std::vector<std::byte> found(expected.size());
      view.Read(0, found.data(), found.size());
      EXPECT_TRUE(found == expected) << name;
    }
    this->Part->Barrier();
  }
};

TEST_P(UsedPages, AreZeroWhereNobodyWrote)
{
  this->Options.Memory = this->GetParam();
  this->Options.MemoryPerHost = KiB * 3 * 1024;
  this->Options.MaximumSnapshots = 1;
  this->Couple(
    [&](LocalServer& server)
    {
      for (SnapshotId number = 1; number <= 6; ++number)
      {
        const auto snapshot = this->Wait(server, number - 1, false);
        if (!snapshot || snapshot->Number == 6)
        {
          break;
        }
        this->Part->Barrier();
        server.Release(snapshot->Number);
        number = snapshot->Number;
      }
      const SnapshotView view(server.GetConnection(), "/sim/sparse.h5");
      std::vector<std::byte> bytes(view.Description().FileSize);
      view.Read(0, bytes.data(), bytes.size());
      for (std::uint64_t address = 0; address < bytes.size(); ++address)
      {
        const bool written = address / KiB == 100;
        ASSERT_EQ(bytes[address], written ? ByteAt(address, 9) : std::byte(0)) << address;
      }
    },
    [&]
    {
      for (std::uint64_t file = 1; file <= 5; ++file)
      {
        this->Write("/sim/full.h5", 400 * KiB, file);
      }
      auto image = this->Begin("/sim/sparse.h5");
      if (this->Part->Rank() == this->Part->Size() - 1)
      {
        std::vector<std::byte> piece(KiB);
        for (std::uint64_t i = 0; i < KiB; ++i)
        {
          piece[i] = ByteAt(100 * KiB + i, 9);
        }
        image->Write(FileOffset(100 * KiB), piece.data(), KiB);
        image->Flush();
      }
      // A read of what is not written yet, within the image.
      std::uint64_t untouched = 1;
      image->Read(FileOffset(300 * KiB), &untouched, sizeof untouched);
      image->Flush();
      EXPECT_EQ(untouched, 0u);
      image->Seal(350 * KiB, {});
      // The image stays the newest until the hosts have looked.
    });
}

// Whoever clears what a slot held before: files of random pieces, some of which nobody writes, and
// some of which are shown before they are complete, in few slots.
TEST_P(UsedPages, ShowWhatWasWrittenAndZeros)
{
  this->Options.Memory = this->GetParam();
  this->Options.MemoryPerHost = KiB * 12 * 1024;
  this->Options.MaximumSnapshots = 2;
  this->Options.WhenFull = FullRing::DropOldest;
  this->Couple([](LocalServer&) {},
    [&]
    {
      std::mt19937_64 random(3);
      const auto ranks = static_cast<std::uint64_t>(this->Part->Size());
      const auto rank = static_cast<std::uint64_t>(this->Part->Rank());
      for (std::uint64_t file = 1; file <= 24; ++file)
      {
        const std::uint64_t size = 1 + random() % (2000 * KiB);
        const std::string name = fmt::format("/sim/random{}.h5", file);
        if (rank == 0 && file % 2 == 0)
        {
          // As if those that wrote the file before had all been on the hosts' node.
          this->Connect()->NoteWritersMap(true);
        }
        auto image = this->Begin(name);
        std::vector<std::byte> expected(size, std::byte(0));
        for (std::uint64_t part = 0; part < 2; ++part)
        {
          // What is shown does not change.
          for (std::uint64_t address = part * (size / 2); address < size / (2 - part);)
          {
            const std::uint64_t most = random() % 3 == 0 ? 300 * KiB : 9 * KiB;
            const std::uint64_t end = size / (2 - part);
            const std::uint64_t length = std::min(1 + random() % most, end - address);
            const std::uint64_t owner = random() % (ranks + 1);
            for (std::uint64_t i = 0; i < length && owner < ranks; ++i)
            {
              expected[address + i] = ByteAt(address + i, file);
            }
            if (owner == rank)
            {
              image->Write(FileOffset(address), expected.data() + address, length);
            }
            address += length;
          }
          image->Flush();
          if (part == 0 && file % 3 == 0)
          {
            EXPECT_EQ(image->Publish(size / 2, {}), "");
            this->ExpectShown(
              name, { expected.begin(), expected.begin() + static_cast<long>(size / 2) });
          }
          this->Part->Barrier();
          if (file % ranks == rank && file % 2 == 0)
          {
            std::vector<std::byte> found(size);
            image->Read(0, found.data(), size);
            image->Flush();
            EXPECT_TRUE(found == expected) << "rank " << rank << ", file " << file;
          }
          this->Part->Barrier();
        }
        image->Seal(size, {});
        this->ExpectShown(name, expected);
      }
    });
}

INSTANTIATE_TEST_SUITE_P(All, UsedPages, testing::Values(Lending::Sparse, Lending::Pinned),
  [](const auto& info) { return std::string(LendingName(info.param)); });

TEST_F(Session, PinnedMemoryStaysAsItWasAtStart)
{
  this->Options.Memory = Lending::Pinned;
  this->Options.MemoryPerHost = KiB * 4 * 1024;
  this->Options.MaximumSnapshots = 2;
  this->Couple(
    [&](LocalServer& server)
    {
      ServerOptions wanted = this->Options;
      wanted.WhenFull = FullRing::DropNewest;
      EXPECT_NO_THROW(server.Adjust(wanted)) << "whatever else changes";
      wanted.MemoryPerHost *= 2;
      EXPECT_THROW(server.Adjust(wanted), Error);
      wanted.MemoryPerHost = this->Options.MemoryPerHost;
      wanted.MaximumSnapshots = 4;
      EXPECT_THROW(server.Adjust(wanted), Error) << "there are four slots, and one is written";
      EXPECT_EQ(server.MaximumMemory(), this->Options.MemoryPerHost);
      if (this->Part->Rank() == 0)
      {
        const ServerStatus status = server.Status();
        EXPECT_EQ(LendingName(status.Options.Memory), std::string("pinned"));
        EXPECT_EQ(status.Options.MemoryPerHost, this->Options.MemoryPerHost);
        ASSERT_FALSE(status.Transports.empty());
        EXPECT_EQ(status.Transports.front(),
          "memory is pinned, 4 slots of 1 MiB on each host: as it was asked for");
      }
    },
    [] {});
}

TEST_F(Session, AReopenedFileStartsFromItsSnapshot)
{
  const std::uint64_t size = 200 * KiB + 3;
  this->Couple(
    [&](LocalServer& server)
    {
      while (const auto snapshot = this->Wait(server, 1))
      {
        ASSERT_EQ(snapshot->Number, 2u);
        const SnapshotView view(server.GetConnection(), snapshot->Number);
        std::vector<std::byte> bytes(size + 8);
        view.Read(0, bytes.data(), bytes.size());
        for (std::uint64_t address = 0; address < size; ++address)
        {
          ASSERT_EQ(bytes[address], ByteAt(address, 1)) << address;
        }
        EXPECT_EQ(bytes[size], std::byte{ 42 });
        const SnapshotView before(server.GetConnection(), 1);
        ExpectContents(before, size, 1);
        break;
      }
    },
    [&]
    {
      this->Write("/sim/appended.h5", size, 1);
      auto image = this->Begin("/sim/appended.h5", 1);
      EXPECT_EQ(image->InitialSize(), size);
      if (this->Part->Rank() == 0)
      {
        const std::byte more{ 42 };
        image->Write(FileOffset(size), &more, 1);
        image->Flush();
      }
      image->Flush();
      EXPECT_EQ(image->Seal(size + 1, {}), 2u);
      EXPECT_THROW(this->Begin("/sim/unknown.h5", 99), Error);
    });
}

namespace
{
constexpr std::uint64_t Row = 5 * KiB + 7;
constexpr std::uint64_t Begun = 90 * KiB + 3;

/// A file to which so many rows were appended, of which each changes a little of what was there.
std::vector<std::byte> WithRows(std::uint64_t rows)
{
  std::vector<std::byte> bytes(Begun + rows * Row);
  for (std::uint64_t address = 0; address < bytes.size(); ++address)
  {
    bytes[address] = ByteAt(address, 1);
  }
  for (std::uint64_t row = 1; row <= rows; ++row)
  {
    std::fill_n(bytes.begin() + 8, 16, static_cast<std::byte>(row));
    std::fill_n(bytes.begin() + static_cast<long>(row * 7 * KiB), 100, static_cast<std::byte>(row));
  }
  return bytes;
}

/// All of a snapshot, which must be one of these files.
void ExpectRows(const SnapshotView& view)
{
  const auto expected = WithRows((view.Description().FileSize - Begun) / Row);
  ASSERT_EQ(view.Description().FileSize, expected.size());
  std::vector<std::byte> bytes(expected.size());
  view.Read(0, bytes.data(), bytes.size());
  EXPECT_EQ(bytes, expected) << "snapshot " << view.Description().Number;
}

/// Collective: the file with one row more, of which each rank writes a part.
SnapshotId AppendRow(WritableImage& image, const Communicator& ranks, std::uint64_t row)
{
  const auto file = WithRows(row);
  WriteStatistics statistics;
  const auto write = [&](std::uint64_t address, std::uint64_t size)
  {
    image.Write(FileOffset(address), file.data() + address, size);
    statistics.Bytes += size;
  };
  const auto size = static_cast<std::uint64_t>(ranks.Size());
  const auto rank = static_cast<std::uint64_t>(ranks.Rank());
  const std::uint64_t begin = Begun + (row - 1) * Row;
  write(begin + rank * Row / size, (rank + 1) * Row / size - rank * Row / size);
  if (rank == 0)
  {
    write(8, 16);
  }
  if (rank == size - 1)
  {
    write(row * 7 * KiB, 100);
  }
  image.Flush();
  return image.Seal(file.size(), statistics);
}
}

// What is put into the hosts' memory is counted: a copy of the file would be among it.
TEST_F(Session, AFileIsWrittenFurtherInItsPlace)
{
  constexpr std::uint64_t rows = 8;
  this->Couple(
    [&](LocalServer& server)
    {
      this->World->Barrier(); // all are appended
      for (SnapshotId number = 1; number <= rows + 1; ++number)
      {
        const SnapshotView view(server.GetConnection(), number);
        EXPECT_EQ(view.Description().FileSize, Begun + (number - 1) * Row);
        ExpectRows(view);
        const auto& put = view.Description().Statistics.HostBytes;
        // Of several ranks that append for the first time, it is not known that they do.
        EXPECT_TRUE(
          number <= 2 || std::accumulate(put.begin(), put.end(), UINT64_C(0)) == Row + 16 + 100)
          << "snapshot " << number;
      }
      this->World->Barrier();
    },
    [&]
    {
      this->Write("/sim/rows.h5", Begun, 1);
      for (std::uint64_t row = 1; row <= rows; ++row)
      {
        auto image = this->Begin("/sim/rows.h5", row);
        EXPECT_EQ(image->InitialSize(), Begun + (row - 1) * Row);
        ASSERT_EQ(AppendRow(*image, *this->Part, row), row + 1);
      }
      this->World->Barrier();
      this->World->Barrier();
    });
}

// Whoever opens it by its name or number, at any time, has one state of it, whole.
TEST_F(Session, AFileThatIsWrittenFurtherIsReadWhole)
{
  constexpr std::uint64_t rows = 12;
  this->Options.MemoryPerHost = 8192 * KiB; // also for copies, while one is read
  this->Couple(
    [&](LocalServer& server)
    {
      this->World->Barrier(); // the first is there
      for (bool done = false; !done;)
      {
        const SnapshotView view(server.GetConnection(), "/sim/rows.h5");
        ExpectRows(view);
        done = view.Description().Number == rows + 1;
        const SnapshotView first(server.GetConnection(), 1);
        ExpectRows(first);
        ExpectRows(view);
      }
    },
    [&]
    {
      this->Write("/sim/rows.h5", Begun, 1);
      this->World->Barrier();
      for (std::uint64_t row = 1; row <= rows; ++row)
      {
        auto image = this->Begin("/sim/rows.h5", row);
        ASSERT_EQ(AppendRow(*image, *this->Part, row), row + 1);
      }
    });
}

// A program that ends in the middle of it leaves what was there.
TEST_F(Session, AFileWhoseWriterIsLostInTheMiddleIsAsItWas)
{
  this->Couple(
    [&](LocalServer& server)
    {
      this->World->Barrier(); // it was given up
      this->Settle(server);
      const SnapshotView view(server.GetConnection(), "/sim/rows.h5");
      EXPECT_EQ(view.Description().Number, 3u);
      ExpectRows(view);
      const SnapshotView before(server.GetConnection(), 2);
      ExpectRows(before);
      this->World->Barrier();
    },
    [&]
    {
      this->Write("/sim/rows.h5", Begun, 1);
      for (std::uint64_t row = 1; row <= 2; ++row)
      {
        AppendRow(*this->Begin("/sim/rows.h5", row), *this->Part, row);
      }
      {
        auto image = this->Begin("/sim/rows.h5", 3);
        const std::vector<std::byte> other(Begun, std::byte{ 0xee });
        image->Write(0, other.data(), other.size());
        image->Flush();
        this->Part->Barrier();
      }
      if (this->Part->Rank() == 0)
      {
        this->Connect()->Request(ListSnapshots()); // the server has heard of it
      }
      this->World->Barrier();
      this->World->Barrier();
    });
}

TEST_F(Session, OldSnapshotsGoWhenTheRingIsFullAndHeldOnesStay)
{
  const std::uint64_t total =
    this->Options.MemoryPerHost * static_cast<std::uint64_t>(this->World->Size());
  this->Couple(
    [&](LocalServer& server)
    {
      const auto first = this->Wait(server, 0);
      ASSERT_TRUE(first);
      const SnapshotView held(server.GetConnection(), first->Number);
      this->Part->Barrier();
      this->World->Barrier();
      std::optional<SnapshotDescription> last;
      for (SnapshotId number = first->Number; number < 30;)
      {
        last = this->Wait(server, number, false);
        ASSERT_TRUE(last) << "after " << number;
        number = last->Number;
        server.Release(number);
      }
      ExpectContents(held, 100 * KiB, 1);
      const SnapshotView newest(server.GetConnection(), 30);
      ExpectContents(newest, 100 * KiB, 30);
      if (this->Part->Rank() == 0)
      {
        const auto status = server.Status();
        EXPECT_LE(status.MemoryUsed, status.MemoryBudget);
        EXPECT_LT(status.Snapshots.size(), 30 * (100 * KiB) > total ? 30u : 31u);
        EXPECT_EQ(status.Snapshots.front().Number, first->Number);
        EXPECT_EQ(status.SnapshotsSealed, 30u);
      }
    },
    [&]
    {
      this->Write("/sim/o.h5", 100 * KiB, 1);
      this->World->Barrier();
      for (std::uint64_t file = 2; file <= 30; ++file)
      {
        ASSERT_EQ(this->Write("/sim/o.h5", 100 * KiB, file), file);
      }
    });
}

// Also what a rank without a channel has opened, whose place it knew. Its rank 0 has not.
TEST_F(Session, WhatARankReadsByItselfStays)
{
  this->Couple(
    [&](LocalServer& server)
    {
      for (SnapshotId number = 0; number < 30;)
      {
        const auto last = this->Wait(server, number, false);
        ASSERT_TRUE(last) << "after " << number;
        number = last->Number;
        server.Release(number);
      }
    },
    [&]
    {
      this->Write("/sim/o.h5", 100 * KiB, 1);
      const bool reads = this->Part->Rank() + 1 == this->Part->Size();
      const auto link = connections::Find(this->Options.ContactFile);
      ASSERT_TRUE(link);
      EXPECT_EQ(link->HasChannel(), this->Part->Rank() == 0);
      std::unique_ptr<SnapshotView> held;
      if (reads)
      {
        const auto first = SnapshotView(link, 1).Description();
        const SlotAddress place{ link->Server()->Session, first.FileSize, first.Slot,
          first.Generation, first.Map };
        held = SnapshotView::At(link, 1, first.FileName, place);
        if (!held)
        {
          held = std::make_unique<SnapshotView>(link, SnapshotId(1));
        }
      }
      for (std::uint64_t file = 2; file <= 30; ++file)
      {
        ASSERT_EQ(this->Write("/sim/o.h5", 100 * KiB, file), file);
      }
      if (reads)
      {
        EXPECT_NO_THROW(ExpectContents(*held, 100 * KiB, 1));
      }
    });
}

TEST_F(Session, ABlockingRingGivesUpAfterItsLimit)
{
  this->Options.WhenFull = FullRing::Block;
  this->Options.MaximumSnapshots = 2;
  this->Options.FullRingLimit = Seconds(0.3);
  this->Couple(
    [&](LocalServer& server)
    {
      this->World->Barrier();
      {
        const Peek peek;
        const SnapshotView look(server.GetConnection(), 1);
        ExpectContents(look, 5000, 1);
      }
      this->World->Barrier();
      this->World->Barrier();
      if (this->Part->Rank() == 0)
      {
        EXPECT_NE(server.Status().LastError.find("ring is full"), std::string::npos);
        EXPECT_EQ(StatusWithAll(server).Snapshots.size(), 2u);
      }
      const SnapshotView view(server.GetConnection(), 1);
      ExpectContents(view, 5000, 1);
    },
    [&]
    {
      this->Write("/sim/1.h5", 5000, 1);
      this->Write("/sim/2.h5", 5000, 2);
      this->World->Barrier();
      // The hosts look at a snapshot, which makes no room.
      this->World->Barrier();
      try
      {
        this->Write("/sim/3.h5", 5000, 3);
        ADD_FAILURE() << "there was room";
      }
      catch (const Error& error)
      {
        EXPECT_EQ(error.GetFault(), Fault::RingFull);
        EXPECT_NE(std::string(error.what()).find("0.3 s"), std::string::npos) << error.what();
      }
      this->World->Barrier();
    });
}

// What images being written hold cannot be had by dropping snapshots, so none is dropped for it.
TEST_F(Session, SnapshotsDoNotGoInVain)
{
  this->Options.FullRingLimit = Seconds(0.3);
  this->Couple(
    [&](LocalServer& server)
    {
      this->World->Barrier();
      if (this->Part->Rank() == 0)
      {
        EXPECT_EQ(StatusWithAll(server).Snapshots.size(), 2u);
        EXPECT_EQ(server.Status().SnapshotsDropped, 0u);
      }
      this->World->Barrier();
    },
    [&]
    {
      this->Write("/sim/1.h5", 5000, 1);
      this->Write("/sim/2.h5", 5000, 2);
      auto large = this->Begin("/sim/large.h5");
      if (this->Part->Rank() == 0)
      {
        const std::byte last{ 1 };
        large->Write(FileOffset(large->Capacity() / 10 * 9), &last, 1);
      }
      auto other = this->Begin("/sim/unknown.h5");
      if (this->Part->Rank() == 0)
      {
        const std::byte last{ 1 };
        EXPECT_THROW(other->Write(FileOffset(other->Capacity() / 5), &last, 1), Error);
      }
      this->World->Barrier();
      this->World->Barrier();
      large->Discard("it is not needed");
      other->Discard("nor is this");
    });
}

TEST_F(Session, AnImageLargerThanAllHostsIsRefusedWithTheNumbers)
{
  this->Couple(
    [&](LocalServer& server)
    {
      const auto snapshot = this->Wait(server, 0);
      ASSERT_TRUE(snapshot);
      const SnapshotView view(server.GetConnection(), snapshot->Number);
      ExpectContents(view, 5000, 1);
    },
    [&]
    {
      this->Write("/sim/small.h5", 5000, 1);
      auto image = this->Begin("/sim/huge.h5");
      std::vector<std::byte> bytes(64 * KiB);
      try
      {
        for (std::uint64_t address = 0; address <= image->Capacity(); address += bytes.size())
        {
          image->Write(FileOffset(address), bytes.data(), bytes.size());
        }
        ADD_FAILURE() << "there was room";
      }
      catch (const Error& error)
      {
        EXPECT_EQ(error.GetFault(), Fault::RingFull);
        EXPECT_NE(std::string(error.what()).find("memory per host"), std::string::npos);
      }
      this->Part->Barrier(); // no rank gives the image up while another still asks for room
    });
}

// 60 of at most 64 MiB that were asked for are written, and more is there before anybody asks.
TEST_F(Session, AFileGetsMoreMemoryBeforeItAsks)
{
  if (std::getenv("DSM_TRANSPORT"))
  {
    GTEST_SKIP() << "ranks that do not map host 0's memory say nothing of it";
  }
  const std::uint64_t piece = 1024 * KiB;
  this->Options.MemoryPerHost = 256 * piece;
  this->Options.Map.BlockSize = piece;
  this->Couple(
    [&](LocalServer& server)
    {
      if (this->Part->Rank() == 0)
      {
        const Deadline deadline(Seconds(20));
        while (server.Status().MemoryUsed <= 64 * piece && !deadline.Expired())
        {
          std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        EXPECT_GT(server.Status().MemoryUsed, 64 * piece);
        EXPECT_LE(server.Status().MemoryUsed, 96 * piece);
      }
      this->World->Barrier();
      ASSERT_TRUE(this->Wait(server, 0));
      if (this->Part->Rank() == 0)
      {
        EXPECT_EQ(StatusWithAll(server).MemoryUsed, 60 * piece);
      }
    },
    [&]
    {
      auto image = this->Begin("/sim/grows.h5");
      const std::vector<std::byte> bytes(piece);
      for (std::uint64_t address = 0; address < 60 * piece; address += piece)
      {
        image->Write(FileOffset(address), bytes.data(), this->Part->Rank() == 0 ? piece : 0);
      }
      image->Flush();
      this->World->Barrier();
      image->Seal(60 * piece, {});
    });
}

TEST_F(Session, ASavedSnapshotIsTheFile)
{
  const std::uint64_t size = 777 * KiB + 5;
  this->Options.MemoryPerHost = 2048 * KiB;
  this->Couple(
    [&](LocalServer& server)
    {
      const auto snapshot = this->Wait(server, 0);
      ASSERT_TRUE(snapshot);
      if (this->Part->Rank() == 0)
      {
        const std::string path = this->Folder + "/saved.bin";
        SaveSnapshot(SnapshotView(server.GetConnection(), snapshot->Number), path);
        std::ifstream file(path, std::ios::binary);
        const std::string bytes((std::istreambuf_iterator<char>(file)), {});
        ASSERT_EQ(bytes.size(), size);
        for (std::uint64_t i = 0; i < size; ++i)
        {
          ASSERT_EQ(static_cast<std::byte>(bytes[i]), ByteAt(i, 4)) << i;
        }
        EXPECT_THROW(SaveSnapshot(SnapshotView(server.GetConnection(), snapshot->Number),
                       "/nonexistent/folder/x"),
          Error);
      }
    },
    [&] { this->Write("/sim/x.h5", size, 4); });
}

TEST_F(Session, AnotherVersionIsRefusedWithBothNumbers)
{
  this->Couple([](LocalServer&) {},
    [&]
    {
      if (this->Part->Rank() == 0)
      {
        const Deadline soon(Seconds(10));
        Channel stranger(ReadContact(this->Options.ContactFile, soon), this->Options.ContactFile);
        try
        {
          Hello hello;
          hello.Protocol = ProtocolVersion() + 1;
          stranger.Request(hello, soon);
          ADD_FAILURE() << "was let in";
        }
        catch (const Error& error)
        {
          const std::string text = error.what();
          EXPECT_EQ(error.GetFault(), Fault::Refused);
          EXPECT_NE(text.find(std::to_string(ProtocolVersion() + 1)), std::string::npos) << text;
          EXPECT_NE(text.find("same release"), std::string::npos) << text;
        }
      }
      this->Write("/sim/still.h5", 5000, 1); // the server took no harm
    });
}

TEST_F(Session, WhoHasTheKeyIsNoHostAndEndsNobodysImage)
{
  this->Couple([](LocalServer&) {},
    [&]
    {
      auto image = this->Begin("/sim/still.h5");
      if (this->Part->Rank() == 0)
      {
        const Deadline soon(Seconds(10));
        const Contact contact = ReadContact(this->Options.ContactFile, soon);
        const auto refused = [&](Channel& stranger, const auto& message)
        {
          try
          {
            stranger.Request(message, soon);
            ADD_FAILURE() << std::decay_t<decltype(message)>::Name << " was accepted";
          }
          catch (const Error& error)
          {
            EXPECT_EQ(error.GetFault(), Fault::Refused) << error.what();
          }
        };
        {
          Channel host(contact, this->Options.ContactFile);
          Hello hello;
          hello.Peer.Role = "host";
          hello.Host = HostSeat{ 0, {} };
          refused(host, hello);
          hello.Host =
            HostSeat{ HostIndex(std::numeric_limits<std::uint64_t>::max()), contact.Session };
          refused(host, hello);
        } // and it says good-bye
        Channel stranger(contact, this->Options.ContactFile);
        stranger.Request(Hello(), soon);
        for (ImageId number = 0; number < 10; ++number)
        {
          // Another's, or none.
          EXPECT_THROW(stranger.Request(ExtendImage{ number, 0, 1 }, soon), Error) << number;
          EXPECT_THROW(stranger.Request(SealImage{ number, 1, 1, {}, 0 }, soon), Error) << number;
          stranger.Notify(DiscardImage{ number, "a stranger says so" });
        }
        stranger.Request(Hello(), soon); // what was sent before has been seen
      }
      this->Part->Barrier();
      if (this->Part->Rank() == 0)
      {
        const std::vector<std::byte> bytes(100, std::byte{ 7 });
        image->Write(0, bytes.data(), bytes.size());
      }
      image->Seal(100, {});
      this->Write("/sim/more.h5", 5000, 1);
    });
}

TEST_F(Session, TheServersStateTellsWhatGoesOn)
{
  this->Couple(
    [&](LocalServer& server)
    {
      const auto state = [&] { return server.Status().State; };
      if (this->Part->Rank() == 0)
      {
        EXPECT_EQ(state(), ServerState::Listening);
      }
      this->World->Barrier(); // nothing is written
      this->World->Barrier(); // an image is being written
      if (this->Part->Rank() == 0)
      {
        EXPECT_EQ(state(), ServerState::Receiving);
        const auto status = server.Status();
        ASSERT_EQ(status.Writers.size(), 1u);
        EXPECT_EQ(status.Writers[0].Program, "dsmSessionTests");
        EXPECT_FALSE(status.Writers[0].Mpi.empty());
      }
      this->World->Barrier(); // it is abandoned
      EXPECT_FALSE(this->Wait(server, 0));
      if (this->Part->Rank() == 0)
      {
        EXPECT_EQ(server.Status().ImagesAbandoned, 1u);
        EXPECT_EQ(state(), ServerState::Listening);
        server.SetMap({ "contiguous" });
        EXPECT_THROW(server.SetMap({ "spiral" }), Error);
      }
    },
    [&]
    {
      this->World->Barrier();
      auto image = this->Begin("/sim/never.h5");
      this->World->Barrier();
      this->World->Barrier();
      image.reset();
    });
}

}
