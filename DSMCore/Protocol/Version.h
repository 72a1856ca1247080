// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace dsm
{

/// The version of the protocol between simulations and servers, which is raised whenever a message
/// changes its meaning. Both sides must agree. Not a constant: a test links another one.
std::int64_t ProtocolVersion();

}
