// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace dsm::fabric
{

/// Says why this process cannot have libfabric; empty: it has it. Thread safe.
const std::string& WhyMissing();

}
