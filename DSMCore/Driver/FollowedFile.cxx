// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/FollowedFile.h"

#include "Base/Error.h"
#include "Base/Log.h"

#include <array>
#include <string_view>

#include <unistd.h>

namespace dsm
{

namespace
{
// A header that goes on elsewhere is read in one state of the file. The signature is that of
// "Object Header Continuation Block" in the HDF5 File Format Specification, version 3.0.
bool IsContinuation(MemoryFile& file, FileOffset address)
{
  std::array<char, 4> signature{};
  try
  {
    file.Read(address, signature.data(), signature.size());
  }
  catch (const Error&)
  {
    return false; // it has left the memory, and there is something else to read
  }
  return std::string_view(signature.data(), signature.size()) == "OCHK";
}
}

FollowedFile::FollowedFile(std::unique_ptr<MemoryFile> now, PlaceholderContents read,
  FileDescriptor placeholder, Opening open)
  : Now(std::move(now))
  , Known(std::move(read))
  , Placeholder(std::move(placeholder))
  , Open(std::move(open))
{
}

void FollowedFile::BeginObject(FileOffset address)
{
  std::string bytes(PlaceholderContents::LongestFile, '\0');
  const ssize_t got = pread(this->Placeholder.Get(), bytes.data(), bytes.size(), 0);
  bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  if (bytes == this->Bytes || IsContinuation(*this->Now, address))
  {
    return;
  }
  try
  {
    auto there = PlaceholderContents::Parse(bytes, this->FileName());
    if (!there)
    {
      return; // it is being written
    }
    there->Identity = this->Known.Identity;
    if (*there != this->Known)
    {
      this->Now = this->Open(*there);
      this->Known = std::move(*there);
    }
    this->Bytes = std::move(bytes);
  }
  catch (const std::exception& error)
  {
    Log().debug("{} is read as it was: {}", this->FileName(), error.what());
  }
}

}
