// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/ImageService.h"

#include "SimulatedServer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

namespace
{

using namespace dsm;
using dsm::testing::SimulatedServer;
using dsm::testing::Texts;
using Numbers = std::vector<SnapshotId>;

class ImageServiceTest : public ::testing::Test
{
protected:
  explicit ImageServiceTest(SimulatedServer::Setup setup = {})
    : Server(std::move(setup))
  {
    this->Server.Connect("writer", "writer");
    this->Server.Connect("viewer", "viewer");
    this->Server.Heard.Take();
  }

  std::uint64_t SendBegin(const std::string& name, SnapshotId copyOf = 0)
  {
    BeginImage begin;
    begin.File = name;
    begin.CopyOf = copyOf;
    return this->Server.Send("writer", begin);
  }

  Published Publish(ImageId image)
  {
    PublishImage publish;
    publish.Image = image;
    publish.Size = 4096;
    return this->Server.Ask("writer", publish);
  }

  /// Writes a file. The hosts have not done what follows its seal, so the next image waits for
  /// them.
  SnapshotId WriteBeforeHostsRest(const std::string& name)
  {
    const auto image = this->Server.Begin("writer", name);
    const std::uint64_t request = this->Server.Send("writer", this->Server.SealOf(image.Image));
    this->Server.Heard.Take();
    return this->Server.ReplyTo<SealImage>(request).Number;
  }

  std::size_t OpenImages() const { return this->Server.Core.Images.OpenImages().size(); }

