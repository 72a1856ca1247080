// SPDX-License-Identifier: BSD-3-Clause
#include "Base/Error.h"
#include "Memory/Segment.h"
#include "Smaps.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>

namespace
{

using dsm::Segment;

struct stat StateOf(const Segment& segment)
{
  int process = 0;
  int descriptor = -1;
  EXPECT_EQ(std::sscanf(segment.Name().c_str(), "%d:%d:", &process, &descriptor), 2);
  EXPECT_EQ(process, getpid());
  struct stat state = {};
  EXPECT_EQ(fstat(descriptor, &state), 0);
  return state;
}

std::uint64_t BytesOf(const Segment& segment)
{
  return static_cast<std::uint64_t>(StateOf(segment).st_blocks) * 512;
}

std::set<std::string> FilesInMemory()
{
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm"))
  {
    // Other programs come and go meanwhile, and other tests' folders.
    if (entry.path().filename().string().starts_with("dsm-") && entry.is_regular_file())
    {
      names.insert(entry.path());
    }
  }
  return names;
}

TEST(Segment, IsSharedBetweenMappings)
{
  const auto made = Segment::Create(10000);
  const auto seen = Segment::Open(made.Name(), 10000);
  EXPECT_GE(made.Size(), 10000u);
  std::memcpy(made.Data() + 5000, "hello", 6);
  EXPECT_STREQ(reinterpret_cast<const char*>(seen.Data() + 5000), "hello");
}

TEST(Segment, IsLeftOutOfCoreDumps)
{
  const Segment made = Segment::Create(UINT64_C(1) << 40);
  std::ifstream maps("/proc/self/smaps");
  const std::string begin = fmt::format("{:x}-", reinterpret_cast<std::uintptr_t>(made.Data()));
  std::string line;
  while (std::getline(maps, line) && !line.starts_with(begin))
  {
  }
  ASSERT_TRUE(line.starts_with(begin));
  while (std::getline(maps, line) && !line.starts_with("VmFlags:"))
  {
  }
  EXPECT_NE((line + " ").find(" dd "), std::string::npos) << line;
}

TEST(Segment, CostsNothingUntilTouchedAndGivesPagesBack)
{
  const std::uint64_t size = UINT64_C(1) << 40;
  const auto segment = Segment::Create(size);
  EXPECT_EQ(BytesOf(segment), 0u);
  segment.Populate(size / 2, 1 << 20);
  EXPECT_EQ(BytesOf(segment), 1u << 20);
  std::memset(segment.Data() + size / 2, 7, 1 << 20);
  segment.Zero(size / 2, 1 << 19);
  EXPECT_EQ(segment.Data()[size / 2], std::byte(0));
  EXPECT_EQ(segment.Data()[size / 2 + (1 << 19)], std::byte(7));
  segment.Release(size / 2, 1 << 20);
  EXPECT_EQ(BytesOf(segment), 0u);
  EXPECT_EQ(segment.Data()[size / 2 + (1 << 19)], std::byte(0));
}

TEST(Segment, KeepsPrivateMappingsApart)
{
  const std::uint64_t page = Segment::PageSize();
  const auto segment = Segment::Create(4 * page);
  segment.Reserve(0, 4 * page);
  std::memset(segment.Data(), 1, 4 * page);
  void* const space =
    mmap(nullptr, 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(space, MAP_FAILED);
  auto* const place = static_cast<std::byte*>(space);
  segment.MapPrivate(place, page, 2 * page);
  segment.Data()[page] = std::byte(2);
  EXPECT_EQ(place[0], std::byte(2)) << "an unwritten page is the segment's";
  place[1] = std::byte(3);
  EXPECT_EQ(segment.Data()[page + 1], std::byte(1));
  segment.Data()[page] = std::byte(4);
  EXPECT_EQ(place[0], std::byte(2)) << "a written page is this process's";
  segment.Data()[2 * page] = std::byte(5);
  EXPECT_EQ(place[page], std::byte(5)) << "its neighbour is not";
  EXPECT_THROW(segment.MapPrivate(place, page / 2, page), dsm::Error);
  munmap(space, 2 * page);
}

// Bytes of a segment that this process's page tables have as huge pages.
std::uint64_t HugeBytesOf(const Segment& segment)
{
  return dsm::testing::SmapsBytes(segment.Data(), segment.Size(), "ShmemPmdMapped");
}

// Whether this kernel makes a huge page of shared memory when it is asked to.
bool KernelMakesHugePages()
{
  const auto segment = Segment::Create(Segment::HugePage);
  segment.Reserve(0, 1);
  constexpr int collapse = 25; // MADV_COLLAPSE, which older headers do not have
  return madvise(segment.Data(), Segment::HugePage, collapse) == 0;
}

TEST(Segment, HasHugePagesWhereWholeOnesAreReserved)
{
  constexpr std::uint64_t huge = Segment::HugePage;
  if (!KernelMakesHugePages())
  {
    GTEST_SKIP() << "this kernel makes no huge pages of shared memory (Linux 6.1)";
  }
  const auto segment = Segment::Create(16 * huge);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(segment.Data()) % huge, 0u);
  segment.Populate(huge / 2, 4 * huge);
  EXPECT_EQ(BytesOf(segment), 4 * huge) << "no more than was asked for";
  EXPECT_EQ(HugeBytesOf(segment), 3 * huge);
  const auto seen = Segment::Open(segment.Name(), 16 * huge);
  seen.MapExisting(huge, 3 * huge);
  EXPECT_EQ(HugeBytesOf(seen), 3 * huge) << "in another mapping as well";
  for (std::uint64_t at = 0; at < 4 * huge; at += 4096)
  {
    ASSERT_EQ(segment.Data()[huge / 2 + at], std::byte(0));
  }
}

TEST(Segment, HasSmallPagesWhereNobodyCanWaitForHugeOnes)
{
  constexpr std::uint64_t huge = Segment::HugePage;
  const auto segment = Segment::Create(4 * huge);
  segment.Reserve(0, 4 * huge, Segment::Pages::Small);
  segment.MapExisting(0, 4 * huge);
  EXPECT_EQ(BytesOf(segment), 4 * huge);
  EXPECT_EQ(HugeBytesOf(segment), 0u);
  const auto untouched = Segment::Create(4 * huge);
  untouched.Reserve(0, 4 * huge, Segment::Pages::Small);
  untouched.Populate(0, 4 * huge);
  EXPECT_EQ(HugeBytesOf(untouched), 0u) << "nor are they copied into huge ones";
  const auto other = Segment::Create(4 * huge);
  other.Reserve(huge / 2, 3 * huge, Segment::Pages::HugeIfQuick);
  EXPECT_EQ(BytesOf(other), 3 * huge) << "whatever the kernel does";
}

TEST(Segment, WhatIsThereStaysWhenMoreIsReservedAround)
{
  constexpr std::uint64_t huge = Segment::HugePage;
  const auto segment = Segment::Create(8 * huge);
  segment.Reserve(huge, 4096);
  std::memset(segment.Data() + huge, 7, 4096);
  segment.Reserve(0, 4 * huge);
  segment.Reserve(0, 4 * huge);
  EXPECT_EQ(BytesOf(segment), 4 * huge);
  EXPECT_EQ(segment.Data()[huge + 4095], std::byte(7));
  EXPECT_EQ(segment.Data()[huge + 4096], std::byte(0));
}

// A file's end lies anywhere, and what is behind it is another's as soon as it is given back.
TEST(Segment, APartOfAHugePageIsGivenBack)
{
  constexpr std::uint64_t huge = Segment::HugePage;
  const auto segment = Segment::Create(8 * huge);
  segment.Populate(0, 4 * huge);
  std::memset(segment.Data(), 7, 4 * huge);
  segment.Release(huge + 8192, 3 * huge - 8192);
  EXPECT_EQ(BytesOf(segment), huge + 8192);
  EXPECT_EQ(segment.Data()[huge + 8191], std::byte(7));
  EXPECT_EQ(segment.Data()[huge + 8192], std::byte(0));
  EXPECT_EQ(segment.Data()[4 * huge - 1], std::byte(0));
}

// What lies before on the same page may be somebody's.
TEST(Segment, ReleasesNoPageThatBeginsBefore)
{
  const auto segment = Segment::Create(1 << 20);
  segment.Reserve(0, 1 << 20);
  std::memset(segment.Data(), 7, 1 << 20);
  segment.Release(5000, 20000);
  EXPECT_EQ(segment.Data()[4999], std::byte(7));
  EXPECT_EQ(segment.Data()[8191], std::byte(7));
  EXPECT_EQ(segment.Data()[8192], std::byte(0));
  EXPECT_EQ(segment.Data()[28671], std::byte(0));
  EXPECT_EQ(segment.Data()[28672], std::byte(7));
  segment.Release(100, 50);
  EXPECT_EQ(segment.Data()[100], std::byte(7));
}

TEST(Segment, IsPrivateToTheUser)
{
  const auto segment = Segment::Create(1);
  EXPECT_EQ(StateOf(segment).st_mode & 0777, 0600u);
  EXPECT_EQ(StateOf(segment).st_nlink, 0u) << "no name that somebody could guess";
}

// Where /dev/shm takes no files, memory comes from elsewhere.
TEST(Segment, IsPrivateWithoutAFolderForSharedMemory)
{
  constexpr int cannot = 77;
  const pid_t child = fork();
  if (child == 0)
  {
    if (unshare(CLONE_NEWNS) != 0 ||
      mount(nullptr, "/dev/shm", nullptr, MS_PRIVATE, nullptr) != 0 ||
      mount("none", "/dev/shm", "tmpfs", MS_RDONLY, nullptr) != 0)
    {
      _exit(cannot);
    }
    const auto segment = Segment::Create(1);
    _exit((StateOf(segment).st_mode & 0777) == 0600 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == cannot)
  {
    GTEST_SKIP()
      << "it takes a folder for shared memory that is read-only, which only root can make";
  }
  EXPECT_EQ(status, 0);
}

TEST(Segment, VanishesWithItsOwnerAndSaysSo)
{
  std::string name;
  {
    const auto segment = Segment::Create(1);
    name = segment.Name();
  }
  try
  {
    Segment::Open(name, 1);
    FAIL();
  }
  catch (const dsm::Error& error)
  {
    EXPECT_EQ(error.GetFault(), dsm::Fault::NoServer);
    EXPECT_NE(std::string(error.what()).find(name), std::string::npos);
  }
}

TEST(Segment, StaysForWhoMapsItAndLeavesNothingWhateverEndsItsOwner)
{
  const auto before = FilesInMemory();
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  const pid_t child = fork();
  if (child == 0)
  {
    const auto lost = Segment::Create(1 << 20);
    lost.Populate(0, 1 << 20);
    std::memcpy(lost.Data(), "hello", 6);
    if (write(pipe[1], lost.Name().c_str(), lost.Name().size() + 1) > 0)
    {
      pause();
    }
    _exit(1);
  }
  char name[256] = "";
  ASSERT_GT(read(pipe[0], name, sizeof name), 0);
  const auto seen = Segment::Open(name, 1 << 20);
  EXPECT_EQ(FilesInMemory(), before);
  ASSERT_EQ(kill(child, SIGKILL), 0);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  close(pipe[0]);
  close(pipe[1]);
  EXPECT_STREQ(reinterpret_cast<const char*>(seen.Data()), "hello");
  EXPECT_EQ(FilesInMemory(), before);
  EXPECT_THROW(Segment::Open(name, 1 << 20), dsm::Error);
}

TEST(Segment, AnotherFileWithItsNumberIsNotTakenForIt)
{
  const auto segment = Segment::Create(4096);
  const std::string& name = segment.Name();
  EXPECT_NO_THROW(Segment::Open(name, 4096));
  const std::string other = name.substr(0, name.rfind(':')) + ":1";
  EXPECT_THROW(Segment::Open(other, 4096), dsm::Error);
  EXPECT_THROW(Segment::Open("/dsm.0.1.0", 4096), dsm::Error);
}

// What was reserved can be touched whatever happens to the rest of the memory.
TEST(Segment, ReservesPagesOrSaysThatThereAreNone)
{
  const std::uint64_t size = UINT64_C(1) << 42;
  const auto segment = Segment::Create(size);
  segment.Reserve(size / 2, 3 << 20);
  EXPECT_EQ(BytesOf(segment), 3u << 20);
  try
  {
    segment.Reserve(0, size / 4);
    FAIL();
  }
  catch (const dsm::Error& error)
  {
    EXPECT_EQ(error.GetFault(), dsm::Fault::System);
    EXPECT_NE(std::string(error.what()).find("1 TiB"), std::string::npos) << error.what();
  }
  EXPECT_EQ(BytesOf(segment), 3u << 20) << "a refusal takes nothing";
}

// Whoever did, and in whichever process.
TEST(Segment, TellsPagesThatNobodyHasTouched)
{
  constexpr std::uint64_t Size = 1 << 20;
  const auto segment = Segment::Create(Size);
  segment.Reserve(0, Size, Segment::Pages::Small);
  const auto seen = Segment::Open(segment.Name(), Size);
  EXPECT_TRUE(segment.IsUntouched(0));
  EXPECT_TRUE(seen.IsUntouched(Size - 1));
  segment.Data()[5000] = std::byte(1);
  EXPECT_FALSE(segment.IsUntouched(4096));
  EXPECT_FALSE(seen.IsUntouched(8191));
  EXPECT_TRUE(seen.IsUntouched(8192));
  EXPECT_TRUE(seen.IsUntouched(4095));
  // As Populate does, which must not change what is there.
  seen.MapExisting(0, Size);
  EXPECT_FALSE(segment.IsUntouched(Size / 2));
  EXPECT_EQ(segment.Data()[5000], std::byte(1));
  segment.Release(0, Size);
  segment.Reserve(0, Size, Segment::Pages::Small);
  EXPECT_TRUE(seen.IsUntouched(4096));
  EXPECT_EQ(seen.Data()[5000], std::byte(0));
}

TEST(Segment, AForkedChildLeavesItAlone)
{
  std::optional<Segment> made = Segment::Create(10000);
  const pid_t child = fork();
  if (child == 0)
  {
    made.reset();
    _exit(0);
  }
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  const auto seen = Segment::Open(made->Name(), 10000);
  std::memcpy(made->Data(), "hello", 6);
  EXPECT_STREQ(reinterpret_cast<const char*>(seen.Data()), "hello");
}

}
