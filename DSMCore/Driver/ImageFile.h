// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Driver/MemoryFile.h"
#include "Session/WritableImage.h"

namespace dsm
{

/// A file being written: an image, from open to the snapshot that close makes of it.
///
/// What must not become a snapshot is given up instead: an image some rank failed to write to, one
/// HDF5 never finished (an H5Fcreate that failed half way), one that is still open when MPI is
/// gone.
class ImageFile : public MemoryFile
{
public:
  /// Collective over `communicator`, which is duplicated. `connection` matters on rank 0 only.
  ImageFile(const Communicator& communicator, std::shared_ptr<Connection> connection,
    const std::string& fileName, bool startFromSnapshot);

  std::uint64_t InitialEnd() const override { return this->Image->InitialSize(); }
  std::uint64_t Capacity() const override { return this->Image->Capacity(); }
  void Read(std::uint64_t address, void* destination, std::uint64_t size) override;
  void Write(std::uint64_t address, const void* source, std::uint64_t size) override;
  void Complete() override;
  void Synchronize() override;
  void Flush() override;
  void Truncate(std::uint64_t end, bool closing) override;
  void Close(std::uint64_t end) override;
  void MarkFailed() override { this->Failed = true; }
  void AddTime(double seconds, bool transfer) override;

private:
  bool IsWanted() const;
  bool Differs(std::uint64_t address, const void* source, std::uint64_t size);

  Communicator Ranks; // before Image, which keeps a reference to it
  std::unique_ptr<WritableImage> Image;
  WriteStatistics Statistics;
  std::uint64_t End = 0;
  bool Finished = false;   ///< HDF5 has said how long the file is, and closes it
  bool Failed = false;     ///< something of this rank could not be stored
  bool Changed = true;     ///< this rank has changed something since the file was last shown
  bool Consistent = false; ///< H5Fflush is under way: HDF5 has said how long the file is
  bool Published = false;  ///< some flush has shown the file
  bool Warned = false;
};

}
