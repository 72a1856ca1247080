// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Driver/MemoryFile.h"
#include "Peer/LiveImage.h"

#include <memory>

namespace dsm
{

/// A file that another process writes, opened to be read meanwhile (H5F_ACC_SWMR_READ).
class LiveFile : public ReadOnlyFile
{
public:
  explicit LiveFile(std::unique_ptr<LiveImage> image)
    : Image(std::move(image))
  {
  }

  std::string FileName() const override { return this->Image->FileName(); }
  std::uint64_t InitialEnd() const override { return this->Image->Size(); }
  void Read(FileOffset address, void* destination, std::uint64_t size) override
  {
    this->Image->Read(address, destination, size);
  }
  void Write(FileOffset, const void*, std::uint64_t) override
  {
    throw Error(Fault::Usage, "{} is open for reading only", this->FileName());
  }
  std::optional<Way> WayTo(FileOffset address, std::uint64_t size) const override
  {
    return address < this->InitialEnd() ? std::optional(this->Image->WayTo(address, size))
                                        : std::nullopt;
  }

private:
  std::unique_ptr<LiveImage> Image;
};

}
