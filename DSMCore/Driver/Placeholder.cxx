// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/Placeholder.h"

#include "Base/Error.h"
#include "Driver/SmallFile.h"
#include "Encoding/Encoding.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace dsm
{

namespace
{
// Before the address, as JSON, in an attribute.
constexpr std::string_view Mark = "paraview-dsm-placeholder ";

constexpr const char* Explanation =
  "The contents of this file are in memory that ParaView lends. Open it in ParaView, or with a "
  "program behind dsm-run, while that server runs; it can be renamed and removed like any file.";

// A path has 4096 bytes at most, and JSON escapes few of them.
constexpr std::size_t Room = 6 << 10;

// A placeholder is smaller.
constexpr std::size_t Largest = 16 << 10;

void StoreText(hid_t file, const char* name, std::string text, std::size_t room)
{
  text.resize(room, '\0');
  const Hdf5Handle type = Hdf5TextType(room);
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Handle made(H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  CheckHdf5(H5Awrite(made, type, text.data()));
}

// The bytes of one, with the mark where an address is to follow.
const Bytes& Template()
{
  static const Bytes made = SmallFile("placeholder",
    [](hid_t file)
    {
      StoreText(file, "ParaView DSM", Explanation, std::string_view(Explanation).size() + 1);
      StoreText(file, "Address", std::string(Mark), Room);
    });
  return made;
}

[[noreturn]] void Fail(const std::string& path)
{
  throw Error(Fault::System, "cannot write {}: {}", path, SystemText(errno));
}

int Open(const std::string& path)
{
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0)
  {
    Fail(path);
  }
  return file;
}
}

void Describe(Fields& fields, PlaceholderAddress& address)
{
  fields("Contact", address.Contact);
  fields("Server", address.Server);
  fields("Snapshot", address.Number);
}

Placeholder::Placeholder(const std::string& path, const PlaceholderAddress& address)
  : File(Open(path))
  , Path(std::filesystem::canonical(path))
  , Address(address)
{
  if (address.Number != 0 && Read(this->Path) == address)
  {
    return; // a file that is appended to stays as it is until there is more of it
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
  if (this->Address.Number == 0)
  {
    this->Remove();
  }
}

void Placeholder::Remove() const
{
  if (SameFile(this->File.Get(), this->Path))
  {
    unlink(this->Path.c_str());
  }
}

void Placeholder::Tell(std::uint64_t number, std::uint64_t size)
{
  this->Address.Number = number;
  this->Size = size;
  this->Write();
}

void Placeholder::Write() const
{
  Bytes bytes = Template();
  const std::string address = ToText(this->Address);
  const auto place = std::search(bytes.begin(), bytes.end(), Mark.begin(), Mark.end());
  if (place == bytes.end() || Mark.size() + address.size() >= Room)
  {
    throw Error(Fault::System, "cannot write {}: its address is too long", this->Path);
  }
  std::copy(address.begin(), address.end(), place + static_cast<std::ptrdiff_t>(Mark.size()));
  const ssize_t written = pwrite(this->File.Get(), bytes.data(), bytes.size(), 0);
  if (written >= 0 && static_cast<std::size_t>(written) < bytes.size())
  {
    errno = ENOSPC;
  }
  const auto length = static_cast<off_t>(std::max<std::uint64_t>(this->Size, bytes.size()));
  if (written < 0 || static_cast<std::size_t>(written) < bytes.size() ||
    ftruncate(this->File.Get(), length) != 0)
  {
    Fail(this->Path);
  }
}

std::optional<PlaceholderAddress> Placeholder::Read(const std::string& path)
{
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status = {};
  if (!file.IsOpen() || fstat(file.Get(), &status) != 0 || !S_ISREG(status.st_mode))
  {
    return std::nullopt;
  }
  std::array<char, Largest> bytes{};
  const ssize_t got = pread(file.Get(), bytes.data(), bytes.size(), 0);
  return Parse({ bytes.data(), got > 0 ? static_cast<std::size_t>(got) : 0 }, path);
}

std::optional<PlaceholderAddress> Placeholder::Parse(
  std::string_view bytes, const std::string& path)
{
  const std::size_t mark = bytes.find(Mark);
  if (!bytes.starts_with("\x89HDF\r\n\x1a\n") || mark == std::string_view::npos)
  {
    return std::nullopt;
  }
  const std::string_view rest = bytes.substr(mark + Mark.size());
  return FromText<PlaceholderAddress>(
    std::string(rest.substr(0, rest.find('\0'))), "the placeholder " + path);
}

}
