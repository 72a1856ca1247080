// SPDX-License-Identifier: BSD-3-Clause
#include "Base/FileAccess.h"

#include "Base/FileDescriptor.h"

#include <gtest/gtest.h>

#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace
{

using dsm::FileAccess;
using dsm::FileDescriptor;
namespace fs = std::filesystem;

class FileAccessTest : public testing::Test
{
protected:
  FileAccessTest() { fs::create_directories(this->Folder); }
  ~FileAccessTest() override { fs::remove_all(this->Folder); }

  FileDescriptor Made(const char* name, mode_t mode) const
  {
    const int file = open((this->Folder / name).c_str(), O_RDWR | O_CREAT, 0600);
    fchmod(file, mode);
    return FileDescriptor(file);
  }

  static mode_t ModeOf(const FileDescriptor& file)
  {
    struct stat status = {};
    fstat(file.Get(), &status);
    return status.st_mode & 07777;
  }

  const fs::path Folder =
    fs::temp_directory_path() / ("dsm-file-access." + std::to_string(getpid()));
};

TEST_F(FileAccessTest, IsGivenToAnotherFile)
{
  const FileDescriptor one = this->Made("one", 0640);
  const FileDescriptor other = this->Made("other", 0666);
  const auto access = FileAccess::Of(one.Get());
  ASSERT_TRUE(access);
  EXPECT_EQ(access->Mode, 0640u);
  ASSERT_TRUE(access->ApplyTo(other.Get()));
  EXPECT_EQ(ModeOf(other), 0640u);
  EXPECT_EQ(FileAccess::Of(other.Get()), access);
}

TEST_F(FileAccessTest, ChangesNobodysIdentity)
{
  const FileDescriptor one = this->Made("one", 06755);
  EXPECT_EQ(FileAccess::Of(one.Get())->Mode, 0755u);
  const FileAccess wild{ 07777, std::nullopt, {} };
  ASSERT_TRUE(wild.ApplyTo(one.Get()));
  EXPECT_EQ(ModeOf(one), 0777u);
}

TEST_F(FileAccessTest, AllowsAGroupThatTheFileCannotHaveNoMoreThanOthers)
{
  if (getuid() == 0)
  {
    GTEST_SKIP() << "this user may give files to all groups";
  }
  const FileDescriptor one = this->Made("one", 0600);
  const FileAccess foreign{ 0664, 4294967, {} };
  ASSERT_TRUE(foreign.ApplyTo(one.Get()));
  EXPECT_EQ(ModeOf(one), 0644u);
}

TEST_F(FileAccessTest, AllowsTheGroupNoMoreThanOthersIfThereCanBeNoList)
{
  const FileDescriptor one = this->Made("one", 0600);
  const FileAccess broken{ 0664, std::nullopt, { 1, 2, 3 } };
  ASSERT_TRUE(broken.ApplyTo(one.Get()));
  EXPECT_EQ(ModeOf(one), 0644u);
}

TEST_F(FileAccessTest, OfNewFilesIsTheMasks)
{
  const mode_t before = umask(027);
  const auto access = FileAccess::OfNewFiles();
  umask(before);
  ASSERT_TRUE(access);
  EXPECT_EQ(access->Mode, 0640u);
  EXPECT_FALSE(access->Group);
}

}
