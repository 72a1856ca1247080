// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Memory/DeviceBuffers.h"
#include "Transport/HostPieces.h"

#include <cstdint>
#include <span>
#include <string>

namespace dsm
{

/// The program's own memory, which it hands to HDF5 to be written.
namespace programdata
{

/// Throws Error(Usage) if one of the pieces cannot be read: the driver of a disk would get EFAULT
/// from the system there, and a copy ends the program. Looks at the first and the last byte of a
/// large piece and at one place in each MiB, and of small pieces, which mostly lie in one array, at
/// the lowest and the highest address. A piece in a GPU's memory can be read if `devices`
/// recognises it. Otherwise the error says so.
void RequireReadable(
  const std::string& fileName, std::span<const PutPiece> pieces, DeviceBuffers& devices);

}

}
