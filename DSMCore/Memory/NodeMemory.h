// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace dsm
{

/// Bytes of memory this process could still get: the system's available memory, and what the limits
/// of its control group and of those above leave (a batch system gives each job a group of its
/// own). `root` is put before the paths of /proc and /sys.
std::uint64_t AvailableMemory(const std::string& root = {});

/// Bytes that this process may have pinned at once (RLIMIT_MEMLOCK, ulimit -l): without a limit for
/// those who may lock memory (CAP_IPC_LOCK). `root` as above.
std::uint64_t LockableMemory(const std::string& root = {});

/// Bytes that shared-memory objects can still take on this node (/dev/shm).
std::uint64_t AvailableSharedMemory();

}
