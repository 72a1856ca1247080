// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Driver/MemoryFile.h"
#include "Peer/SnapshotView.h"

#include <optional>
#include <string>

namespace dsm
{

/// A snapshot being read. Of ranks that have opened it together, rank 0 alone holds it, until all
/// have closed it.
class SnapshotFile : public ReadOnlyFile
{
public:
  /// `mapped`: all ranks that open it map the hosts' memory.
  SnapshotFile(std::unique_ptr<SnapshotView> view, bool mapped);

  /// When it is closed, and more than its signature was read, the next one of the file is to be
  /// read (SnapshotsRead).
  void CountsAsRead(const std::string& contact, const std::string& fileName);

  void SharedBy(const Communicator& ranks) override { this->Ranks = &ranks; }
  std::string FileName() const override { return this->View->Description().FileName; }
  std::uint64_t InitialEnd() const override;
  void Read(FileOffset address, void* destination, std::uint64_t size) override;
  void ReadPieces(std::span<const GetPiece> pieces, bool together) override;
  const AddressMap* Mapping() const override { return &this->View->Mapping(); }
  bool IsMapped() const override { return this->Mapped; }
  bool TakesDeviceMemory() const override { return this->View->TakesDeviceMemory(); }
  void Write(FileOffset address, const void* source, std::uint64_t size) override;
  const SnapshotView* Snapshot() const override { return this->View.get(); }
  std::optional<Way> WayTo(FileOffset address, std::uint64_t size) const override;
  /// Collective where it is shared.
  void Close(std::uint64_t end, std::uint64_t userBlock) override;

private:
  struct ReadAs
  {
    std::string Contact;
    std::string FileName;
  };

  std::unique_ptr<SnapshotView> View;
  std::optional<ReadAs> Counts;
  bool WasRead = false;
  const Communicator* Ranks = nullptr;
  bool Mapped;
};

}