  SimulatedServer Server;
};

/// No memory is ready, so each image waits for the hosts.
class ColdImageServiceTest : public ImageServiceTest
{
protected:
  ColdImageServiceTest()
    : ImageServiceTest({ .IsWarm = false })
  {
  }
};

// ---- Begin.

TEST_F(ColdImageServiceTest, GrantsAnImageWhenTheHostsHaveMadeItsMemory)
{
  const std::uint64_t request = this->SendBegin("/a.h5");
  EXPECT_FALSE(this->Server.IsAnswered(request));
  EXPECT_TRUE(this->Server.Slots.Grants.empty());
  EXPECT_GT(this->Server.HostsWork(), 0u);
  const ImageGranted granted = this->Server.ReplyTo<BeginImage>(request);
  EXPECT_EQ(granted.Image.Image, 1u);
  EXPECT_GE(granted.Image.Grant, UINT64_C(64) << 10);
  EXPECT_NE(granted.Image.Key, 0u);
  EXPECT_FALSE(granted.Source);
  EXPECT_EQ(this->Server.Slots.Grants.at(granted.Image.Slot), granted.Image.Grant);
  EXPECT_EQ(this->Server.Heard.Take(), Texts{ "begun /a.h5" });
  EXPECT_EQ(this->Server.Status().Receiving, Texts{ "/a.h5" });
}

TEST_F(ColdImageServiceTest, RefusesAnImageIfTheHostsCannotMakeItsMemory)
{
  const std::uint64_t request = this->SendBegin("/a.h5");
  this->Server.HostsWork("no memory is left");
  EXPECT_TRUE(this->Server.IsRefused(request, Fault::System, "no memory is left"));
  EXPECT_EQ(this->OpenImages(), 0u);
  EXPECT_EQ(this->Server.Status().ImagesAbandoned, 1u);
  EXPECT_EQ(this->Server.Heard.Take(), (Texts{ "begun /a.h5", "ended" }));
}

TEST_F(ColdImageServiceTest, DiscardsAnImageWhoseWriterLeavesWhileItIsGranted)
{
  const std::uint64_t request = this->SendBegin("/a.h5");
  this->Server.Core.Router.Do([&] { this->Server.Core.PeerLeft("writer", true); });
  EXPECT_EQ(this->OpenImages(), 0u);
  this->Server.HostsWork();
  EXPECT_FALSE(this->Server.IsAnswered(request));
  EXPECT_TRUE(this->Server.Slots.Grants.empty());
}

TEST_F(ImageServiceTest, ReleasesTheSourceOfACopyWhoseWriterLeavesWhileItIsGranted)
{
  const SnapshotId source = this->WriteBeforeHostsRest("/a.h5");
  OpenSnapshot open; // somebody reads it, so it cannot be written further in its place
  open.Number = source;
  const std::uint64_t opened = this->Server.Send("viewer", open);
  const auto lease = this->Server.ReplyTo<OpenSnapshot>(opened).Lease;
  const std::uint64_t request = this->SendBegin("/a.h5", source);
  ASSERT_FALSE(this->Server.IsAnswered(request));
  this->Server.Core.Router.Do([&] { this->Server.Core.PeerLeft("writer", true); });
  this->Server.HostsWork();
  this->Server.Notify("viewer", CloseSnapshot{ lease });
  EXPECT_FALSE(this->Server.IsAnswered(request));
  EXPECT_FALSE(this->Server.Core.Images.Snapshots().IsKept(source)) << "nobody has it open";
}

TEST_F(ImageServiceTest, ReleasesTheSourceOfACopyThatTheHostsCannotMake)
{
  const SnapshotId source = this->WriteBeforeHostsRest("/a.h5");
  OpenSnapshot open;
  open.Number = source;
  const std::uint64_t opened = this->Server.Send("viewer", open);
  const auto lease = this->Server.ReplyTo<OpenSnapshot>(opened).Lease;
  const std::uint64_t request = this->SendBegin("/a.h5", source);
  this->Server.HostsWork("no memory is left");
  EXPECT_TRUE(this->Server.IsRefused(request, Fault::System, "no memory is left"));
  this->Server.Notify("viewer", CloseSnapshot{ lease });
  EXPECT_FALSE(this->Server.Core.Images.Snapshots().IsKept(source));
}

TEST_F(ImageServiceTest, GrantsNoCopyWhoseSourceLeavesWhileItIsGranted)
{
  const SnapshotId source = this->WriteBeforeHostsRest("/a.h5");
  OpenSnapshot open;
  open.Number = source;
  this->Server.Send("viewer", open);
  const std::uint64_t request = this->SendBegin("/a.h5", source);
  ASSERT_FALSE(this->Server.IsAnswered(request));
  const auto telling = this->Server.Core.Images.Revoke(source);
  this->Server.Core.Hosts.Submit(telling, [](const TaskFailure&) {});
  this->Server.HostsWork();
  EXPECT_TRUE(this->Server.IsRefused(request, Fault::Refused, "there is no snapshot"));
  EXPECT_EQ(this->OpenImages(), 0u);
}

TEST_F(ImageServiceTest, LeasesTheSourceOfACopyToItsWriter)
{
  const SnapshotId source = this->Server.WriteFile("writer", "/a.h5");
  OpenSnapshot open;
  open.Number = source;
  const auto lease = this->Server.Ask("viewer", open).Lease;
  BeginImage begin;
  begin.File = "/a.h5";
  begin.CopyOf = source;
  const ImageGranted granted = this->Server.Ask("writer", begin);
  ASSERT_TRUE(granted.Source);
  EXPECT_EQ(granted.Source->Snapshot.Number, source);
  this->Server.Notify("viewer", CloseSnapshot{ lease });
  EXPECT_TRUE(this->Server.Core.Images.Snapshots().IsKept(source));
  this->Server.Notify("writer", CloseSnapshot{ granted.Source->Lease });
  EXPECT_FALSE(this->Server.Core.Images.Snapshots().IsKept(source));
}

TEST_F(ImageServiceTest, ContinuesASnapshotInItsPlaceAndSaysThatItHasMoved)
{
  const SnapshotId source = this->Server.WriteFile("writer", "/a.h5");
  this->Server.Heard.Take();
  BeginImage begin;
  begin.File = "/a.h5";
  begin.CopyOf = source;
  const ImageGranted granted = this->Server.Ask("writer", begin);
  EXPECT_FALSE(granted.Source);
  EXPECT_EQ(granted.Image.Begins, 4096u);
  EXPECT_EQ(this->Server.Heard.Take(), (Texts{ "begun /a.h5", "moved 1" }));
}

TEST_F(ImageServiceTest, RefusesACopyOfASnapshotThatIsNotThere)
{
  EXPECT_TRUE(this->Server.IsRefused(this->SendBegin("/a.h5", 7), Fault::Refused, "7"));
  EXPECT_EQ(this->OpenImages(), 0u);
}

TEST_F(ImageServiceTest, MakesAReaderThatBeginsAFileASimulation)
{
  this->Server.Begin("viewer", "/a.h5");
  EXPECT_EQ(this->Server.Status().WritersSeen, 2u);
  EXPECT_EQ(this->Server.Status().Writers.size(), 2u);
}

TEST_F(ImageServiceTest, LeavesAnArchiveWhatItIs)
{
  this->Server.Connect("archive", "archive");
  this->Server.Begin("archive", "/a.h5");
  EXPECT_EQ(this->Server.Status().WritersSeen, 1u);
}

TEST_F(ImageServiceTest, WatchesMemoryForTheRanksOfAnImage)
{
  this->Server.Begin("writer", "/one.h5", 1);
  EXPECT_EQ(this->Server.MemoryWatches, 0u);
  this->Server.Begin("writer", "/two.h5", 2);
  EXPECT_EQ(this->Server.MemoryWatches, 1u);
}

TEST_F(ImageServiceTest, RefusesToBeginWithoutAllHosts)
{
  this->Server.Leave(SimulatedServer::HostPeer(0), true);
  EXPECT_TRUE(this->Server.IsRefused(this->SendBegin("/a.h5"), Fault::PeerLost,
    "the DSM server has lost a host and takes no more data (DSM host 0 stopped responding"));
}

TEST_F(ImageServiceTest, EndingServerTakesNoMoreFiles)
{
  const auto image = this->Server.Begin("writer", "/a.h5");
  this->Server.Core.Router.Do([&] { this->Server.Core.TakeNoMore(); });
  const std::string refusal = "the DSM server ends, and takes no more files";
  EXPECT_TRUE(this->Server.IsRefused(this->SendBegin("/b.h5"), Fault::NoServer, refusal));
  EXPECT_TRUE(this->Server.IsRefused(
    this->Server.Send("writer", this->Server.SealOf(image.Image)), Fault::NoServer, refusal));
  PublishImage publish;
  publish.Image = image.Image;
  EXPECT_TRUE(
    this->Server.IsRefused(this->Server.Send("writer", publish), Fault::NoServer, refusal));
  this->Server.Core.Router.Do([&] { this->Server.Core.TakeAgain(); });
  EXPECT_EQ(this->Server.Seal("writer", image.Image), 1u);
}

// ---- Seal.

TEST_F(ImageServiceTest, SealsAnImage)
{
  const auto image = this->Server.Begin("writer", "/a.h5");
  EXPECT_EQ(this->Server.Seal("writer", image.Image, 5000), 1u);
  EXPECT_EQ(this->OpenImages(), 0u);
  const auto* const snapshot = this->Server.Core.Images.Snapshots().Find(1);
  ASSERT_TRUE(snapshot);
  EXPECT_EQ(snapshot->FileName, "/a.h5");
  EXPECT_EQ(snapshot->FileSize, 5000u);
  EXPECT_EQ(snapshot->SealedAt, this->Server.Time.Wall);
  EXPECT_EQ(this->Server.Heard.Take(), (Texts{ "begun /a.h5", "sealed 1" }));
}

TEST_F(ImageServiceTest, RefusesASealThatComesTooLateAndLeavesTheImage)
{
  const auto image = this->Server.Begin("writer", "/a.h5");
  SealImage late = this->Server.SealOf(image.Image);
  late.Until = this->Server.Time.Steady() - 2.5;
  EXPECT_TRUE(this->Server.IsRefused(this->Server.Send("writer", late), Fault::TimedOut,
    "the DSM server was asked to make /a.h5 a snapshot and got to it 2.5 s too late: its writer "
    "had "
    "given up waiting"));
  EXPECT_EQ(this->OpenImages(), 1u);
  EXPECT_EQ(this->Server.InRing(), Numbers());
  SealImage just = late;
  just.Until = this->Server.Time.Steady();
  EXPECT_EQ(this->Server.Ask("writer", just).Number, 1u);
}

TEST_F(ImageServiceTest, RefusesASealWhoseWriterGaveUpBefore)
{
  const auto image = this->Server.Begin("writer", "/a.h5");
  this->Server.Slots.GivenUp.insert({ image.Slot, image.Generation });
  EXPECT_TRUE(this->Server.IsRefused(this->Server.Send("writer", this->Server.SealOf(image.Image)),
    Fault::TimedOut, "the writer of /a.h5 had given up waiting for its snapshot"));
  EXPECT_EQ(this->OpenImages(), 1u);
}

TEST_F(ImageServiceTest, RefusesRequestsForImagesOfOthers)
{
  const auto image = this->Server.Begin("writer", "/a.h5");
  this->Server.Connect("other", "writer");
  for (const PeerId peer : { "other", "nobody" })
  {
    const std::uint64_t seal = this->Server.Send(peer, this->Server.SealOf(image.Image));
    EXPECT_THROW(this->Server.ReplyTo<SealImage>(seal), Error) << peer;
    const std::uint64_t finish = this->Server.Send(peer, FinishImage{ image.Image, 0 });
    EXPECT_THROW(this->Server.ReplyTo<FinishImage>(finish), Error) << peer;
  }
  this->Server.Notify("other", DiscardImage{ image.Image, "not mine" });
  EXPECT_EQ(this->OpenImages(), 1u);
  EXPECT_TRUE(this->Server.IsRefused(this->Server.Send("nobody", this->Server.SealOf(1)),
    Fault::PeerLost, "does not know this program any more"));
}

TEST_F(ImageServiceTest, DropsTheNewestIfThePolicySaysSo)
{
  ServerOptions options = SimulatedServer::Options();
  options.WhenFull = FullRing::DropNewest;
  options.MaximumSnapshots = 2;
  SimulatedServer server(options);
  server.Connect("writer", "writer");
  EXPECT_EQ(server.WriteFile("writer", "/a1.h5"), 1u);
  server.Heard.Take();
  EXPECT_EQ(server.WriteFile("writer", "/a2.h5"), 0u);
  const auto heard = server.Heard.Take();
  EXPECT_EQ(std::count(heard.begin(), heard.end(), "ended, skipped"), 1);
  EXPECT_EQ(server.InRing(), Numbers{ 1 });
}

// ---- Flushes.

TEST_F(ImageServiceTest, PublishesAFlushAndGoesOn)
{
  const auto image = this->Server.Begin("writer", "/a.h5");
  const Published published = this->Publish(image.Image);
  EXPECT_NE(published.Copy, 0u);
  EXPECT_EQ(published.Skipped, "");
  EXPECT_EQ(this->Server.InRing(), Numbers()) << "its writer has not waited for it";
  ConfirmCopy confirm;
  confirm.Image = image.Image;
  confirm.Copy = published.Copy;
  EXPECT_EQ(this->Server.Ask("writer", confirm).Number, 1u);
  EXPECT_EQ(this->Server.Shown(), Numbers{ 1 });
  EXPECT_EQ(this->OpenImages(), 1u);
  EXPECT_EQ(this->Server.Seal("writer", image.Image), 2u);
}

TEST_F(ImageServiceTest, AnswersNoFlushWhoseWriterHasLeft)
{
  const auto image = this->Server.Begin("writer", "/a.h5");
  PublishImage publish;
  publish.Image = image.Image;
  publish.Size = 4096;
  publish.Changing = { { { 0, 4096 } }, {} };
  const std::uint64_t request = this->Server.Send("writer", publish);
  ASSERT_FALSE(this->Server.IsAnswered(request)) << "the hosts copy";
  this->Server.Core.Router.Do([&] { this->Server.Core.PeerLeft("writer", true); });
  this->Server.HostsWork();
  EXPECT_FALSE(this->Server.IsAnswered(request));
}

TEST_F(ImageServiceTest, RefusesAFlushThatTheHostsCannotCopy)
{
  const auto image = this->Server.Begin("writer", "/a.h5");
  PublishImage publish;
  publish.Image = image.Image;
  publish.Size = 4096;
  publish.Changing = { { { 0, 4096 } }, {} };
  const std::uint64_t request = this->Server.Send("writer", publish);
  this->Server.HostsWork("no memory is left");
  EXPECT_TRUE(this->Server.IsRefused(request, Fault::System, "no memory is left"));
  EXPECT_EQ(this->OpenImages(), 1u);
}

TEST_F(ImageServiceTest, RefusesToConfirmACopyThatALaterFlushHasDiscarded)
{
  const auto image = this->Server.Begin("writer", "/a.h5");
  ConfirmCopy confirm;
  confirm.Image = image.Image;
  confirm.Copy = this->Publish(image.Image).Copy;
  const std::uint64_t later = this->Publish(image.Image).Copy;
  EXPECT_TRUE(this->Server.IsRefused(
    this->Server.Send("writer", confirm), Fault::Refused, "has discarded the copy"));
  confirm.Copy = later;
  EXPECT_EQ(this->Server.Ask("writer", confirm).Number, 1u);
}

TEST_F(ImageServiceTest, SkipsAFlushWithoutRoomAndReportsThatOnce)
{
  ServerOptions options = SimulatedServer::Options();
  options.WhenFull = FullRing::DropNewest;
  options.MaximumSnapshots = 1;
  SimulatedServer server(options);
  server.Connect("writer", "writer");
  server.Connect("viewer", "viewer");
  const auto image = server.Begin("writer", "/b.h5");
  OpenSnapshot open;
  open.Number = server.WriteFile("writer", "/a.h5");
  server.Ask("viewer", open);
  PublishImage publish;
  publish.Image = image.Image;
  publish.Size = 4096;
  const Published skipped = server.Ask("writer", publish);
  EXPECT_EQ(skipped.Copy, 0u);
  EXPECT_NE(skipped.Skipped.find("a flush of /b.h5 (4 KiB) could not be shown"), std::string::npos)
    << skipped.Skipped;
  EXPECT_EQ(server.Status().LastError, skipped.Skipped);
  server.Core.Router.Do([&] { server.Core.State.Trouble.Note("nothing"); });
  EXPECT_EQ(server.Ask("writer", publish).Copy, 0u);
  EXPECT_EQ(server.Status().LastError, "nothing");
}

// ---- Ends without another snapshot.

TEST_F(ImageServiceTest, FinishesAFileWhoseLastFlushShowsAll)
{
  const auto image = this->Server.Begin("writer", "/a.h5");
  this->Server.Flush("writer", image.Image);
  this->Server.Heard.Take();
  this->Server.Ask("writer", FinishImage{ image.Image, 4096 });
  EXPECT_EQ(this->OpenImages(), 0u);
  EXPECT_EQ(this->Server.InRing(), Numbers{ 1 });
  EXPECT_EQ(this->Server.Heard.Take(), Texts{ "ended" });
}

TEST_F(ImageServiceTest, DiscardsAnImageAndSaysWhyToThoseWhoAskForIt)
{
  const auto image = this->Server.Begin("writer", "/a.h5");
  this->Server.Notify("writer", DiscardImage{ image.Image, "the disk is full" });
  const std::string text = "the unfinished file /a.h5 was discarded: the disk is full";
  EXPECT_EQ(this->Server.Status().LastError, text);
  EXPECT_EQ(this->Server.Status().ImagesAbandoned, 1u);
  EXPECT_TRUE(this->Server.IsRefused(
    this->Server.Send("writer", this->Server.SealOf(image.Image)), Fault::PeerLost, text));
  this->Server.Notify("writer", DiscardImage{ image.Image, "again" });
  EXPECT_FALSE(this->Server.IsAnswered(0)) << "it is not refused";
}

TEST_F(ImageServiceTest, TellsWhenANameShowsASnapshotAgainThatHasLeft)
{
  ServerOptions options = SimulatedServer::Options();
  options.MaximumSnapshots = 2;
  SimulatedServer server(options);
  server.Connect("writer", "writer");
  std::vector<std::pair<std::string, SnapshotId>> told;
  server.Core.Writes.GoneIsShown = [&](const std::string& name, SnapshotId gone)
  { told.emplace_back(name, gone); };
  const auto begin = [&](SnapshotId before)
  {
    BeginImage file;
    file.File = "/a.h5";
    file.Ranks = 1;
    file.OnDisk = { "inode 1", before };
    return server.Ask("writer", file).Image;
  };
  ASSERT_EQ(server.Seal("writer", begin(0).Image), 1u);
  server.Notify("writer", DiscardImage{ begin(1).Image, "no room" });
  EXPECT_TRUE(told.empty()) << "it is there";
  const auto second = begin(1);
  server.WriteFile("writer", "/b1.h5");
  server.WriteFile("writer", "/b2.h5");
  EXPECT_EQ(server.InRing(), (Numbers{ 2, 3 }));
  EXPECT_TRUE(told.empty());
  server.Notify("writer", DiscardImage{ second.Image, "no room" });
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].first, "/a.h5");
  EXPECT_EQ(told[0].second, 1u);
}

