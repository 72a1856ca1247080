// SPDX-License-Identifier: BSD-3-Clause
#include "ControlFixture.h"
#include "Driver/NameLook.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <sys/stat.h>

namespace
{

using dsm::Fault;
using dsm::NameLook;
using dsm::testing::TemporaryFolder;

struct NameLooks : testing::Test
{
  const TemporaryFolder Own;
  const std::filesystem::path Folder = Own.File("");
  const std::filesystem::path File = Folder / "a.h5";
};

TEST_F(NameLooks, DevicesPipesAndFoldersAreNoFiles)
{
  std::ofstream(this->File) << "bytes";
  const auto pipe = this->Folder / "pipe";
  ASSERT_EQ(0, mkfifo(pipe.c_str(), 0600));
  const auto link = this->Folder / "link";
  std::filesystem::create_symlink("/dev/null", link);
  for (const std::filesystem::path& other :
    { std::filesystem::path("/dev/null"), pipe, this->Folder, link })
  {
    EXPECT_TRUE(NameLook(other).IsNoFile()) << other;
  }
  EXPECT_FALSE(NameLook(this->File).IsNoFile());
  EXPECT_FALSE(NameLook(this->Folder / "missing").IsNoFile());
}

TEST_F(NameLooks, AnotherFileExplainsThatAVersionIsMissing)
{
  std::ofstream(this->File) << "bytes";
  const NameLook look(this->File);
  EXPECT_FALSE(look.Explains(Fault::Gone)) << "the name is what it was";
  std::ofstream(this->Folder / "b.h5") << "other";
  std::filesystem::rename(this->Folder / "b.h5", this->File);
  EXPECT_TRUE(look.Explains(Fault::Gone));
  EXPECT_TRUE(look.Explains(Fault::Refused));
  EXPECT_FALSE(look.Explains(Fault::System));
  EXPECT_FALSE(NameLook(this->File).Explains(Fault::Gone));
}

TEST_F(NameLooks, AFileThatHasComeOrGoneExplainsIt)
{
  const NameLook before(this->File);
  EXPECT_FALSE(before.Explains(Fault::Gone));
  std::ofstream(this->File) << "bytes";
  EXPECT_TRUE(before.Explains(Fault::Gone));
  const NameLook there(this->File);
  std::filesystem::remove(this->File);
  EXPECT_TRUE(there.Explains(Fault::Gone));
}

}
