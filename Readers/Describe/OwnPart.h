// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Description.h"

namespace dsm::describe
{

/// Whether the part's blocks differ in size, so that each is read as a part of its own. What such a
/// part says of counts is that of its first block, and its arrays lie one after the other in flat
/// datasets:
///
///     block 0          block 1
///     rho   p    u     rho     p       u           FirstElement of block 1: 3 * cells of block 0,
///     ----  ---- ----  ------- ------- -------     Plane of u: 2
bool HasOwnBlocks(const Part& part);

/// One of these blocks as a part without blocks. Its origin and spacing are the block's.
Part OwnPart(const Part& part, const Block& block);

}
