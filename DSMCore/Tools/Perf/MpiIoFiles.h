// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Tools/Perf/AccessMethod.h"

namespace dsm::perf
{

/// MPI's own files: datasets are parts of the file, one behind the other; what has several blocks
/// is a derived type, in one call.
class MpiIoFiles final : public AccessMethod
{
public:
  explicit MpiIoFiles(const AccessPlan& plan);
  ~MpiIoFiles() override;
  MpiIoFiles(const MpiIoFiles&) = delete;
  MpiIoFiles& operator=(const MpiIoFiles&) = delete;

  void Create(const std::string& file) override;
  void OpenToRead(const std::string& file) override;
  void BeginDataset(int number) override;
  void Write(const Blocks& blocks, const std::byte* bytes) override;
  void Read(const Blocks& blocks, std::byte* bytes) override;
  void EndDataset() override {}
  void Close() override;

private:
  void Open(const std::string& file, int how);
  void See(const Blocks& blocks);
  MPI_Offset Offset(std::uint64_t inDataset) const;
  void Forget();

  AccessPlan Plan;
  MPI_File File = MPI_FILE_NULL;
  MPI_Datatype Type = MPI_DATATYPE_NULL; ///< of the blocks that were seen last
  Blocks Seen;
  std::uint64_t Dataset = 0; ///< where it begins
};

}