TEST_F(ImageServiceTest, DropsTheOpenImagesOfAPeerThatLeavesAndNamesThem)
{
  Texts unfinished;
  this->Server.Core.Writes.FileLeft = [&](const ImageService::LeftFile& file)
  { unfinished.push_back(file.Name); };
  this->Server.Begin("writer", "/a.h5");
  this->Server.Begin("writer", "/b.h5");
  this->Server.Connect("other", "writer");
  this->Server.Begin("other", "/c.h5");
  this->Server.Leave("writer", false);
  EXPECT_EQ(unfinished, (Texts{ "/a.h5", "/b.h5" }));
  EXPECT_EQ(this->Server.Status().Receiving, Texts{ "/c.h5" });
  EXPECT_EQ(this->Server.Status().LastError,
    "the unfinished file /b.h5 was discarded: writer (1 rank on node) ended before it closed the "
    "file");
}

TEST_F(ImageServiceTest, KeepsTheLastFlushOfAWriterThatIsLost)
{
  struct Case
  {
    std::uint64_t InMemory; ///< bytes that the writer noted in host 0's memory
    std::uint64_t Sent;     ///< or sent
    std::uint64_t Size;     ///< bytes of the snapshot; 0: there is none
    const char* Why;
  };
  for (const Case& one : {
         Case{ 0, 0, 0, "the file was not flushed" },
         Case{ 3000, 0, 3000, "the writer maps the memory" },
         Case{ 0, 2000, 2000, "the writer does not map it" },
         Case{ 3000, 2000, 3000, "the last one counts" },
         Case{ UINT64_C(1) << 40, 0, 0, "no file has that size" },
       })
  {
    SimulatedServer server;
    server.Connect("writer", "writer");
    std::vector<ImageService::LeftFile> unfinished;
    server.Core.Writes.FileLeft = [&](const ImageService::LeftFile& file)
    { unfinished.push_back(file); };
    const auto image = server.Begin("writer", "/a.h5");
    NoteFlush flush;
    flush.Image = image.Image;
    flush.Size = one.Sent;
    server.Ask("writer", flush);
    server.Slots.Flushes[{ image.Slot, image.Generation }] = one.InMemory;
    server.Leave("writer", false);
    EXPECT_TRUE(server.Core.Images.OpenImages().empty()) << one.Why;
    ASSERT_EQ(unfinished.size(), 1u) << one.Why;
    EXPECT_EQ(unfinished[0].Number, one.Size > 0 ? 1 : 0) << one.Why;
    EXPECT_EQ(unfinished[0].Image, image.Image);
    const auto* snapshot = server.Core.Images.Snapshots().NewestNamed("/a.h5");
    EXPECT_EQ(snapshot ? snapshot->FileSize : 0, one.Size) << one.Why;
    if (snapshot)
    {
      EXPECT_GT(snapshot->Generation, image.Generation) << "the writer may only have been stopped";
      EXPECT_NE(
        server.Status().LastError.find("is kept as it was last flushed"), std::string::npos);
    }
  }
}

