// SPDX-License-Identifier: BSD-3-Clause
#include "Archive/RestoreFile.h"

#include "Archive/PartMark.h"
#include "Archive/Subfiles.h"
#include "Base/Error.h"
#include "Base/FileDescriptor.h"
#include "Base/FileName.h"
#include "Base/Hdf5Signature.h"
#include "Driver/Placeholder.h"
#include "Mapping/Stripes.h"
#include "Mpi/Communicator.h"
#include "Peer/WritableImage.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
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
  std::optional<FileAccess> Access() const { return FileAccess::Of(this->Files.front()->Get()); }

  void Read(FileOffset address, std::byte* destination, std::uint64_t size) const
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

// Whether programs that look for a name on disk find a file of its own there, which is to stay. One
// that is not the file which is brought back would be read in its place.
bool HasOwnFile(const std::string& name, const std::string& source)
{
  namespace fs = std::filesystem;
  std::error_code none;
  if (!fs::exists(name, none) || Placeholder::Read(name))
  {
    return false;
  }
  if (!fs::equivalent(name, source, none))
  {
    throw Error(Fault::Usage,
      "there is another file {} on disk, and programs would read that: take another name, or move "
      "it away",
      name);
  }
  return true;
}

// Whether a text stands in a file, which is read in pieces that overlap by its length.
bool Has(const Source& source, const std::string& text)
{
  std::vector<std::byte> buffer(std::min(Step, source.FileSize()));
  for (FileOffset address = 0; address + text.size() <= source.FileSize();
    address += buffer.size() - std::min(buffer.size() - 1, text.size()))
  {
    const auto now = std::min<std::uint64_t>(buffer.size(), source.FileSize() - address);
    source.Read(address, buffer.data(), now);
    if (memmem(buffer.data(), now, text.data(), text.size()))
    {
      return true;
    }
  }
  return false;
}

// The values of a master over virtual datasets are in files beside it, which it finds by their
// names: not from the memory.
void RequireNoMaster(const Source& source, const std::string& path)
{
  namespace fs = std::filesystem;
  const fs::path master(AbsoluteName(path));
  const std::string beginning = master.filename().string() + PartMark;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(master.parent_path(), none))
  {
    const std::string part = entry.path().filename();
    if (part.starts_with(beginning) && Has(source, part))
    {
      throw Error(Fault::Usage,
        "{} is a master over other files, as {}, which have its values: bring it back with "
        "dsm-archive --restore, which makes one file of them",
        path, part);
    }
  }
}

void Fill(WritableImage& image, const Source& source, const RestoreProgress& progress)
{
  const std::uint64_t size = source.FileSize();
  std::vector<std::byte> buffer(std::min(Step, size));
  for (FileOffset address = 0; address < size;)
  {
    const std::uint64_t now = std::min<std::uint64_t>(buffer.size(), size - address);
    source.Read(address, buffer.data(), now);
    image.Write(address, buffer.data(), now);
    image.Flush(); // the buffer is used again
    address += now;
    if (progress)
    {
      progress(address, size);
    }
  }
}
}

SnapshotId RestoreFile(const std::shared_ptr<Connection>& server, const std::string& path,
  const std::string& name, const RestoreProgress& progress, const std::string& contents)
{
  const std::string called = AbsoluteName(name.empty() ? path : name);
  const bool stays = HasOwnFile(called, path);
  if (const auto placeholder = Placeholder::Read(path))
  {
    throw Error(Fault::Usage,
      "{} is no file but a placeholder: what it stands for is or was in the memory of a server, as "
      "snapshot {}",
      path, placeholder->Address.Number);
  }
  const Source source(contents.empty() ? path : contents);
  if (contents.empty())
  {
    RequireNoMaster(source, path);
  }
  const std::uint64_t size = source.FileSize();
  if (size == 0)
  {
    throw Error(Fault::Usage,
      "{} is empty: where it is the stub of a file in subfiles, its configuration is not beside it",
      path);
  }
  const auto read = [&](FileOffset address, std::byte* to, std::uint64_t bytes)
  { source.Read(address, to, bytes); };
  if (!UserBlockSize(size, read))
  {
    throw Error(
      Fault::Usage, "{} is no HDF5 file, and none that programs would find in memory", path);
  }
  const Communicator alone = Communicator::Single();
  const auto image = WritableImage::Begin(alone, server, called);
  std::unique_ptr<Placeholder> left;
  if (!stays)
  {
    PlaceholderAddress address{ server->ContactPath(), server->GetContact().ServerPublicKey };
    address.Image = image->ImageNumber();
    left = std::make_unique<Placeholder>(called);
    left->Put(address);
    image->NoteName({ true, left->Before(), source.Access() });
  }
  Fill(*image, source, progress);
  const SnapshotId number = image->SealCompleted(size, image->Complete({}),
    [&]
    {
      if (left && image->SnapshotNumber() != 0)
      {
        left->Tell(image->SnapshotNumber(), size, image->Place(size));
      }
    });
  if (number == 0)
  {
    throw Error(Fault::RingFull,
      "the server does not keep {}: its memory is full of snapshots that nobody has read, which it "
      "keeps (drop newest)",
      called);
  }
  return number;
}

}
