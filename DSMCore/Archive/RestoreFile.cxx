// SPDX-License-Identifier: BSD-3-Clause
#include "Archive/RestoreFile.h"

#include "Archive/Subfiles.h"
#include "Base/Error.h"
#include "Base/FileDescriptor.h"
#include "Mapping/Stripes.h"
#include "Mpi/Communicator.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

namespace dsm
{

namespace
{
constexpr std::uint64_t Step = UINT64_C(8) << 20;

// A file that is there, plain or in subfiles.
class Source
{
public:
  explicit Source(const std::string& path)
  {
    const auto subfiles = Subfiles::Of(path);
    const auto paths = subfiles ? subfiles->Paths : std::vector<std::string>{ path };
    for (const std::string& one : paths)
    {
      this->Files.push_back(
        std::make_unique<FileDescriptor>(open(one.c_str(), O_RDONLY | O_CLOEXEC)));
      this->Paths.push_back(one);
      if (!this->Files.back()->IsOpen())
      {
        this->Fail(this->Paths.size() - 1);
      }
    }
    this->Size = subfiles ? subfiles->FileSize() : this->SizeOfOnly();
    this->Stripes =
      StripesOver(this->Files.size(), subfiles ? subfiles->StripeSize : 0, this->Size);
  }

  std::uint64_t FileSize() const { return this->Size; }

  void Read(std::uint64_t address, std::byte* destination, std::uint64_t size) const
  {
    this->Stripes.ForEachRun(address, size,
      [&](std::uint64_t file, std::uint64_t offset, std::uint64_t position, std::uint64_t length)
      {
        for (std::uint64_t done = 0; done < length;)
        {
          const ssize_t got = pread(this->Files[file]->Get(), destination + position + done,
            length - done, static_cast<off_t>(offset + done));
          if (got < 0 && errno != EINTR)
          {
            this->Fail(file);
          }
          if (got == 0)
          {
            throw Error(Fault::System, "{} became shorter while it was read", this->Paths[file]);
          }
          done += static_cast<std::uint64_t>(std::max<ssize_t>(got, 0));
        }
      });
  }

private:
  std::uint64_t SizeOfOnly() const
  {
    struct stat status = {};
    if (fstat(this->Files.front()->Get(), &status) != 0)
    {
      this->Fail(0);
    }
    return static_cast<std::uint64_t>(status.st_size);
  }

  [[noreturn]] void Fail(std::uint64_t file) const
  {
    const int why = errno;
    throw Error(Fault::System, "cannot read {}: {}", this->Paths[file], SystemText(why));
  }

  std::vector<std::unique_ptr<FileDescriptor>> Files;
  std::vector<std::string> Paths;
  std::uint64_t Size = 0;
  AddressMap Stripes;
};
}

std::uint64_t RestoreFile(const std::shared_ptr<Connection>& server, const std::string& path,
  const std::string& name, const RestoreSteps& steps)
{
  const Source source(path);
  const std::uint64_t size = source.FileSize();
  if (size == 0)
  {
    throw Error(Fault::Usage,
      "{} is empty: where it is the stub of a file in subfiles, its configuration is not beside it",
      path);
  }
  const Communicator alone = Communicator::Single();
  const auto image = WritableImage::Begin(alone, server, name);
  if (steps.Begun)
  {
    steps.Begun(*image);
  }
  std::vector<std::byte> buffer(std::min(Step, size));
  for (std::uint64_t address = 0; address < size;)
  {
    const std::uint64_t now = std::min<std::uint64_t>(buffer.size(), size - address);
    source.Read(address, buffer.data(), now);
    image->Write(address, buffer.data(), now);
    image->Flush(); // the buffer is used again
    address += now;
    if (steps.Read)
    {
      steps.Read(now);
    }
  }
  return image->SealCompleted(size, image->Complete({}),
    [&]
    {
      if (steps.Sealed)
      {
        steps.Sealed(*image);
      }
    });
}

}
