// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/FileDescriptor.h"
#include "Driver/MemoryFile.h"
#include "Protocol/PlaceholderContents.h"

#include <functional>
#include <memory>
#include <string>

namespace dsm
{

/// A file that is opened to be read while others may write it (H5F_ACC_SWMR_READ). Whenever HDF5
/// opens or refreshes an object, it reads what the file has become by then, as on disk: the bytes
/// of a writer that came later, a version that a flush has shown, or the one of a close.
///
/// It follows the file, whatever its name is meanwhile.
class FollowedFile : public ReadOnlyFile
{
public:
  /// Opens what a placeholder says. Throws an exception if that cannot be read.
  using Opening = std::function<std::unique_ptr<MemoryFile>(const PlaceholderContents&)>;

  /// `read` is what the placeholder said when it was read last, and `now` is the file that it
  /// meant. `placeholder` is open for reading.
  FollowedFile(std::unique_ptr<MemoryFile> now, PlaceholderContents read,
    FileDescriptor placeholder, Opening open);

  std::string FileName() const override { return this->Now->FileName(); }
  std::uint64_t InitialEnd() const override { return this->Now->InitialEnd(); }
  void BeginObject(FileOffset address) override;
  void Read(FileOffset address, void* destination, std::uint64_t size) override
  {
    this->Now->Read(address, destination, size);
  }
  void Write(FileOffset address, const void* source, std::uint64_t size) override
  {
    this->Now->Write(address, source, size);
  }
  std::optional<Way> WayTo(FileOffset address, std::uint64_t size) const override
  {
    return this->Now->WayTo(address, size);
  }

private:
  std::unique_ptr<MemoryFile> Now;
  PlaceholderContents Known; ///< as which Now was opened
  FileDescriptor Placeholder;
  Opening Open;
  std::string Bytes; ///< of the placeholder, when it said so
};

}
