// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Driver/MemoryFile.h"
#include "Session/SnapshotView.h"

namespace dsm
{

/// A snapshot being read, by each process for itself: nothing here is collective.
class SnapshotFile : public MemoryFile
{
public:
  explicit SnapshotFile(std::unique_ptr<SnapshotView> view);

  std::uint64_t InitialEnd() const override;
  std::uint64_t Capacity() const override;
  void Read(std::uint64_t address, void* destination, std::uint64_t size) override;
  void Write(std::uint64_t address, const void* source, std::uint64_t size) override;
  void Complete() override {}
  void Synchronize() override {}
  void Flush() override {}
  void Truncate(std::uint64_t end, bool closing) override;
  void Close(std::uint64_t end) override;
  void Spoil() override {}
  void Spent(double, bool) override {}

private:
  std::unique_ptr<SnapshotView> View;
};

}
