// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <hdf5.h>

#include <array>
#include <string>

namespace dsm
{

/// What H5Pset_fapl_dsm leaves in a file access list beside communicator and info. HDF5 copies and
/// frees it as plain bytes.
struct AccessInfo
{
  std::array<char, 4096> Contact{};

  /// The contact a list names; empty when it names none or is another driver's.
  static std::string ContactOf(hid_t fapl);

  /// As the list should have it; throws Error(Usage) when the name is too long.
  static AccessInfo For(const std::string& contact);
};

}
