// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace dsm
{

/// Whether a process of this machine has ended, by its number in this process's namespace. One that
/// only waits for its parent to notice has, and so has one that the kernel is just ending: its
/// files may be closed already, and with them its locks. False where the machine does not tell. A
/// number that came again, for another process, counts as not ended.
bool ProcessHasEnded(std::uint64_t process);

}