TEST_F(ImageServiceTest, SealsAFlushWhenTheHostsKeepItsWriterOut)
{
  const auto image = this->Server.Begin("writer", "/a.h5");
  this->Server.Slots.Flushes[{ image.Slot, image.Generation }] = 3000;
  this->Server.Core.Router.Do([&] { this->Server.Core.PeerLeft("writer", true); });
  EXPECT_EQ(this->Server.InRing(), Numbers{});
  EXPECT_EQ(this->OpenImages(), 1u);
  this->Server.Connect("writer", "writer");
  EXPECT_TRUE(this->Server.IsRefused(
    this->Server.Send("writer", this->Server.SealOf(image.Image)), Fault::Refused, "another"));
  EXPECT_TRUE(
    this->Server.IsRefused(this->Server.Send("writer", ExtendImage{ image.Image, image.Key, 8192 }),
      Fault::Refused, "another"));
  this->Server.HostsWork();
  EXPECT_EQ(this->Server.InRing(), Numbers{ 1 });
  EXPECT_EQ(this->OpenImages(), 0u);
}

TEST_F(ImageServiceTest, LeavesAFlushThatItsWriterHasUndertakenToSave)
{
  const auto image = this->Server.Begin("writer", "/a.h5");
  this->Server.Slots.Flushes[{ image.Slot, image.Generation }] = 3000;
  this->Server.Slots.GivenUp.insert({ image.Slot, image.Generation });
  this->Server.Leave("writer", true);
  EXPECT_EQ(this->Server.InRing(), Numbers{});
}

