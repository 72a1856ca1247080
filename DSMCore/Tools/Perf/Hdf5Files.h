// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Tools/Perf/AccessMethod.h"

#include <hdf5.h>

namespace dsm::perf
{

/// HDF5 files: datasets of bytes in one dimension, and hyperslabs of them.
class Hdf5Files final : public AccessMethod
{
public:
  /// What carries the bytes.
  enum class Driver
  {
    MpiIo, ///< HDF5's own: parallel HDF5 as it is
    Dsm    ///< into the memory of a server
  };

  Hdf5Files(const AccessPlan& plan, Driver driver);
  ~Hdf5Files() override;
  Hdf5Files(const Hdf5Files&) = delete;
  Hdf5Files& operator=(const Hdf5Files&) = delete;

  void Create(const std::string& file) override;
  void OpenToRead(const std::string& file) override;
  void BeginDataset(int number) override;
  void Write(const Blocks& blocks, const std::byte* bytes) override;
  void Read(const Blocks& blocks, std::byte* bytes) override;
  void EndDataset() override;
  void Close() override;

private:
  hid_t Select(const Blocks& blocks);

  AccessPlan Plan;
  hid_t Access = H5I_INVALID_HID;
  hid_t Transfer = H5I_INVALID_HID;
  hid_t File = H5I_INVALID_HID;
  hid_t Dataset = H5I_INVALID_HID;
  hid_t Space = H5I_INVALID_HID; ///< the open dataset's
  hid_t Memory = H5I_INVALID_HID;
  hsize_t MemorySize = 0;
  bool Writing = false;
};

}
