// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace dsm
{

/// Returns whether another program's lock on an open file (flock) is in the way of one of that
/// kind, LOCK_SH or LOCK_EX. Leaves no lock. Thread safe.
bool IsLockedByOthers(int file, int kind);

}
