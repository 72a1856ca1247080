// SPDX-License-Identifier: BSD-3-Clause
#include "Archive/NameOnDisk.h"

#include "Base/Error.h"
#include "Base/FileDescriptor.h"
#include "Base/FileIdentity.h"
#include "Driver/Placeholder.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <sys/inotify.h>
#include <unistd.h>

namespace
{

namespace fs = std::filesystem;
using namespace dsm;

const std::string Ours = "the server's key";
const std::string Bytes = "whole file";

/// A folder in which a simulation writes, and a server that puts its files there.
struct NameOnDiskTest : testing::Test
{
  fs::path Folder = fs::temp_directory_path() / ("dsm-name-on-disk." + std::to_string(getpid()));
  SnapshotDescription Snapshot;
  std::set<SnapshotId> Family{ 3, 6, 7, 8 };
  std::map<FileMark, WrittenFiles::File> Written;
  SnapshotId Newest = 0; ///< that was put on disk

  NameOnDiskTest()
  {
    fs::create_directories(this->Folder);
    this->Snapshot.Number = 7;
    this->Snapshot.FileName = this->Path("out.h5");
    this->Snapshot.FileSize = 100000;
    this->Snapshot.SealedAt = 1;
    this->Snapshot.Family = 3;
    this->Snapshot.Named = true;
  }
  ~NameOnDiskTest() override { fs::remove_all(this->Folder); }

  std::string Path(const std::string& name) const { return this->Folder / name; }

  // What a simulation leaves.
  void Leave(const std::string& name, SnapshotId number, const std::string& server = Ours)
  {
    Placeholder placeholder(this->Path(name));
    placeholder.Put({ "/run.dsm", server, number });
    placeholder.Tell(number, this->Snapshot.FileSize);
  }

  void Write(const std::string& name, const std::string& text) const
  {
    std::ofstream(this->Path(name)) << text;
  }

  // As what the server has put there.
  void Put(const std::string& name, SnapshotId number, SnapshotId family)
  {
    this->Write(name, "state " + std::to_string(number));
    this->Written[*FileMark::Of(this->Path(name))] = { number, family, {} };
  }

  std::string Text(const std::string& name) const
  {
    std::ostringstream text;
    text << std::ifstream(this->Path(name)).rdbuf();
    return text.str();
  }

  NameOnDisk::Known Server{ Ours,
    [this](const FileMark& mark)
    {
      const auto found = this->Written.find(mark);
      return found == this->Written.end() ? std::nullopt : std::optional(found->second);
    },
    [this](const PlaceholderAddress& placeholder)
    {
      const SnapshotId number =
        placeholder.Number != 0 ? placeholder.Number : placeholder.Before.value_or(SnapshotId(0));
      return this->Family.contains(number) || placeholder.Image == 5 ? SnapshotId(3) : number;
    },
    [this](SnapshotId family) { return family == 3 ? this->Newest : SnapshotId(0); } };

  NameOnDisk Name() const { return { this->Snapshot, this->Server }; }

  static std::optional<FileMark> PutWhole(const NameOnDisk& name)
  {
    NewFile file(name.Path());
    file.Write(reinterpret_cast<const std::byte*>(Bytes.data()), Bytes.size());
    const FileMark mark = file.Mark();
    return name.Put(file) ? std::optional(mark) : std::nullopt;
  }

  // The files that are there, all of which must be expected.
  std::set<std::string> Files() const
  {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(this->Folder))
    {
      names.insert(entry.path().filename());
    }
    return names;
  }
};

using Names = std::set<std::string>;

/// The names that come to be in a folder while it is watched.
class NewNames
{
public:
  explicit NewNames(const std::string& folder)
  {
    inotify_add_watch(this->Queue.Get(), folder.c_str(), IN_CREATE | IN_MOVED_TO);
  }

  Names SoFar() const
  {
    alignas(inotify_event) std::array<char, 4096> events{};
    Names names;
    const ssize_t size = read(this->Queue.Get(), events.data(), events.size());
    for (ssize_t at = 0; at < size;)
    {
      const auto* event = reinterpret_cast<const inotify_event*>(events.data() + at); // NOLINT
      names.insert(event->name);
      at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
    }
    return names;
  }

private:
  FileDescriptor Queue{ inotify_init1(IN_NONBLOCK) };
};

