// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Transport/HostPieces.h"

#include <cstdint>
#include <span>
#include <string>

namespace dsm
{

/// The program's own memory, which it hands to HDF5 to be written.
namespace programdata
{

/// Throws Error(Usage) where it cannot be read: a disk's driver would get EFAULT from the system
/// there, and a copy is the program's end. Says if it is the memory of a device. Looks at the first
/// and the last bytes, and at one place in each MiB.
void RequireReadable(const std::string& fileName, const void* data, std::uint64_t size);

/// The same of pieces, which mostly lie in one array: between the lowest and the highest address
/// each large one is looked at.
void RequireReadable(const std::string& fileName, std::span<const PutPiece> pieces);

}

}
