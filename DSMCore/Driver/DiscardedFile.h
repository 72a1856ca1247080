// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Driver/MemoryFile.h"

#include <cstddef>
#include <map>
#include <vector>

namespace dsm
{

/// A new file that goes nowhere: its one process keeps it until it is closed, since HDF5 reads what
/// it wrote, and then it is gone.
class DiscardedFile : public MemoryFile
{
public:
  std::uint64_t InitialEnd() const override { return 0; }
  std::uint64_t Capacity() const override { return std::numeric_limits<std::int64_t>::max(); }
  void Read(FileOffset address, void* destination, std::uint64_t size) override;
  void Write(FileOffset address, const void* source, std::uint64_t size) override;
  void Complete() override {}
  void Synchronize() override {}
  void Flush() override {}
  void Truncate(std::uint64_t, bool) override {}
  void Close(std::uint64_t, std::uint64_t) override {}
  void MarkFailed(const Error&) override {}
  void AddTime(double, bool) override {}

private:
  template <typename Visitor>
  static void ForEachPiece(FileOffset address, std::uint64_t size, const Visitor& visit);

  std::map<std::uint64_t, std::vector<std::byte>> Blocks; ///< those that were written to
};

}
