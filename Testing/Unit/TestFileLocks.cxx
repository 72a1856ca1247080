// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/FileLocks.h"

#include <gtest/gtest.h>

#include <string>

namespace
{

using dsm::FileLocks;

FileLocks::File Named(const std::string& name)
{
  return { {}, name };
}

FileLocks::File OnDisk(const std::string& identity, const std::string& name)
{
  return { identity, name };
}

TEST(FileLocks, OneImageHoldsTheLockOfAFile)
{
  FileLocks locks;
  EXPECT_EQ(locks.HolderOf(OnDisk("7/1", "/a.h5")), 0u);
  locks.Enter(3, OnDisk("7/1", "/a.h5"), 0, true);
  EXPECT_EQ(locks.HolderOf(OnDisk("7/1", "/a.h5")), 3u);
  EXPECT_EQ(locks.HolderOf(OnDisk("8/1", "/b.h5")), 0u);
  locks.Release(3);
  EXPECT_EQ(locks.HolderOf(OnDisk("7/1", "/a.h5")), 0u);
  locks.Release(3);
}

TEST(FileLocks, ALockFollowsARenamedFile)
{
  FileLocks locks;
  locks.Enter(3, OnDisk("7/1", "/a.h5"), 0, true);
  EXPECT_EQ(locks.HolderOf(OnDisk("7/1", "/renamed.h5")), 3u);
  EXPECT_EQ(locks.HolderOf(OnDisk("8/1", "/a.h5")), 0u) << "the next file of the name";
  locks.Enter(4, OnDisk("8/1", "/a.h5"), 0, true);
  locks.Release(3);
  EXPECT_EQ(locks.HolderOf(OnDisk("8/1", "/a.h5")), 4u);
  EXPECT_EQ(locks.HolderOf(OnDisk("7/1", "/renamed.h5")), 0u);
}

TEST(FileLocks, TheNameIsTheFileIfNothingStandsOnDisk)
{
  FileLocks locks;
  locks.Enter(3, Named("/a.h5"), 0, true);
  EXPECT_EQ(locks.HolderOf(Named("/a.h5")), 3u);
  EXPECT_EQ(locks.HolderOf(Named("/b.h5")), 0u);
  EXPECT_EQ(locks.HolderOf(OnDisk("7/1", "/a.h5")), 3u) << "nobody knows of another file";
  locks.Release(3);
  locks.Enter(4, OnDisk("7/1", "/a.h5"), 0, true);
  EXPECT_EQ(locks.HolderOf(Named("/a.h5")), 4u);
}

TEST(FileLocks, AFileThatTheServerHasPutOnDiskIsKnownByItsFamily)
{
  FileLocks locks;
  locks.Enter(3, { "7/1", "/a.h5", 5 }, 5, true);
  EXPECT_EQ(locks.HolderOf({ "9/1", "/a.h5", 5, true }), 3u);
  EXPECT_EQ(locks.HolderOf({ "9/1", "/copy.h5", 5, false }), 0u) << "a copy is another file";
  EXPECT_EQ(locks.HolderOf({ "9/1", "/b.h5", 6, true }), 0u);
}

TEST(FileLocks, AFileIsKnownByItsFamilyOnceItHasOne)
{
  FileLocks locks;
  locks.Enter(3, OnDisk("7/1", "/a.h5"), 0, true);
  locks.NoteVersion(3, 5, 5);
  EXPECT_EQ(locks.HolderOf({ "9/1", "/a.h5", 5, true }), 3u);
  locks.Release(3);
  EXPECT_EQ(locks.HolderOf({ "9/1", "/a.h5", 5, true }), 0u);
}

TEST(FileLocks, WhatTheServerPutsInPlaceOfAFileIsThatFile)
{
  FileLocks locks;
  locks.NotePut({ {}, "9/1", {} });
  locks.Enter(3, OnDisk("7/1", "/a.h5"), 0, true);
  locks.NotePut({ {}, "8/1", "7/1" });
  locks.NotePut({ {}, "9/1", "8/1" });
  EXPECT_EQ(locks.HolderOf(OnDisk("9/1", "/a.h5")), 3u);
  EXPECT_EQ(locks.ImagesOf("8/1").size(), 1u);
  locks.NoteVersion(3, 5, 0);
  locks.Release(3);
  locks.Enter(4, OnDisk("9/1", "/a.h5"), 5, true);
  locks.NoteVersion(4, 6, 0);
  EXPECT_EQ(locks.NewestOf("7/1"), 6u);
  EXPECT_EQ(locks.NewestOf("8/1"), 6u);
  EXPECT_EQ(locks.HolderOf(OnDisk("7/1", "/b.h5")), 4u);
  EXPECT_EQ(locks.NewestOf("10/1"), 0u) << "a copy is another file";
}

TEST(FileLocks, AnImageWithoutALockHoldsNone)
{
  FileLocks locks;
  locks.Enter(3, OnDisk("7/1", "/a.h5"), 0, false);
  EXPECT_EQ(locks.HolderOf(OnDisk("7/1", "/a.h5")), 0u);
  locks.Enter(4, OnDisk("7/1", "/a.h5"), 0, true);
  locks.Release(3);
  EXPECT_EQ(locks.HolderOf(OnDisk("7/1", "/a.h5")), 4u);
}

TEST(FileLocks, TheNewestVersionIsKnownWithoutAnImage)
{
  FileLocks locks;
  locks.Enter(3, OnDisk("7/1", "/a.h5"), 2, true);
  EXPECT_EQ(locks.BaseOf(3), 2u);
  EXPECT_EQ(locks.NewestOf("7/1"), 0u);
  locks.NoteVersion(3, 5, 0);
  EXPECT_EQ(locks.BaseOf(3), 5u);
  EXPECT_EQ(locks.FileOf(3)->Name, "/a.h5");
  locks.Release(3);
  EXPECT_EQ(locks.BaseOf(3), 0u);
  EXPECT_EQ(locks.FileOf(3), nullptr);
  EXPECT_EQ(locks.NewestOf("7/1"), 5u);
  EXPECT_EQ(locks.NewestOf(""), 0u);
}

TEST(FileLocks, TheFirstOfManyFilesAreForgotten)
{
  FileLocks locks;
  constexpr std::uint64_t Many = 65536 + 10;
  for (std::uint64_t file = 1; file <= Many; ++file)
  {
    locks.Enter(dsm::ImageId(file), OnDisk(std::to_string(file), "/a.h5"), 0, true);
    locks.NoteVersion(dsm::ImageId(file), dsm::SnapshotId(file), 0);
    locks.Release(dsm::ImageId(file));
  }
  EXPECT_EQ(locks.NewestOf("1"), 0u);
  EXPECT_EQ(locks.NewestOf("11"), 11u);
  EXPECT_EQ(locks.NewestOf(std::to_string(Many)), Many);
}

}
