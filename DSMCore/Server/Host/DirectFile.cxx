// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Host/DirectFile.h"

#include "Base/Error.h"
#include "Base/NodeIdentity.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace dsm
{

namespace
{
// What disks want places in memory and in a file to be multiples of: no disk wants more.
constexpr std::uint64_t Page = 4096;
// A disk that gets less at a time, and is waited for each time, is slower than the system's copies.
constexpr std::uint64_t LongRun = UINT64_C(1) << 20;

[[noreturn]] void Fail()
{
  const int why = errno;
  throw Error(Fault::System, "{} (on {})", SystemText(why), MachineName());
}

bool IsAligned(std::uint64_t place)
{
  return place % Page == 0;
}
}

DirectFile::DirectFile(const FileOnDisk& file)
  : Copied(open(file.Path.c_str(), O_WRONLY | O_CLOEXEC))
{
  const int why = this->Copied.IsOpen() ? 0 : errno;
  struct stat status = {};
  if (why != 0 || fstat(this->Copied.Get(), &status) != 0 ||
    std::uint64_t{ status.st_ino } != file.Inode)
  {
    // Where the file is, whoever may have made it: by the machines' users the same.
    throw Error(Fault::Unsupported, "{} does not have the file that is to be written{}",
      MachineName(), why == 0 || why == ENOENT ? "" : fmt::format(" ({})", SystemText(why)));
  }
  if (S_ISREG(status.st_mode))
  {
    const std::string again = fmt::format("/proc/self/fd/{}", this->Copied.Get());
    this->Direct =
      std::make_unique<FileDescriptor>(open(again.c_str(), O_WRONLY | O_DIRECT | O_CLOEXEC));
  }
}

std::uint64_t DirectFile::Write(std::uint64_t offset, const std::byte* source, std::uint64_t size)
{
  if (const std::uint64_t done = this->WritePages(offset, source, size))
  {
    return done;
  }
  const ssize_t written = pwrite(this->Copied.Get(), source, size, static_cast<off_t>(offset));
  if (written < 0 && errno != EINTR)
  {
    Fail();
  }
  return static_cast<std::uint64_t>(std::max<ssize_t>(written, 0));
}

// Returns 0 where these bytes cannot be written so.
std::uint64_t DirectFile::WritePages(
  std::uint64_t offset, const std::byte* source, std::uint64_t size)
{
  const auto place =
    reinterpret_cast<std::uintptr_t>(source); // NOLINT: to see whether it is a page
  if (!this->Direct || !this->Direct->IsOpen() || size < LongRun || !IsAligned(offset) ||
    !IsAligned(place))
  {
    return 0;
  }
  const ssize_t written =
    pwrite(this->Direct->Get(), source, size - size % Page, static_cast<off_t>(offset));
  if (written < 0 && errno == EINVAL)
  {
    this->Direct.reset(); // it could be opened so, and no more
  }
  else if (written < 0 && errno != EINTR)
  {
    Fail();
  }
  return static_cast<std::uint64_t>(std::max<ssize_t>(written, 0));
}

void DirectFile::Close()
{
  if (this->Copied.Close() != 0)
  {
    Fail();
  }
}

}
