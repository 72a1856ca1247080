// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <spdlog/logger.h>

namespace dsm
{

/// The library's logger: standard error, level from DSM_LOG (trace, debug, info, warn, err, off;
/// default warn). Thread safe.
spdlog::logger& Log();

}
