// SPDX-License-Identifier: BSD-3-Clause
// The locks of files, as writers meet them at the server's core.
#include "Server/Core/ImageService.h"

#include "SimulatedServer.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace
{

using namespace dsm;
using dsm::testing::SimulatedServer;

class ImageLocks : public ::testing::Test
{
protected:
  ImageLocks()
  {
    for (const char* const peer : { "one", "two" })
    {
      this->Server.Connect(peer, "writer");
    }
  }

  /// An image of "/a.h5", which has the placeholder of `before` on disk.
  static BeginImage Open(SnapshotId copyOf = 0)
  {
    BeginImage begin;
    begin.File = "/a.h5";
    begin.CopyOf = copyOf;
    begin.OnDisk = { "7/1", copyOf, {} };
    begin.Locks = true;
    return begin;
  }

  static BeginImage WithoutLock(BeginImage begin)
  {
    begin.Locks = false;
    return begin;
  }

  ImageId Begin(const PeerId& peer, const BeginImage& begin)
  {
    return this->Server.Ask(peer, begin).Image.Image;
  }

  /// Closes an image whose placeholder stands on disk.
  SnapshotId Close(const PeerId& peer, ImageId image, SnapshotId before = 0)
  {
    SealImage seal = this->Server.SealOf(image);
    seal.OnDisk = { true, before };
    return this->Server.Ask(peer, seal).Number;
  }

  ::testing::AssertionResult IsLocked(const PeerId& peer, const BeginImage& begin)
  {
    const std::uint64_t request = this->Server.Send(peer, begin);
    this->Server.HostsWork();
    return this->Server.IsRefused(request, Fault::Usage, "unable to lock " + begin.File + ": ");
  }

  SimulatedServer Server;
};

TEST_F(ImageLocks, OneOfFourCreatorsOfANameSucceeds)
{
  this->Server.Connect("three", "writer");
  this->Server.Connect("four", "writer");
  const ImageId first = this->Begin("one", this->Open());
  for (const char* const other : { "two", "three", "four", "one" })
  {
    EXPECT_TRUE(this->IsLocked(other, this->Open())) << other;
  }
  EXPECT_EQ(this->Close("one", first), 1u);
  EXPECT_NO_THROW(this->Begin("two", this->Open()));
}

TEST_F(ImageLocks, TheErrorHasTheWordsThatProgramsLookFor)
{
  this->Begin("one", this->Open());
  const std::uint64_t request = this->Server.Send("two", this->Open());
  EXPECT_TRUE(this->Server.IsRefused(request, Fault::Usage,
    "has it open for writing (errno = 11, error message = 'Resource temporarily unavailable')"));
}

TEST_F(ImageLocks, AppendersExcludeEachOther)
{
  const SnapshotId version = this->Close("one", this->Begin("one", this->Open()));
  const ImageId appended = this->Begin("one", this->Open(version));
  EXPECT_TRUE(this->IsLocked("two", this->Open(version)));
  EXPECT_TRUE(this->IsLocked("two", this->Open())) << "nor may it be truncated";
  const SnapshotId next = this->Close("one", appended, version);
  EXPECT_EQ(next, 2u);
  EXPECT_NO_THROW(this->Begin("two", this->Open(next)));
}

TEST_F(ImageLocks, AnAppenderBeginsAsTheVersionThatWasClosedMeanwhile)
{
  const SnapshotId version = this->Close("one", this->Begin("one", this->Open()));
  const BeginImage late = this->Open(version); // the second writer has looked at the name
  const SnapshotId next = this->Close("one", this->Begin("one", this->Open(version)), version);
  const ImageGranted granted = this->Server.Ask("two", late);
  EXPECT_EQ(granted.CopyOf, next);
  EXPECT_EQ(this->Close("two", granted.Image.Image, next), 3u);
}

TEST_F(ImageLocks, AnAppenderByNameAloneBeginsAsTheVersionThatWasClosedMeanwhile)
{
  BeginImage first = this->Open();
  first.OnDisk = {};
  const SnapshotId version = this->Server.Seal("one", this->Begin("one", first));
  BeginImage append = first;
  append.CopyOf = version;
  const SnapshotId next = this->Server.Seal("one", this->Begin("one", append));
  EXPECT_EQ(this->Server.Ask("two", append).CopyOf, next);
}

// An inode may be used again, where the file system does not say when a file was made.
TEST_F(ImageLocks, AnotherFilesVersionIsNotTakenForANewerOne)
{
  BeginImage other = this->Open();
  other.File = "/other.h5";
  other.OnDisk.File = "8/1";
  const SnapshotId version = this->Close("one", this->Begin("one", other));
  this->Close("one", this->Begin("one", this->Open()));
  BeginImage copied = other;
  copied.CopyOf = version;
  copied.OnDisk = { "7/1", version, {} };
  const ImageGranted granted = this->Server.Ask("two", copied);
  EXPECT_EQ(granted.CopyOf, version);
  EXPECT_EQ(this->Close("two", granted.Image.Image, version), 3u) << "nobody else has changed it";
}

TEST_F(ImageLocks, ALockEndsWithItsImage)
{
  const SnapshotId version = this->Close("one", this->Begin("one", this->Open()));
  const ImageId unchanged = this->Begin("one", this->Open(version));
  this->Server.Ask("one", FinishImage{ unchanged, 4096 });
  const ImageId discarded = this->Begin("two", this->Open(version));
  this->Server.Notify("two", DiscardImage{ discarded, "it is not wanted" });
  this->Begin("one", this->Open(version));
}

class LocksOfDroppedFiles : public ImageLocks
{
protected:
  LocksOfDroppedFiles()
  {
    ServerOptions options = SimulatedServer::Options();
    options.WhenFull = FullRing::DropNewest;
    options.MaximumSnapshots = 2;
    this->Full.emplace(options);
    PeerDescription first = SimulatedServer::Describe("one", "writer");
    first.Process = Process;
    this->Full->Connect("one", first);
    this->Full->Connect("two", "writer");
    this->Full->WriteFile("one", "/first.h5");
    const ImageId image = this->Full->Ask("one", Open()).Image.Image;
    SealImage seal = this->Full->SealOf(image);
    seal.OnDisk = { true, 0 };
    EXPECT_EQ(this->Full->Ask("one", seal).Number, 0u) << "it is not kept";
    this->NotKept = image;
  }

  ::testing::AssertionResult IsLockedForTwo()
  {
    const std::uint64_t request = this->Full->Send("two", Open());
    this->Full->HostsWork();
    return this->Full->IsRefused(request, Fault::Usage, "unable to lock /a.h5: ");
  }

  static constexpr std::uint64_t Process = 4711;
  std::optional<SimulatedServer> Full;
  ImageId NotKept = 0;
};

// Its writer is about to remove the name, or to make it that of the version before.
TEST_F(LocksOfDroppedFiles, LockStaysUntilTheNameIsInOrder)
{
  EXPECT_TRUE(this->IsLockedForTwo());
  EXPECT_THROW(this->Full->Ask("two", FinishImage{ this->NotKept, 0 }), Error)
    << "only the writer knows";
  this->Full->Ask("one", FinishImage{ this->NotKept, 0 });
  EXPECT_NO_THROW(this->Full->Ask("two", Open()));
}

TEST_F(LocksOfDroppedFiles, LockEndsWithALostWriterAndTheNameSaysSo)
{
  std::vector<ImageId> left;
  this->Full->Core.Writes.FileLeft = [&](const ImageService::LeftFile& file)
  { left.push_back(file.Image); };
  this->Full->Leave("one", true);
  EXPECT_EQ(left, std::vector<ImageId>{ this->NotKept });
  EXPECT_NO_THROW(this->Full->Ask("two", Open()));
}

// A reader hears that the file has gone, not that it is locked by a process that is no more.
TEST_F(LocksOfDroppedFiles, AReaderWaitsUntilTheServerHasHeardOfTheWritersEnd)
{
  this->Full->Connect("viewer", "viewer");
  OpenSnapshot open;
  open.File = "/a.h5";
  open.Unfinished = UnfinishedFile{ this->NotKept, 0 };
  EXPECT_TRUE(this->Full->IsAnswered(this->Full->Send("viewer", open))) << "the writer is there";
  this->Full->EndedProcesses.insert(Process);
  const std::uint64_t waits = this->Full->Send("viewer", open);
  this->Full->HostsWork();
  EXPECT_FALSE(this->Full->IsAnswered(waits));
  this->Full->Leave("one", true);
  this->Full->HostsWork();
  this->Full->Wait(Seconds(0.2));
  EXPECT_TRUE(this->Full->IsAnswered(waits));
}

TEST_F(ImageLocks, ALockEndsWithItsWriter)
{
  for (const bool isLost : { false, true })
  {
    this->Server.Connect("writer", "writer");
    this->Begin("writer", this->Open());
    EXPECT_TRUE(this->IsLocked("two", this->Open()));
    this->Server.Leave("writer", isLost);
  }
  EXPECT_NO_THROW(this->Begin("two", this->Open()));
}

TEST_F(ImageLocks, LockEndsWithAWriterWhoseFlushIsKept)
{
  this->Server.Connect("writer", "writer");
  const ImageId image = this->Begin("writer", this->Open());
  this->Server.Ask("writer", NoteFlush{ image, 4096 });
  this->Server.Leave("writer", true);
  ASSERT_EQ(this->Server.InRing(), std::vector<SnapshotId>{ 1 });
  EXPECT_NO_THROW(this->Begin("two", this->Open(1)));
}

TEST_F(ImageLocks, AWriterWaitsUntilTheServerHasHeardOfTheEndOfAnother)
{
  PeerDescription process = SimulatedServer::Describe("killed", "writer");
  process.Process = 4711;
  this->Server.Connect("killed", process);
  const ImageId image = this->Begin("killed", this->Open());
  this->Server.Ask("killed", NoteFlush{ image, 4096 });
  ASSERT_TRUE(this->IsLocked("two", this->Open()));
  this->Server.EndedProcesses.insert(4711);
  const std::uint64_t waits = this->Server.Send("two", this->Open());
  this->Server.HostsWork();
  EXPECT_FALSE(this->Server.IsAnswered(waits));
  this->Server.Leave("killed", true);
  this->Server.HostsWork();
  EXPECT_NE(this->Server.ReplyTo<BeginImage>(waits).Image.Image, image);
}

// As on disk, where the second writer waits for the lock with the file open.
TEST_F(ImageLocks, AWriterThatWaitsForTheLockBeginsAsWhatHasOverwrittenTheFile)
{
  PeerDescription process = SimulatedServer::Describe("killed", "writer");
  process.Process = 4711;
  this->Server.Connect("killed", process);
  const SnapshotId first = this->Close("one", this->Begin("one", this->Open()));
  const ImageId image = this->Begin("killed", this->Open()); // from nothing
  this->Server.Ask("killed", NoteFlush{ image, 4096 });
  this->Server.EndedProcesses.insert(4711);
  const std::uint64_t waits = this->Server.Send("two", this->Open(first));
  this->Server.HostsWork();
  EXPECT_FALSE(this->Server.IsAnswered(waits));
  this->Server.Leave("killed", true);
  this->Server.HostsWork();
  const ImageGranted granted = this->Server.ReplyTo<BeginImage>(waits);
  EXPECT_EQ(granted.CopyOf, 2u) << "the flush of the killed one";
  EXPECT_EQ(this->Close("two", granted.Image.Image, 2), 3u);
}

// The second writer has looked at the name before the first one closed the file, and asks later.
TEST_F(ImageLocks, AnAppenderBeginsAsWhatHasOverwrittenTheFlushOfAKilledWriter)
{
  this->Server.Connect("killed", "writer");
  const ImageId image = this->Begin("killed", this->Open());
  this->Server.Ask("killed", NoteFlush{ image, 4096 });
  BeginImage overwrites = this->Open(); // the placeholder names no snapshot yet
  this->Server.Leave("killed", true);
  this->Server.HostsWork();
  const ImageId other = this->Begin("one", overwrites);
  const BeginImage late = this->Open(1);
  EXPECT_EQ(this->Close("one", other), 2u);
  const auto& snapshots = this->Server.Core.Images.Snapshots();
  EXPECT_EQ(snapshots.Find(2)->Family, 1u) << "it is the same file";
  EXPECT_EQ(this->Server.Ask("two", late).CopyOf, 2u);
}

// The server has put the flush on disk meanwhile, where the next writer finds it.
TEST_F(ImageLocks, WhoeverOverwritesTheFlushOfAKilledWriterHasItsLockOnDiskToo)
{
  this->Server.Connect("killed", "writer");
  this->Server.Ask("killed", NoteFlush{ this->Begin("killed", this->Open()), 4096 });
  BeginImage overwrites = this->Open(); // the placeholder names no snapshot yet
  this->Server.Leave("killed", true);
  this->Server.HostsWork();
  const FileMark mark{ 11, 4096, 5 };
  this->Server.Core.Disk.EnterWritten(this->Server.Core.Images.Snapshots().Described(1), mark);
  this->Begin("one", overwrites);
  BeginImage other = this->Open(1);
  other.OnDisk = { "8/1", 0, mark };
  EXPECT_TRUE(this->IsLocked("two", other));
}

// The writer has looked at the name before the server puts the file there, and asks when another
// one has found and overwritten that file.
TEST_F(ImageLocks, NothingIsLostThatWasWrittenIntoTheFileOnDisk)
{
  const SnapshotId first = this->Close("one", this->Begin("one", this->Open()));
  const BeginImage late = this->Open(first);
  const FileMark mark{ 11, 4096, 5 };
  this->Server.Core.Storage.EnterWritten(
    this->Server.Core.Images.Snapshots().Described(first), { mark, "8/1", "7/1" });
  BeginImage overwrites = this->Open();
  overwrites.OnDisk = { "8/1", 0, mark };
  const ImageId image = this->Begin("one", overwrites);
  EXPECT_TRUE(this->IsLocked("two", late));
  const SnapshotId second = this->Close("one", image);
  EXPECT_EQ(this->Server.Ask("two", late).CopyOf, second);
}

// The writer that overwrites looked at the name before the close, so its placeholder names no
// snapshot.
TEST_F(ImageLocks, WhatIsOverwrittenIsReadUntilTheClose)
{
  const BeginImage overwrites = this->Open();
  this->Close("one", this->Begin("one", this->Open()));
  OpenSnapshot open;
  open.File = "/a.h5";
  open.Unfinished = UnfinishedFile{ this->Begin("two", overwrites), 0 };
  EXPECT_EQ(this->Server.Ask("one", open).Snapshot.Number, 1u);
}

// The program that has created the file asks for the lock after another one.
TEST_F(ImageLocks, ANewFileThatAnotherHasWrittenIsNotCreated)
{
  BeginImage made = this->Open();
  made.IsNew = true;
  this->Close("two", this->Begin("two", this->Open()));
  EXPECT_TRUE(this->IsLocked("one", made));
  made.OnDisk.File = "7/2";
  EXPECT_NO_THROW(this->Begin("one", made));
}

// The same, where files have no names on disk (--placeholders=off).
TEST_F(ImageLocks, ANewFileWithoutANameOnDiskIsNotCreatedTwice)
{
  BeginImage made = this->Open();
  made.OnDisk.File.clear();
  BeginImage other = made;
  made.IsNew = other.IsNew = true;
  this->Close("two", this->Begin("two", other));
  EXPECT_TRUE(this->IsLocked("one", made));
  made.IsNew = false; // truncated, say
  EXPECT_NO_THROW(this->Begin("one", made));
}

TEST_F(ImageLocks, AWriterGoesOnFromTheFlushOfAKilledOne)
{
  this->Server.Connect("killed", "writer");
  const SnapshotId first = this->Close("one", this->Begin("one", this->Open()));
  this->Server.Ask("killed", NoteFlush{ this->Begin("killed", this->Open(first)), 4096 });
  this->Server.Leave("killed", true);
  this->Server.HostsWork();
  const auto granted = this->Server.Ask("two", this->Open(first));
  EXPECT_EQ(granted.CopyOf, 2u) << "not what it saw when it looked";
}

TEST_F(ImageLocks, RenamedFilesAreOtherFiles)
{
  this->Begin("one", this->Open());
  BeginImage renamed = this->Open();
  renamed.File = "/b.h5";
  EXPECT_TRUE(this->IsLocked("two", renamed));
  BeginImage next = this->Open();
  next.OnDisk.File = "8/1";
  EXPECT_NO_THROW(this->Begin("two", next));
}

TEST_F(ImageLocks, WithoutLocksTheSecondCloseOfOneVersionIsRefused)
{
  const SnapshotId version = this->Close("one", this->Begin("one", this->Open()));
  const BeginImage append = this->WithoutLock(this->Open(version));
  const ImageId first = this->Begin("one", append);
  const ImageId second = this->Begin("two", append);
  EXPECT_EQ(this->Close("one", first, version), 2u);
  SealImage seal = this->Server.SealOf(second);
  seal.OnDisk = { true, version };
  EXPECT_TRUE(this->Server.IsRefused(this->Server.Send("two", seal), Fault::Refused,
    "the program began with snapshot 1, and another one has changed the file since (snapshot 2)"));
  EXPECT_EQ(this->Server.InRing(), (std::vector<SnapshotId>{ 1, 2 }));
}

TEST_F(ImageLocks, WithoutLocksAFlushOfAnOlderVersionIsRefused)
{
  const SnapshotId version = this->Close("one", this->Begin("one", this->Open()));
  const BeginImage append = this->WithoutLock(this->Open(version));
  const ImageId first = this->Begin("one", append);
  const ImageId second = this->Begin("two", append);
  EXPECT_EQ(this->Server.Flush("one", first), 2u);
  EXPECT_EQ(this->Server.Flush("one", first), 3u) << "its own flush is its base";
  EXPECT_THROW(this->Server.Flush("two", second), Error);
  EXPECT_EQ(this->Close("one", first, version), 4u);
}

TEST_F(ImageLocks, WithoutLocksTheLastOfTwoCreatorsCounts)
{
  const ImageId first = this->Begin("one", this->WithoutLock(this->Open()));
  const ImageId second = this->Begin("two", this->WithoutLock(this->Open()));
  EXPECT_EQ(this->Close("one", first), 1u);
  EXPECT_EQ(this->Close("two", second), 2u);
}

// A reader needs no lock, since its version does not change.
TEST_F(ImageLocks, ReadersAndWritersDoNotExcludeEachOther)
{
  this->Server.Connect("reader", "viewer");
  const SnapshotId version = this->Close("one", this->Begin("one", this->Open()));
  OpenSnapshot read;
  read.File = "/a.h5";
  EXPECT_EQ(this->Server.Ask("reader", read).Snapshot.Number, version);
  const ImageId image = this->Begin("one", this->Open(version));
  EXPECT_EQ(this->Server.Ask("reader", read).Snapshot.Number, version);
  EXPECT_EQ(this->Close("one", image, version), 2u);
}

TEST_F(ImageLocks, ALockedFileIsRefusedAtOnceWhileOthersWaitForMemory)
{
  ServerOptions options = SimulatedServer::Options();
  options.WhenFull = FullRing::Block;
  options.MaximumSnapshots = 2;
  SimulatedServer server(options);
  for (const char* const peer : { "one", "two", "three" })
  {
    server.Connect(peer, "writer");
  }
  server.WriteFile("one", "/first.h5");
  server.Ask("one", this->Open());
  server.WriteFile("one", "/second.h5");
  BeginImage waiting;
  waiting.File = "/b.h5";
  const std::uint64_t waits = server.Send("two", waiting);
  ASSERT_FALSE(server.IsAnswered(waits));
  EXPECT_TRUE(server.IsRefused(server.Send("three", this->Open()), Fault::Usage, "unable to lock"));
}

}