/// A program may be removing the folder with all that it found there.
TEST_F(NameOnDiskTest, NoOtherNameIsEverInTheFolder)
{
  const std::string elsewhere = this->Folder.string() + ".run.dsm.put";
  this->Leave("out.h5", 7);
  for (const bool named : { true, false })
  {
    this->Snapshot.Named = named;
    auto name = this->Name();
    ASSERT_TRUE(name.Find());
    const NewNames names(this->Folder);
    NewFile file(name.Path());
    file.PassBy(elsewhere);
    ASSERT_TRUE(name.Put(file));
    EXPECT_EQ(names.SoFar(), Names{ "out.h5" });
    EXPECT_FALSE(fs::exists(elsewhere));
    fs::remove(this->Path("out.h5"));
  }
}

TEST_F(NameOnDiskTest, TakesThePlaceOfItsPlaceholderWithItsMode)
{
  this->Leave("out.h5", 7);
  fs::permissions(this->Path("out.h5"), fs::perms(0640));
  auto name = this->Name();
  ASSERT_TRUE(name.Find());
  EXPECT_TRUE(name.IsSeen());
  const auto mark = PutWhole(name);
  ASSERT_TRUE(mark);
  EXPECT_EQ(mark, FileMark::Of(this->Path("out.h5")));
  EXPECT_EQ(this->Text("out.h5"), Bytes);
  EXPECT_EQ(fs::status(this->Path("out.h5")).permissions(), fs::perms(0640));
  EXPECT_EQ(this->Files(), Names{ "out.h5" });
}

TEST_F(NameOnDiskTest, TellsWhichFileTakesThePlaceOfWhich)
{
  auto name = this->Name();
  this->Leave("out.h5", 7);
  ASSERT_TRUE(name.Find());
  EXPECT_EQ(name.Identity(), dsm::FileIdentity(this->Path("out.h5")));
  NewFile file(name.Path());
  const std::string identity = file.IdentityAt(name.Path());
  EXPECT_NE(identity, name.Identity());
  ASSERT_TRUE(name.Put(file));
  EXPECT_EQ(identity, dsm::FileIdentity(this->Path("out.h5")));
}

TEST_F(NameOnDiskTest, PutsAFileUnderTheLongestName)
{
  const std::string longest(255, 'a');
  this->Snapshot.FileName = this->Path(longest);
  this->Leave(longest, 7);
  auto name = this->Name();
  ASSERT_TRUE(name.Find());
  ASSERT_TRUE(PutWhole(name));
  EXPECT_EQ(this->Text(longest), Bytes);
  EXPECT_EQ(this->Files(), Names{ longest });
}

TEST_F(NameOnDiskTest, FollowsALinkAndLeavesIt)
{
  fs::create_directory(this->Folder / "real");
  this->Leave("real/data.h5", 7);
  fs::create_symlink(this->Path("real/data.h5"), this->Path("out.h5"));
  auto name = this->Name();
  ASSERT_TRUE(name.Find());
  ASSERT_TRUE(PutWhole(name));
  EXPECT_TRUE(fs::is_symlink(this->Path("out.h5")));
  EXPECT_EQ(this->Text("real/data.h5"), Bytes);
}

TEST_F(NameOnDiskTest, FollowsARename)
{
  this->Leave("renamed.h5", 7);
  this->Write("other.h5", "of somebody else");
  auto name = this->Name();
  ASSERT_TRUE(name.Find());
  EXPECT_EQ(name.Path(), this->Path("renamed.h5"));
  ASSERT_TRUE(PutWhole(name));
  EXPECT_EQ(this->Text("renamed.h5"), Bytes);
  EXPECT_EQ(this->Files(), (Names{ "other.h5", "renamed.h5" }));
  // And the simulation writes the next file under the first name meanwhile.
  this->Leave("renamed.h5", 7);
  this->Leave("out.h5", 12);
  ASSERT_TRUE(name.Find());
  EXPECT_EQ(name.Path(), this->Path("renamed.h5"));
}

