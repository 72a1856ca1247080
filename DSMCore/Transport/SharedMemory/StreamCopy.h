// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace dsm
{

/// memcpy for data that this processor will not look at again soon: the stores go past the caches,
/// so the destination's old lines are not read first. That saves a third of the memory traffic.
/// memcpy does so by itself only above several MiB, and blocks of a file are smaller. Complete, and
/// visible to other processors, when it returns. Elsewhere than on x86-64 it is memcpy.
void StreamCopy(void* destination, const void* source, std::size_t size);

}
