// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mapping/AddressMap.h"

#include <cstdint>

namespace dsm
{

/// Where the bytes of a file are when they lie in several files, in stripes that go round, as
/// HDF5's Subfiling driver has them: a map whose hosts are files.
///
///     address           0 ........ s ........ 2s ....... 3s ....... 4s
///     in file, there    0, 0       1, 0       0, s       1, s
///
/// `files` is at least 1; the size of a stripe is above 0, but for a single file. Throws
/// Error(Usage) otherwise.
AddressMap StripesOver(std::uint64_t files, std::uint64_t stripeSize, std::uint64_t fileSize);

}
