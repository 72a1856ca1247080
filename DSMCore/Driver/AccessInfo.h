// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <hdf5.h>

#include <array>
#include <cstdint>
#include <string>

namespace dsm
{

/// What H5Pset_fapl_dsm leaves in a file access list beside communicator and info. HDF5 copies and
/// frees it as plain bytes.
struct AccessInfo
{
  std::array<char, 4096> Contact{};
  std::uint64_t Master = 0; ///< the file that leads to the one that is opened (MasterFile); 0: none

  /// Returns what a list has. All is empty if the list has nothing or is another driver's.
  static AccessInfo Of(hid_t fapl);

  /// As the list should have it; throws Error(Usage) when the name is too long.
  static AccessInfo For(const std::string& contact);
};

}
