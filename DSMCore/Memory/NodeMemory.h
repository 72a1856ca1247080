// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace dsm
{

/// Bytes of memory this process could still get: the system's available memory, and its control
/// group's limit where there is one.
std::uint64_t AvailableMemory();

/// Bytes that shared-memory objects can still take on this node (/dev/shm).
std::uint64_t AvailableSharedMemory();

}
