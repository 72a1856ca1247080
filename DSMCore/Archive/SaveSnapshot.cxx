// SPDX-License-Identifier: BSD-3-Clause
#include "Archive/SaveSnapshot.h"

#include "Base/Error.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <utility>
#include <vector>

namespace dsm
{

namespace
{
constexpr std::uint64_t Step = UINT64_C(8) << 20;

// A file that has its name only once it is whole; without that nothing is left of it. Where the
// file system can, it has no name before: so also when this process is killed.
class NewFile
{
public:
  explicit NewFile(const std::string& path)
    : Path(path)
    , Temporary(path + ".part")
    , Descriptor(open(FolderOf(path).c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666))
    , Nameless(this->Descriptor >= 0)
  {
    if (!this->Nameless)
    {
      this->Descriptor =
        open(this->Temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    }
    if (this->Descriptor < 0)
    {
      this->Fail();
    }
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  ~NewFile()
  {
    if (this->Descriptor >= 0)
    {
      close(this->Descriptor);
    }
    if (!this->Finished && !this->Nameless)
    {
      unlink(this->Temporary.c_str());
    }
  }

  // Returns how many bytes it took.
  std::uint64_t Write(const std::byte* source, std::uint64_t size) const
  {
    const ssize_t written = write(this->Descriptor, source, size);
    if (written < 0 && errno != EINTR)
    {
      this->Fail();
    }
    return static_cast<std::uint64_t>(std::max<ssize_t>(written, 0));
  }

  void Finish()
  {
    if (this->Nameless)
    {
      this->Name();
    }
    if (close(std::exchange(this->Descriptor, -1)) != 0 ||
      std::rename(this->Temporary.c_str(), this->Path.c_str()) != 0)
    {
      this->Fail();
    }
    this->Finished = true;
  }

private:
  static std::string FolderOf(const std::string& path)
  {
    const auto folder = std::filesystem::path(path).parent_path();
    return folder.empty() ? "." : folder.string();
  }

  // A link cannot take the place of another file, as a name that is changed does.
  void Name()
  {
    const std::string open = fmt::format("/proc/self/fd/{}", this->Descriptor);
    unlink(this->Temporary.c_str());
    if (linkat(AT_FDCWD, open.c_str(), AT_FDCWD, this->Temporary.c_str(), AT_SYMLINK_FOLLOW) != 0)
    {
      this->Fail();
    }
    this->Nameless = false;
  }

  [[noreturn]] void Fail() const
  {
    throw Error(Fault::System, "cannot save a snapshot as {}: {}", this->Path, SystemText(errno));
  }

  const std::string Path;
  const std::string Temporary;
  int Descriptor;
  bool Nameless;
  bool Finished = false;
};
}

void SaveSnapshot(const SnapshotView& snapshot, const std::string& path)
{
  NewFile file(path);
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
    // What it did not take is read again.
    address += file.Write(source, size);
  }
  snapshot.RequireHeld();
  file.Finish();
}

}
