// SPDX-License-Identifier: BSD-3-Clause
#include "Archive/SaveSnapshot.h"

#include "Base/Error.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <vector>

namespace dsm
{

namespace
{
constexpr std::uint64_t Step = UINT64_C(8) << 20;

[[noreturn]] void Fail(const std::string& path, const std::string& temporary, int descriptor)
{
  const int reason = errno;
  if (descriptor >= 0)
  {
    close(descriptor);
    unlink(temporary.c_str());
  }
  throw Error(Fault::System, "cannot save a snapshot as {}: {}", path, SystemText(reason));
}
}

void SaveSnapshot(const SnapshotView& snapshot, const std::string& path)
{
  const std::string temporary = path + ".part";
  const int descriptor = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0)
  {
    Fail(path, temporary, -1);
  }
  const std::uint64_t fileSize = snapshot.Description().FileSize;
  std::vector<std::byte> buffer(std::min(Step, fileSize));
  for (std::uint64_t address = 0; address < fileSize;)
  {
    const std::uint64_t size = std::min(Step, fileSize - address);
    const std::byte* source = snapshot.Direct(address, size);
    if (!source)
    {
      snapshot.Read(address, buffer.data(), size);
      source = buffer.data();
    }
    const ssize_t written = write(descriptor, source, size);
    if (written < 0 && errno != EINTR)
    {
      Fail(path, temporary, descriptor);
    }
    // What a short write left over is read again.
    address += static_cast<std::uint64_t>(std::max<ssize_t>(written, 0));
  }
  if (close(descriptor) != 0 || std::rename(temporary.c_str(), path.c_str()) != 0)
  {
    const int reason = errno;
    unlink(temporary.c_str());
    errno = reason;
    Fail(path, temporary, -1);
  }
}

}