TEST_F(ImageServiceTest, KeepsAFlushOfADiscardedImageWhereItsWriterSaysSo)
{
  for (const bool keeps : { false, true })
  {
    const auto image = this->Server.Begin("writer", "/a.h5");
    this->Server.Slots.Flushes[{ image.Slot, image.Generation }] = 3000;
    this->Server.Notify("writer", DiscardImage{ image.Image, "MPI has ended", keeps });
    this->Server.HostsWork();
    EXPECT_EQ(this->Server.InRing(), keeps ? Numbers{ 1 } : Numbers{});
  }
}

// The flushed state of a file that is written further replaces what its last close left.
TEST_F(ImageServiceTest, KeepsTheLastFlushOfAFileThatIsWrittenFurther)
{
  const SnapshotId first = this->Server.WriteFile("writer", "/a.h5");
  const std::uint64_t request = this->SendBegin("/a.h5", first);
  this->Server.HostsWork();
  const ImageDescription image = this->Server.ReplyTo<BeginImage>(request).Image;
  this->Server.Slots.Flushes[{ image.Slot, image.Generation }] = 5000;
  ImageService::LeftFile unfinished;
  this->Server.Core.Writes.FileLeft = [&](const ImageService::LeftFile& file)
  { unfinished = file; };
  this->Server.Leave("writer", true);
  EXPECT_EQ(this->Server.Core.Images.Snapshots().NewestNamed("/a.h5")->Number, 2u);
  EXPECT_EQ(unfinished.Before, first);
  EXPECT_EQ(unfinished.Number, 2u);
  EXPECT_EQ(unfinished.Size, 5000u);
}

