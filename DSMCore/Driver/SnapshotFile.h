// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Driver/MemoryFile.h"
#include "Session/SnapshotView.h"

namespace dsm
{

/// A snapshot being read. Of ranks that have opened it together, rank 0 alone holds it, until all
/// have closed it.
class SnapshotFile : public ReadOnlyFile
{
public:
  explicit SnapshotFile(std::unique_ptr<SnapshotView> view);

  void SharedBy(const Communicator& ranks) override { this->Ranks = &ranks; }
  std::uint64_t InitialEnd() const override;
  void Read(std::uint64_t address, void* destination, std::uint64_t size) override;
  void Write(std::uint64_t address, const void* source, std::uint64_t size) override;
  /// Collective where it is shared.
  void Close(std::uint64_t end) override;

private:
  std::unique_ptr<SnapshotView> View;
  const Communicator* Ranks = nullptr;
};

}
