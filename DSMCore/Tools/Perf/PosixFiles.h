// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/FileDescriptor.h"
#include "Tools/Perf/AccessMethod.h"

#include <memory>

namespace dsm::perf
{

/// pwrite and pread, a call for each block: datasets are parts of the file, one behind the other.
class PosixFiles final : public AccessMethod
{
public:
  explicit PosixFiles(const AccessPlan& plan);

  void Create(const std::string& file) override;
  void OpenToRead(const std::string& file) override;
  void BeginDataset(int number) override;
  void Write(const Blocks& blocks, const std::byte* bytes) override;
  void Read(const Blocks& blocks, std::byte* bytes) override;
  void EndDataset() override {}
  void Close() override;

private:
  AccessPlan Plan;
  std::unique_ptr<FileDescriptor> File;
  std::uint64_t Dataset = 0; ///< where it begins
};

}