// A writer that is killed behind its seal may not have said on disk what the file is now.
TEST_F(ImageServiceTest, TellsWhatTheLastFileOfALostWriterIs)
{
  for (const bool isLost : { false, true })
  {
    SimulatedServer server;
    server.Connect("writer", "writer");
    std::vector<ImageService::LeftFile> told;
    server.Core.Writes.FileLeft = [&](const ImageService::LeftFile& file) { told.push_back(file); };
    for (const char* const name : { "/a.h5", "/b.h5" })
    {
      const auto image = server.Begin("writer", name);
      SealImage seal = server.SealOf(image.Image, 5000);
      seal.OnDisk.IsThere = true;
      server.Ask("writer", seal);
    }
    server.Leave("writer", isLost);
    ASSERT_EQ(told.size(), isLost ? 1u : 0u);
    if (isLost)
    {
      EXPECT_EQ(told.front().Name, "/b.h5");
      EXPECT_EQ(told.front().Number, 2u);
      EXPECT_EQ(told.front().Size, 5000u);
    }
  }
}

TEST_F(ImageServiceTest, AFlushThatIsShownIsNotKeptTwice)
{
  const auto image = this->Server.Begin("writer", "/a.h5");
  NoteFlush flush;
  flush.Image = image.Image;
  flush.Size = 3000;
  this->Server.Ask("writer", flush);
  this->Server.Flush("writer", image.Image);
  this->Server.Leave("writer", true);
  EXPECT_EQ(this->Server.InRing(), Numbers{ 1 });
}

