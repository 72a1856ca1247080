// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/Placeholder.h"

#include "Base/Error.h"
#include "Base/FileIdentity.h"
#include "Base/FileLock.h"
#include "Base/FileUpdate.h"
#include "Base/Log.h"
#include "Base/TestDelay.h"
#include "Encoding/Encoding.h"
#include "PlaceholderTemplate.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

namespace dsm
{

namespace
{
static_assert(sizeof placeholdertemplate::File <= PlaceholderContents::LongestFile);

// The bytes of one whose address has that text.
Bytes Contents(const std::string& addressText)
{
  Bytes bytes(std::begin(placeholdertemplate::File), std::end(placeholdertemplate::File));
  const std::string text = PlaceholderContents::Text(PlaceholderState::InMemory);
  std::ranges::copy(text, bytes.begin() + placeholdertemplate::TextBegin);
  std::ranges::copy(addressText, bytes.begin() + placeholdertemplate::AddressBegin);
  return bytes;
}

// The bytes of one of a file that is about to be written. All files of a server have the same.
const Bytes& ContentsOfBegun(const PlaceholderAddress& begun)
{
  thread_local PlaceholderAddress last;
  thread_local Bytes bytes;
  if (bytes.empty() || !(last == begun))
  {
    bytes = Contents(PlaceholderContents::AddressText(begun));
    last = begun;
  }
  return bytes;
}

[[noreturn]] void Fail(const std::string& path)
{
  throw Error(Fault::System, "cannot write {}: {}{}", path, SystemText(errno),
    errno == EFBIG ? ". A limit on the sizes of files (ulimit -f) is too low" : "");
}

// One of another version is none of this server's.
std::optional<PlaceholderContents> ReadKnown(int file, const std::string& path)
{
  try
  {
    return PlaceholderContents::Read(file, path);
  }
  catch (const Error&)
  {
    return std::nullopt;
  }
}

// Returns false if not all bytes could be written, with errno.
bool WriteAll(int file, const Bytes& bytes)
{
  const ssize_t written = pwrite(file, bytes.data(), bytes.size(), 0);
  if (written >= 0 && static_cast<std::size_t>(written) < bytes.size())
  {
    rlimit limit = {};
    const bool isLimited = getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < bytes.size();
    errno = isLimited ? EFBIG : ENOSPC;
  }
  return written >= 0 && static_cast<std::size_t>(written) == bytes.size();
}

// Makes a file of which nobody sees a part, where the file system can do that: a file of no bytes
// is one that other programs may write. Returns a negative number if the name is taken, with errno.
int Make(const std::string& path, const PlaceholderAddress& begun)
{
  const int flags = O_RDWR | O_CLOEXEC;
  if (begun.Server.empty())
  {
    return open(path.c_str(), flags | O_CREAT | O_EXCL, 0666);
  }
  const Bytes& bytes = ContentsOfBegun(begun);
  const auto folder = std::filesystem::absolute(path).parent_path();
  FileDescriptor whole(open(folder.c_str(), flags | O_TMPFILE, 0666));
  if (whole.IsOpen() && WriteAll(whole.Get(), bytes))
  {
    const std::string there = "/proc/self/fd/" + std::to_string(whole.Get());
    if (linkat(AT_FDCWD, there.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0)
    {
      return whole.Release();
    }
    if (errno == EEXIST)
    {
      return -1;
    }
  }
  const int file = open(path.c_str(), flags | O_CREAT | O_EXCL, 0666);
  if (file >= 0 && !WriteAll(file, bytes))
  {
    Log().debug("{} is of no bytes until its image is there: {}", path, SystemText(errno));
  }
  return file;
}

// A file is new if this call has made it. Others may make and remove it meanwhile.
int Open(
  const std::string& path, Placeholder::Name name, const PlaceholderAddress& begun, bool& isNew)
{
  constexpr int mostTries = 100;
  for (int tries = 0; tries < mostTries; ++tries)
  {
    const int flags = O_RDWR | O_CLOEXEC;
    if (name != Placeholder::Name::Free)
    {
      const int file = open(path.c_str(), flags);
      if (file >= 0)
      {
        return file;
      }
      if (errno != ENOENT || name == Placeholder::Name::Taken)
      {
        break;
      }
    }
    const int file = Make(path, begun);
    isNew = file >= 0;
    if (file >= 0)
    {
      return file;
    }
    if (errno != EEXIST || name == Placeholder::Name::Free)
    {
      break;
    }
    std::error_code failed;
    if (std::filesystem::is_symlink(path, failed))
    {
      const int target = open(path.c_str(), flags | O_CREAT, 0666); // it leads nowhere yet
      if (target >= 0)
      {
        return target;
      }
      break;
    }
  }
  if (errno == EEXIST || errno == ENOENT)
  {
    throw Error(Fault::Usage, "cannot open {}: errno = {}, error message = '{}'", path, errno,
      std::strerror(errno));
  }
  Fail(path);
}
}

Placeholder::Placeholder(const std::string& path, Name name, const PlaceholderAddress& begun)
  : File(Open(path, name, begun, this->IsNew))
  , Path(path)
  , WasThere(this->IsNew ? std::nullopt : ReadKnown(this->File.Get(), this->Path))
{
}

NameThere Placeholder::There(const std::string& server) const
{
  NameThere there{ FileIdentity(this->File.Get(), this->Path) };
  if (!this->WasThere)
  {
    there.Mark = this->IsNew ? std::nullopt : FileMark::Of(this->File.Get());
  }
  else if (const PlaceholderAddress& address = this->WasThere->Address; address.Server == server)
  {
    there.Before = address.Number != 0 ? address.Number : address.Before.value_or(SnapshotId(0));
  }
  return there;
}

bool Placeholder::IsLockedOnDisk(bool byReaders) const
{
  return !this->WasThere && !this->IsNew &&
    IsLockedByOthers(this->File.Get(), byReaders ? LOCK_EX : LOCK_SH);
}

void Placeholder::Put(const PlaceholderAddress& address, const Stays& stays)
{
  this->Address = address;
  this->IsPut = true;
  std::optional<FileUpdate> update(std::in_place, this->File.Get());
  const auto there = this->IsNew ? std::nullopt : ReadKnown(this->File.Get(), this->Path);
  if (there && there->Address.Server == address.Server)
  {
    const SnapshotId begun = there->Address.Before.value_or(SnapshotId(0)); // and came to nothing
    this->SnapshotBefore = there->Address.Number != 0 ? there->Address.Number : begun;
  }
  const auto mark = FileMark::Of(this->File.Get());
  this->SizeBefore = mark ? mark->Size : 0;
  if (stays && !this->IsNew && !there && mark && mark->Size > 0)
  {
    // A server puts a file there by its name, and does not write into what is open here.
    update.reset();
    this->SnapshotBefore = stays(*mark);
    if (this->SnapshotBefore != 0)
    {
      this->FileLeft = mark;
      return;
    }
    update.emplace(this->File.Get());
  }
  if (address.Number != 0 && there && there->Address.IsThatOf(address) &&
    there->State == PlaceholderState::InMemory)
  {
    return; // a file that is appended to stays as it is until there is more of it
  }
  if (address.Number == 0 && this->SnapshotBefore != 0)
  {
    this->Address.Before = this->SnapshotBefore;
  }
  try
  {
    this->Write();
  }
  catch (...)
  {
    this->Remove();
    throw;
  }
}

Placeholder::~Placeholder()
{
  if (this->IsLeft || (this->IsPut && (this->Address.Number != 0 || this->FileLeft)))
  {
    return;
  }
  this->NoteClosedBefore();
  if (this->IsPut && this->Address.Before)
  {
    this->Restore();
  }
  else if (this->IsPut || this->IsNew)
  {
    this->Remove();
  }
}

// The earlier snapshot of the name is still there, or its server reports that it is gone.
void Placeholder::Restore()
{
  try
  {
    this->Tell(this->SnapshotBefore, this->SizeBefore);
  }
  catch (const std::exception& error)
  {
    Log().warn("{}\ndsm warning: that {} is snapshot {} is not said there", error.what(),
      this->Path, this->SnapshotBefore);
  }
}

void Placeholder::Remove() const
{
  std::error_code failed;
  const auto path = std::filesystem::canonical(this->Path, failed); // not the link to it
  if (!failed && SameFile(this->File.Get(), path))
  {
    unlink(path.c_str());
  }
}

// Its name stays, since no call of the system removes a name only if it is still that of this file.
void Placeholder::TellNotKept()
{
  this->IsLeft = true;
  this->NoteClosedBefore();
  if (this->Address.Before)
  {
    this->Restore();
  }
  else if (this->Address.Number == 0)
  {
    this->TellDropped();
  }
}

void Placeholder::TellDropped() const
{
  const FileUpdate update(this->File.Get());
  const auto there = ReadKnown(this->File.Get(), this->Path);
  const std::string text = PlaceholderContents::Text(PlaceholderState::Dropped);
  if (!there ||
    pwrite(this->File.Get(), text.data(), text.size(), static_cast<off_t>(there->TextBegin)) < 0)
  {
    Log().warn("dsm warning: that {} has left the memory is not said there", this->Path);
  }
}

void Placeholder::TellLive(const SlotAddress& place)
{
  const FileUpdate update(this->File.Get());
  this->Address.Live = place;
  this->Size = std::max(this->Size, place.FileSize);
  this->Write();
}

void Placeholder::Tell(
  SnapshotId number, std::uint64_t size, const std::optional<SlotAddress>& place)
{
  const FileUpdate update(this->File.Get());
  // Whoever opened the file behind this one's seal writes it, or may have closed it already.
  const auto there =
    this->SaysWhatWasWritten() ? std::nullopt : ReadKnown(this->File.Get(), this->Path);
  const bool isOurs = there && there->Address.Server == this->Address.Server;
  this->Address.Number = number;
  if (isOurs && this->IsOfAnotherImage(*there))
  {
    PlaceholderAddress address = there->Address;
    address.Before = std::max(address.Before.value_or(SnapshotId(0)), number);
    this->Write(PlaceholderContents::AddressText(address), size);
    return;
  }
  if (isOurs && there->Address.Number > number)
  {
    return;
  }
  this->Address.Image.reset();
  this->Address.Before.reset();
  this->Address.Live.reset();
  this->Address.Place = place;
  this->Size = size;
  this->Write();
}

// Readers of such a file ask the server which version is the newest, until that image is closed.
bool Placeholder::IsOfAnotherImage(const PlaceholderContents& there) const
{
  return there.State == PlaceholderState::InMemory && there.Address.Image &&
    there.Address.Image != this->Address.Image;
}

// Its writer may have said so only after this image was begun (Tell).
void Placeholder::NoteClosedBefore()
{
  const auto there = this->IsPut ? ReadKnown(this->File.Get(), this->Path) : std::nullopt;
  const bool isOurs = there && there->Address.Server == this->Address.Server;
  const SnapshotId before = isOurs ? there->Address.Before.value_or(SnapshotId(0)) : SnapshotId(0);
  if (before > this->SnapshotBefore)
  {
    this->SnapshotBefore = before;
    this->Address.Before = before;
    const auto mark = FileMark::Of(this->File.Get());
    this->SizeBefore = mark ? mark->Size : 0;
  }
}

bool Placeholder::SaysWhatWasWritten() const
{
  std::array<char, PlaceholderContents::AddressRoom> there; // NOLINT(*-member-init)
  return !this->Written.empty() &&
    pread(this->File.Get(), there.data(), there.size(), placeholdertemplate::AddressBegin) ==
    static_cast<ssize_t>(there.size()) &&
    std::equal(there.begin(), there.end(), this->Written.begin(), this->Written.end());
}

void Placeholder::Write()
{
  const bool isFirst =
    std::exchange(this->Written, PlaceholderContents::AddressText(this->Address)).empty();
  const bool isAsLong = isFirst && this->IsNew && this->Size <= sizeof placeholdertemplate::File;
  this->Write(this->Written, isAsLong ? std::nullopt : std::optional(this->Size));
}

// `size`: none if the file is as long as it is to be.
void Placeholder::Write(const std::string& addressText, std::optional<std::uint64_t> size) const
{
  const Bytes bytes = Contents(addressText);
  if (!WriteAll(this->File.Get(), bytes))
  {
    Fail(this->Path);
  }
  if (!size)
  {
    return;
  }
  // It is no longer than files may be: the system would end the program.
  rlimit limit = {};
  const std::uint64_t most =
    getrlimit(RLIMIT_FSIZE, &limit) == 0 ? std::uint64_t{ limit.rlim_cur } : *size;
  const auto length =
    static_cast<off_t>(std::max<std::uint64_t>(std::min(*size, most), bytes.size()));
  if (ftruncate(this->File.Get(), length) != 0)
  {
    Fail(this->Path);
  }
}

std::optional<PlaceholderContents> Placeholder::Read(const std::string& path)
{
  std::optional<FileMark> plain;
  return Read(path, plain);
}

// The mark is that of before: a file that is written meanwhile has another one then.
std::optional<PlaceholderContents> Placeholder::Read(
  const std::string& path, std::optional<FileMark>& plain)
{
  testdelay::At("reading a placeholder");
  plain.reset();
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file.IsOpen())
  {
    return std::nullopt;
  }
  const auto mark = FileMark::Of(file.Get());
  auto contents = mark ? PlaceholderContents::Read(file.Get(), *mark, path) : std::nullopt;
  plain = contents ? std::nullopt : mark;
  return contents;
}

}
