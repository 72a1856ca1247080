// SPDX-License-Identifier: BSD-3-Clause
#include "Archive/FileForm.h"
#include "Archive/NewSubfiles.h"
#include "Archive/Subfiles.h"
#include "Base/Error.h"
#include "Base/FileMark.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

namespace
{

using namespace dsm;
namespace fs = std::filesystem;

struct SubfilesTest : testing::Test
{
  SubfilesTest()
  {
    std::string folder = (fs::temp_directory_path() / "dsm-subfiles-XXXXXX").string();
    EXPECT_NE(mkdtemp(folder.data()), nullptr);
    this->Folder = folder;
  }
  ~SubfilesTest() override { fs::remove_all(this->Folder); }

  std::string Path(const std::string& name = "out.h5") const { return this->Folder / name; }

  static std::string Contents(const std::string& path)
  {
    std::ifstream stream(path, std::ios::binary);
    return std::string((std::istreambuf_iterator<char>(stream)), {});
  }

  std::set<std::string> Names() const
  {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(this->Folder))
    {
      names.insert(entry.path().filename());
    }
    return names;
  }

  static void Fill(const StripedFiles& files, const std::string& text)
  {
    files.Reserve(text.size());
    // In two parts, of which the first ends within a stripe.
    const std::size_t half = text.size() / 2;
    const auto* bytes = reinterpret_cast<const std::byte*>(text.data()); // NOLINT
    files.Write(0, bytes, half, text.size());
    files.Write(FileOffset(half), bytes + half, text.size() - half, text.size());
  }

  fs::path Folder;
};

TEST_F(SubfilesTest, AreWhatHdf5LooksFor)
{
  NewSubfiles file(this->Path(), 3, 4);
  Fill(file.Files(), "aaaabbbbccccAAAABB");
  file.Finish();
  const auto inode = std::to_string(FileMark::Of(this->Path())->Inode);
  const std::string base = "out.h5.subfile_" + inode;
  EXPECT_EQ(this->Names(),
    (std::set<std::string>{
      "out.h5", base + ".config", base + "_1_of_3", base + "_2_of_3", base + "_3_of_3" }));
  EXPECT_EQ(Contents(this->Path()), "");
  EXPECT_EQ(Contents(this->Path(base + "_1_of_3")), "aaaaAAAA");
  EXPECT_EQ(Contents(this->Path(base + "_2_of_3")), "bbbbBB");
  EXPECT_EQ(Contents(this->Path(base + "_3_of_3")), "cccc");
  EXPECT_EQ(Contents(this->Path(base + ".config")),
    "stripe_size=4\naggregator_count=3\nsubfile_count=3\nhdf5_file=" + this->Path() +
      "\nsubfile_dir=" + this->Folder.string() + "\n" + base + "_1_of_3\n" + base + "_2_of_3\n" +
      base + "_3_of_3\n");
}

TEST_F(SubfilesTest, ManyAreNumberedInTheirOrder)
{
  EXPECT_EQ(SubfileNames("a", 5).Subfile(2, 9), "a.subfile_5_2_of_9");
  EXPECT_EQ(SubfileNames("a", 5).Subfile(2, 10), "a.subfile_5_02_of_10");
}

TEST_F(SubfilesTest, AreFoundByTheirStub)
{
  for (const std::size_t size : { 1, 3, 4, 5, 8, 9, 12, 13, 24, 31 })
  {
    NewSubfiles file(this->Path(), 3, 4);
    Fill(file.Files(), std::string(size, 'x'));
    file.Finish();
    const auto found = Subfiles::Of(this->Path());
    ASSERT_TRUE(found);
    EXPECT_EQ(found->StripeSize, 4U);
    EXPECT_EQ(found->Paths.size(), 3U);
    EXPECT_EQ(found->FileSize(), size);
    EXPECT_EQ(this->Names().size(), 5U) << "those of the file before have gone";
  }
  EXPECT_FALSE(Subfiles::Of(this->Path("none.h5")));
  std::ofstream(this->Path("plain.h5")) << "text";
  EXPECT_FALSE(Subfiles::Of(this->Path("plain.h5")));
}

TEST_F(SubfilesTest, AreRenamedWithTheirStub)
{
  NewSubfiles file(this->Path(), 3, 4);
  Fill(file.Files(), "aaaabbbbccccAAAABB");
  file.Finish();
  Subfiles::Rename(this->Path(), this->Path("now.h5"));
  const auto found = Subfiles::Of(this->Path("now.h5"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->FileSize(), 18U);
  EXPECT_EQ(Contents(found->Paths[1]), "bbbbBB");
  EXPECT_EQ(Contents(found->Configuration), found->ConfigurationOf(this->Path("now.h5")));
  EXPECT_EQ(this->Names().size(), 5U) << "none has its former name";
  EXPECT_FALSE(fs::exists(this->Path()));
  EXPECT_THROW(Subfiles::Rename(this->Path("none.h5"), this->Path("other.h5")), Error);
}

TEST_F(SubfilesTest, AFileWithoutSubfilesIsRenamed)
{
  std::ofstream(this->Path()) << "text";
  Subfiles::Rename(this->Path(), this->Path("now.h5"));
  EXPECT_EQ(this->Names(), std::set<std::string>{ "now.h5" });
  EXPECT_EQ(Contents(this->Path("now.h5")), "text");
}

TEST_F(SubfilesTest, WhatIsNotFinishedIsNotThere)
{
  std::ofstream(this->Path()) << "old";
  {
    NewSubfiles file(this->Path(), 2, 4);
    Fill(file.Files(), "something");
  }
  EXPECT_EQ(this->Names(), std::set<std::string>{ "out.h5" });
  EXPECT_EQ(Contents(this->Path()), "old");
}

TEST_F(SubfilesTest, AMissingOneIsNamed)
{
  NewSubfiles file(this->Path(), 2, 4);
  Fill(file.Files(), "something");
  file.Finish();
  const auto found = Subfiles::Of(this->Path());
  fs::remove(found->Paths[1]);
  EXPECT_THROW(found->FileSize(), Error);
  std::ofstream(found->Configuration) << "stripe_size=4\n";
  EXPECT_THROW(Subfiles::Of(this->Path()), Error);
}

TEST(FileForm, IsAText)
{
  EXPECT_TRUE(FileForm::FromText("single").IsSingle());
  EXPECT_EQ(FileForm::FromText("subfiles").HostsPerSubfile, 1U);
  EXPECT_EQ(FileForm::FromText("subfiles 4").HostsPerSubfile, 4U);
  for (const char* const text :
    { "", "subfiles 0", "subfiles x", "subfiles4", "subfiles ", "many" })
  {
    EXPECT_THROW(FileForm::FromText(text), Error) << text;
  }
}

TEST(FileForm, OneSubfileHasWhatItsHostsHave)
{
  MapParameters map{ "block cyclic", 6, 1000, 10 };
  EXPECT_EQ(FileForm{ 1 }.Subfiles(map), 6U);
  EXPECT_EQ(FileForm{ 1 }.StripeSize(map), 10U);
  EXPECT_EQ(FileForm{ 2 }.Subfiles(map), 3U);
  EXPECT_EQ(FileForm{ 2 }.StripeSize(map), 20U);
  EXPECT_EQ(FileForm{ 4 }.Subfiles(map), 2U);
  EXPECT_EQ(FileForm{ 100 }.Subfiles(map), 1U);
  map.Strategy = "contiguous";
  EXPECT_EQ(FileForm{ 2 }.StripeSize(map), UINT64_C(32) << 20);
}

}