// The writer was killed before it could enter the last state, which is longer.
TEST_F(NameOnDiskTest, FollowsARenameOfThePlaceholderOfAnOtherState)
{
  Placeholder placeholder(this->Path("renamed.h5"));
  placeholder.Put({ "/run.dsm", Ours, 6 });
  placeholder.Tell(6, this->Snapshot.FileSize / 2);
  auto name = this->Name();
  ASSERT_TRUE(name.Find());
  EXPECT_EQ(name.Path(), this->Path("renamed.h5"));
}

// A program renames its file when it is whole, and copies it: both are whole on a disk. In a
// folder, which of them comes first is chance, so there are many.
TEST_F(NameOnDiskTest, CopiesOfWhatWasRenamedAreWholeToo)
{
  Names all;
  for (int copy = 0; copy < 10; ++copy)
  {
    const std::string now = "copy " + std::to_string(copy);
    const std::string before = "before " + std::to_string(copy);
    this->Leave(now, 7);
    this->Leave(before, 6);
    all.insert({ now, before });
  }
  auto name = this->Name();
  ASSERT_TRUE(name.Find());
  const auto put = [&]
  {
    const auto mark = PutWhole(name);
    ASSERT_TRUE(mark);
    this->Written[*mark] = { 7, 3, {} };
  };
  put();
  while (name.FindCopy())
  {
    put();
  }
  EXPECT_EQ(this->Files(), all);
  for (const std::string& file : all)
  {
    EXPECT_EQ(this->Text(file) == Bytes, file.starts_with("copy")) << file;
  }
  // Nobody looks through a folder for copies of what is where it was.
  this->Leave("out.h5", 7);
  this->Leave("copy", 7);
  auto another = this->Name();
  ASSERT_TRUE(another.Find());
  EXPECT_FALSE(another.FindCopy());
}

TEST_F(NameOnDiskTest, ARenameJustBeforeItIsPutThere)
{
  this->Leave("out.h5", 7);
  auto name = this->Name();
  ASSERT_TRUE(name.Find());
  fs::rename(this->Path("out.h5"), this->Path("renamed.h5"));
  NewFile file(name.Path());
  file.Write(reinterpret_cast<const std::byte*>(Bytes.data()), Bytes.size());
  EXPECT_FALSE(name.Put(file));
  this->Write("out.h5", "of somebody else");
  EXPECT_FALSE(name.Put(file));
  EXPECT_EQ(this->Text("out.h5"), "of somebody else");
  fs::remove(this->Path("out.h5"));
  ASSERT_TRUE(name.Find());
  EXPECT_TRUE(name.Put(file));
  EXPECT_EQ(this->Text("renamed.h5"), Bytes);
  EXPECT_EQ(this->Files(), Names{ "renamed.h5" });
}

TEST_F(NameOnDiskTest, WhatWasRemovedBelongsNowhere)
{
  auto name = this->Name();
  EXPECT_FALSE(name.Find());
  EXPECT_TRUE(name.WhyNot().empty());
  EXPECT_FALSE(name.IsSeen());
  // Without a name on disk there is none to be removed.
  this->Snapshot.Named = false;
  ASSERT_TRUE(name.Find());
  ASSERT_TRUE(PutWhole(name));
  EXPECT_EQ(this->Text("out.h5"), Bytes);
}

TEST_F(NameOnDiskTest, OlderStatesGoAndNewerStay)
{
  auto name = this->Name();
  this->Put("out.h5", 6, 3);
  ASSERT_TRUE(name.Find());
  ASSERT_TRUE(PutWhole(name));
  EXPECT_EQ(this->Text("out.h5"), Bytes);
  for (const SnapshotId newer : { SnapshotId(7), SnapshotId(8) })
  {
    this->Put("out.h5", newer, 3);
    EXPECT_FALSE(name.Find());
    EXPECT_TRUE(name.WhyNot().empty());
  }
  // Another file, which the simulation has renamed to this.
  this->Put("out.h5", 5, 4);
  EXPECT_FALSE(name.Find());
  EXPECT_TRUE(name.WhyNot().empty());
  // An older state that was renamed.
  this->Put("renamed.h5", 6, 3);
  ASSERT_TRUE(name.Find());
  EXPECT_EQ(name.Path(), this->Path("renamed.h5"));
}

