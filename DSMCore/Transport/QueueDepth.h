// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace dsm
{

/// How many transfers a process keeps under way over one transport before it waits for the oldest:
/// DSM_QUEUE_DEPTH, 1 to 256; default 256, which keeps a network busy with small transfers and fits
/// every library's queues. Where a provider's own queue is shorter, that counts. Fewer are for
/// networks that suffer from many at once, and for measuring what that does. Throws Error(Usage).
std::size_t QueueDepth();

}
