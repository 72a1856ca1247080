// SPDX-License-Identifier: BSD-3-Clause
#include "Peer/SaveImage.h"

#include "Base/Error.h"
#include "Base/FileAccess.h"
#include "Base/FileDescriptor.h"
#include "Base/FileName.h"
#include "Mpi/Agreement.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <vector>

namespace dsm
{

namespace
{
// Shares begin at multiples of this: no two ranks write into one block of a file system.
constexpr std::uint64_t ShareUnit = UINT64_C(4) << 20;

[[noreturn]] void Fail(const std::string& path)
{
  throw Error(Fault::System, "cannot write {}: {}", path, SystemText(errno));
}

// The file that a name stands for, which is replaced: not a link to it.
std::string Target(const std::string& name)
{
  std::error_code none;
  const auto path = std::filesystem::canonical(name, none);
  return none ? name : path.string();
}

// A descriptor that is closed in any case.
class SavedFile
{
public:
  SavedFile(const std::string& path, int flags, mode_t mode = 0666)
    : Path(path)
    , Descriptor(open(path.c_str(), flags | O_CLOEXEC, mode))
  {
    if (this->Descriptor < 0)
    {
      Fail(path);
    }
  }
  SavedFile(const SavedFile&) = delete;
  SavedFile& operator=(const SavedFile&) = delete;
  ~SavedFile()
  {
    if (this->Descriptor >= 0)
    {
      close(this->Descriptor);
    }
  }

  void Resize(std::uint64_t size)
  {
    if (ftruncate(this->Descriptor, static_cast<off_t>(size)) != 0)
    {
      Fail(this->Path);
    }
  }

  void Write(FileOffset address, const std::byte* data, std::uint64_t size)
  {
    while (size > 0)
    {
      const ssize_t written = pwrite(this->Descriptor, data, size, static_cast<off_t>(address));
      if (written < 0 && errno != EINTR)
      {
        Fail(this->Path);
      }
      const auto done = static_cast<std::uint64_t>(std::max<ssize_t>(written, 0));
      address += done;
      data += done;
      size -= done;
    }
  }

  void Allow(const FileAccess& access) const
  {
    if (!access.ApplyTo(this->Descriptor))
    {
      Fail(this->Path);
    }
  }

  // Some file systems say only now that there is no room.
  void Close()
  {
    const int closed = close(this->Descriptor);
    this->Descriptor = -1;
    if (closed != 0)
    {
      Fail(this->Path);
    }
  }

private:
  const std::string& Path;
  int Descriptor;
};

void WriteShare(
  const Communicator& ranks, WritableImage& image, std::uint64_t fileSize, const std::string& path)
{
  const auto count = static_cast<std::uint64_t>(ranks.Size());
  const std::uint64_t units = (fileSize + ShareUnit - 1) / ShareUnit;
  const std::uint64_t share = (units + count - 1) / count * ShareUnit;
  FileOffset address(std::min(static_cast<std::uint64_t>(ranks.Rank()) * share, fileSize));
  const std::uint64_t end = std::min<std::uint64_t>(address + share, fileSize);
  SavedFile file(path, O_WRONLY);
  std::vector<std::byte> fetched;
  while (address < end)
  {
    const WritableImage::Span span = image.InPlace(address);
    std::uint64_t size = std::min(span.Size, end - address);
    const std::byte* data = span.Data;
    if (!data)
    {
      size = std::min(size, ShareUnit);
      fetched.resize(size);
      image.Read(address, fetched.data(), size);
      image.Flush();
      data = fetched.data();
    }
    file.Write(address, data, size);
    address += size;
  }
  file.Close();
}
}

void SaveImage(
  const Communicator& ranks, WritableImage& image, std::uint64_t fileSize, BytesFrom source)
{
  Agree(ranks,
    [&]
    {
      if (source == BytesFrom::OwnMemory && !image.IsMapped())
      {
        throw Error(Fault::Unsupported,
          "its bytes were in memory that only the hosts' processes reach, since it is not shared "
          "with this program");
      }
    });
  const std::string target = Target(image.FileName());
  std::optional<FileAccess> access; // of what has the name until then
  const std::string incomplete = RunOnRankZero(ranks,
    [&]
    {
      const FileDescriptor before(
        open(target.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
      access = before.IsOpen() ? FileAccess::Of(before.Get()) : std::nullopt;
      const std::string path = NameBeside(target, fmt::format(".{}.incomplete", getpid()));
      SavedFile file(path, O_WRONLY | O_CREAT | O_TRUNC, access ? 0600 : 0666);
      file.Resize(fileSize);
      file.Close();
      return path;
    });
  try
  {
    Agree(ranks,
      [&]
      {
        WriteShare(ranks, image, fileSize, incomplete);
        image.RequireKept(); // what was written was the image's
      });
    RunOnRankZero(ranks,
      [&]
      {
        if (access)
        {
          SavedFile file(incomplete, O_WRONLY);
          file.Allow(*access);
          file.Close();
        }
        if (std::rename(incomplete.c_str(), target.c_str()) != 0)
        {
          Fail(target);
        }
      });
  }
  catch (...)
  {
    if (ranks.Rank() == 0)
    {
      unlink(incomplete.c_str());
    }
    throw;
  }
}

}