TEST_F(NameOnDiskTest, APlaceholderOfANewerStateIsReplacedMeanwhile)
{
  this->Leave("out.h5", 8);
  auto name = this->Name();
  ASSERT_TRUE(name.Find());
  ASSERT_TRUE(PutWhole(name));
  EXPECT_EQ(this->Text("out.h5"), Bytes);
  // One that is being written.
  this->Leave("out.h5", 7);
  Placeholder begun(this->Path("out.h5"));
  begun.Put({ "/run.dsm", Ours });
  EXPECT_EQ(begun.Before(), 7U);
  ASSERT_TRUE(name.Find());
  ASSERT_TRUE(PutWhole(name));
  EXPECT_EQ(this->Text("out.h5"), Bytes);
}

// Its writer has its answer, and has not written the number there yet.
TEST_F(NameOnDiskTest, APlaceholderIsKnownBeforeItHasItsNumber)
{
  Placeholder begun(this->Path("out.h5"));
  begun.Put({ "/run.dsm", Ours, 0, {}, 5 });
  auto name = this->Name();
  ASSERT_TRUE(name.Find());
  ASSERT_TRUE(PutWhole(name));
  EXPECT_EQ(this->Text("out.h5"), Bytes);
}

TEST_F(NameOnDiskTest, APlaceholderOfAnotherFileIsNot)
{
  // It was renamed to this, and so this one's is gone.
  this->Leave("out.h5", 12);
  auto name = this->Name();
  EXPECT_FALSE(name.Find());
  EXPECT_TRUE(name.WhyNot().empty());
  // This one's was renamed, and the simulation begins another.
  std::filesystem::remove(this->Path("out.h5"));
  this->Leave("renamed.h5", 7);
  Placeholder begun(this->Path("out.h5"));
  begun.Put({ "/run.dsm", Ours });
  EXPECT_EQ(begun.Before(), 0U);
  ASSERT_TRUE(name.Find());
  EXPECT_EQ(name.Path(), this->Path("renamed.h5"));
}

TEST_F(NameOnDiskTest, WhatSomebodyElseHasPutThereIsNotTouched)
{
  auto name = this->Name();
  this->Write("out.h5", "of somebody else");
  EXPECT_FALSE(name.Find());
  EXPECT_NE(name.WhyNot().find(this->Path("out.h5")), std::string::npos);
  this->Leave("out.h5", 7, "another server's key");
  EXPECT_FALSE(name.Find());
  EXPECT_FALSE(name.WhyNot().empty());
  // Where no names were left: newer than the snapshot, or of an earlier run.
  this->Snapshot.Named = false;
  EXPECT_FALSE(name.Find());
  this->Snapshot.SealedAt = 1e12;
  EXPECT_TRUE(name.Find());
}

// The simulation does so with a file that has a user block, which programs write without HDF5.
TEST_F(NameOnDiskTest, LeavesWhatTheSimulationHasPutThereItself)
{
  auto name = this->Name();
  this->Write("out.h5", "whole, by its simulation");
  this->Newest = 6;
  EXPECT_FALSE(name.Find());
  EXPECT_FALSE(name.WhyNot().empty()) << "an older state";
  for (const SnapshotId newest : { SnapshotId(7), SnapshotId(8) })
  {
    this->Newest = newest;
    EXPECT_FALSE(name.Find());
    EXPECT_EQ(name.WhyNot(), "");
  }
}

TEST_F(NameOnDiskTest, AFolderThatIsNotThereIsSaid)
{
  this->Snapshot.FileName = this->Path("nowhere/out.h5");
  auto name = this->Name();
  try
  {
    name.Find();
    FAIL();
  }
  catch (const Error& error)
  {
    EXPECT_NE(std::string(error.what()).find("must see the file system"), std::string::npos);
  }
}

}
