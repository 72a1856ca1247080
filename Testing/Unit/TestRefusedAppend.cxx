// SPDX-License-Identifier: BSD-3-Clause
#include "Base/FileDescriptor.h"
#include "Driver/RefusedAppend.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>

namespace
{

namespace refusedappend = dsm::refusedappend;

const std::string Locked = "unable to lock /sim/a.h5 (errno = 11, error message = 'busy')";

TEST(RefusedAppend, IsTheReasonOfTheNextCreationOfTheSameFile)
{
  refusedappend::Note("/sim/a.h5", Locked);
  EXPECT_EQ(refusedappend::Reason("/sim/a.h5", true), Locked);
  EXPECT_EQ(refusedappend::Reason("/sim/a.h5", true), std::nullopt) << "once";
  refusedappend::Note("/sim/a.h5", Locked);
  EXPECT_EQ(refusedappend::Reason("/sim/b.h5", true), std::nullopt);
  refusedappend::Note("/sim/a.h5", Locked);
  refusedappend::Forget();
  EXPECT_EQ(refusedappend::Reason("/sim/a.h5", true), std::nullopt);
}

TEST(RefusedAppend, IsALocksAffair)
{
  refusedappend::Note("/sim/a.h5", "no permission (errno = 13, error message = 'denied')");
  EXPECT_EQ(refusedappend::Reason("/sim/a.h5", true), std::nullopt);
  refusedappend::Note("/sim/a.h5", "errno = 110, error message = 'timed out'");
  EXPECT_EQ(refusedappend::Reason("/sim/a.h5", true), std::nullopt);
}

TEST(RefusedAppend, IsAThreadsOwn)
{
  refusedappend::Note("/sim/a.h5", Locked);
  std::optional<std::string> reason;
  std::thread([&] { reason = refusedappend::Reason("/sim/a.h5", true); }).join();
  EXPECT_EQ(reason, std::nullopt);
  EXPECT_EQ(refusedappend::Reason("/sim/a.h5", true), Locked);
}

TEST(RefusedAppend, LooksAtTheLockOfAFileOnDisk)
{
  std::string path = std::filesystem::temp_directory_path() / "dsm-append-XXXXXX";
  const dsm::FileDescriptor file(mkstemp(path.data()));
  ASSERT_TRUE(file.IsOpen());
  const auto reason = [&](bool locks)
  {
    refusedappend::Note(path, {});
    return refusedappend::Reason(path, locks).value_or("");
  };
  EXPECT_EQ(reason(true), "");
  for (const int kind : { LOCK_SH, LOCK_EX })
  {
    ASSERT_EQ(0, flock(file.Get(), kind));
    EXPECT_NE(reason(true).find("errno = 11,"), std::string::npos);
    EXPECT_EQ(reason(false), "");
  }
  ASSERT_EQ(0, flock(file.Get(), LOCK_UN));
  EXPECT_EQ(reason(true), "");
  std::filesystem::remove(path);
}

// A creation behind that meets a file that exists, whoever writes it.
TEST(RefusedAppend, AFileThatIsRemovedAndMadeAnewIsAnother)
{
  std::string path = std::filesystem::temp_directory_path() / "dsm-append-XXXXXX";
  const dsm::FileDescriptor first(mkstemp(path.data()));
  ASSERT_TRUE(first.IsOpen());
  refusedappend::Note(path, {});
  std::filesystem::remove(path);
  const dsm::FileDescriptor second(open(path.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600));
  ASSERT_TRUE(second.IsOpen());
  ASSERT_EQ(0, flock(second.Get(), LOCK_EX));
  EXPECT_EQ(refusedappend::Reason(path, true), std::nullopt);
  std::filesystem::remove(path);
}

}
