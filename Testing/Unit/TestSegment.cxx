// SPDX-License-Identifier: BSD-3-Clause
#include "Base/Error.h"
#include "Memory/Segment.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace
{

using dsm::Segment;

std::uint64_t PagesOf(const std::string& name)
{
  struct stat state = {};
  return stat(("/dev/shm" + name).c_str(), &state) == 0
    ? static_cast<std::uint64_t>(state.st_blocks) * 512
    : 0;
}

TEST(Segment, IsSharedBetweenMappings)
{
  const auto made = Segment::Create(Segment::UniqueName(), 10000);
  const auto seen = Segment::Open(made.Name(), 10000);
  EXPECT_GE(made.Size(), 10000u);
  std::memcpy(made.Data() + 5000, "hello", 6);
  EXPECT_STREQ(reinterpret_cast<const char*>(seen.Data() + 5000), "hello");
}

TEST(Segment, CostsNothingUntilTouchedAndGivesPagesBack)
{
  const std::uint64_t size = UINT64_C(1) << 40;
  const auto segment = Segment::Create(Segment::UniqueName(), size);
  EXPECT_EQ(PagesOf(segment.Name()), 0u);
  segment.Populate(size / 2, 1 << 20);
  EXPECT_EQ(PagesOf(segment.Name()), 1u << 20);
  std::memset(segment.Data() + size / 2, 7, 1 << 20);
  segment.Zero(size / 2, 1 << 19);
  EXPECT_EQ(segment.Data()[size / 2], std::byte(0));
  EXPECT_EQ(segment.Data()[size / 2 + (1 << 19)], std::byte(7));
  segment.Release(size / 2, 1 << 20);
  EXPECT_EQ(PagesOf(segment.Name()), 0u);
  EXPECT_EQ(segment.Data()[size / 2 + (1 << 19)], std::byte(0));
}

TEST(Segment, IsPrivateToTheUser)
{
  const auto segment = Segment::Create(Segment::UniqueName(), 1);
  struct stat state = {};
  ASSERT_EQ(stat(("/dev/shm" + segment.Name()).c_str(), &state), 0);
  EXPECT_EQ(state.st_mode & 0777, 0600u);
}

TEST(Segment, VanishesWithItsOwnerAndSaysSo)
{
  std::string name;
  {
    const auto segment = Segment::Create(Segment::UniqueName(), 1);
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

TEST(Segment, ACrashedOwnersSegmentIsRemovedAndALivingOnesIsNot)
{
  const auto living = Segment::Create(Segment::UniqueName(), 4096);
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  const pid_t child = fork();
  if (child == 0)
  {
    auto* lost = new Segment(Segment::Create(Segment::UniqueName(), 4096));
    const auto& name = lost->Name();
    const auto written = write(pipe[1], name.c_str(), name.size() + 1);
    _exit(written > 0 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  char name[256] = "";
  ASSERT_GT(read(pipe[0], name, sizeof name), 0);
  close(pipe[0]);
  close(pipe[1]);
  ASSERT_EQ(access((std::string("/dev/shm") + name).c_str(), F_OK), 0);
  EXPECT_GE(Segment::RemoveStale(), 1);
  EXPECT_NE(access((std::string("/dev/shm") + name).c_str(), F_OK), 0);
  EXPECT_NO_THROW(Segment::Open(living.Name(), 4096));
}

TEST(Segment, AForkedChildLeavesItAlone)
{
  std::optional<Segment> made = Segment::Create(Segment::UniqueName(), 10000);
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

TEST(Segment, TwoCannotHaveOneName)
{
  const auto segment = Segment::Create(Segment::UniqueName(), 1);
  EXPECT_THROW(Segment::Create(segment.Name(), 1), dsm::Error);
}

}