// Nobody takes what ranks have changed alone for what a flush has shown.
TEST_F(ImageServiceTest, EvictsTheFlushesOfAnImageWhoseRanksWentAlone)
{
  const auto kept = this->Server.Begin("writer", "/kept.h5");
  const auto alone = this->Server.Begin("writer", "/alone.h5");
  this->Server.Flush("writer", kept.Image);
  this->Server.Flush("writer", alone.Image);
  this->Server.Slots.Alone.insert({ alone.Slot, alone.Generation });
  this->Server.Leave("writer", true);
  EXPECT_EQ(this->Server.InRing(), Numbers{ 1 });
}

TEST_F(ImageServiceTest, RaisesTheGenerationOfASlotWhoseSnapshotIsEvicted)
{
  ServerOptions options = SimulatedServer::Options();
  options.MaximumSnapshots = 1;
  SimulatedServer server(options);
  server.Connect("writer", "writer");
  const auto image = server.Begin("writer", "/a1.h5");
  server.Seal("writer", image.Image);
  server.WriteFile("writer", "/a2.h5");
  EXPECT_EQ(server.InRing(), Numbers{ 2 });
  EXPECT_EQ(server.Slots.Generations.at(image.Slot), image.Generation + 1);
}

/// Fails once.
class FailingObserver final : public SnapshotObserver
{
public:
  void OnBegun(const ImageBegun&) override
  {
    if (std::exchange(this->Fails, false))
    {
      throw std::runtime_error("this observer has a fault");
    }
  }
  bool Fails = false;
};

// A snapshot whose slot an image takes over has another slot then, in which bytes of another one
// were before.
TEST_F(ImageServiceTest, TheHostsHearOfAllSlotsIfABeginFails)
{
  ServerOptions options = SimulatedServer::Options();
  options.MaximumSnapshots = 2;
  SimulatedServer server(options);
  auto& observer = server.Core.Observe<FailingObserver>();
  server.Connect("writer", "writer");
  BeginImage begin;
  begin.File = "/a.h5";
  begin.CopyOf = server.WriteFile("writer", begin.File);
  begin.CopyOf = server.Seal("writer", server.Ask("writer", begin).Image.Image);
  server.HostsWork();
  observer.Fails = true;
  const std::uint64_t request = server.Send("writer", begin);
  EXPECT_TRUE(server.IsRefused(request, Fault::System, "this observer has a fault"));
  EXPECT_TRUE(server.Core.Images.OpenImages().empty());
  const auto& moved = *server.Core.Images.Snapshots().Find(begin.CopyOf);
  ASSERT_GT(moved.Generation, 0u);
  std::map<SlotIndex, std::uint64_t> raised;
  for (const PrepareMemory& order : server.TakeOrders(0))
  {
    for (const SlotGeneration& raise : order.Raise)
    {
      raised[raise.Slot] = raise.Number;
    }
  }
  EXPECT_EQ(raised[moved.Slot], moved.Generation);
}

TEST_F(ImageServiceTest, KeepsTheFamilyOfAFileThatIsReplacedUnderItsName)
{
  const auto sealNamed = [&](ImageId image, SnapshotId before)
  {
    SealImage seal = this->Server.SealOf(image);
    seal.OnDisk = { true, before };
    return this->Server.Ask("writer", seal).Number;
  };
  const auto first = sealNamed(this->Server.Begin("writer", "/a.h5").Image, 0);
  const auto second = sealNamed(this->Server.Begin("writer", "/a.h5").Image, first);
  const auto other = sealNamed(this->Server.Begin("writer", "/b.h5").Image, 0);
  const auto family = [&](SnapshotId number)
  { return this->Server.Core.Images.Snapshots().Find(number)->Family; };
  EXPECT_EQ(family(second), family(first));
  EXPECT_NE(family(other), family(first));
}

}
