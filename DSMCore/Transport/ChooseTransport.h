// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Protocol/TransportChoice.h"

#include <string>
#include <vector>

namespace dsm
{

/// HEAVY or HEAVY,LIGHT:THRESHOLD, as people write a TransportChoice. Throws Error(Usage) that says
/// what is allowed.
TransportChoice TransportFromText(const std::string& text);

/// The choice as the environment changes it: DSM_TRANSPORT (text as above) and DSM_NODE_MEMORY (on
/// or off). Throws Error(Usage).
TransportChoice TransportWithEnvironment(const TransportChoice& choice);

/// "automatic", "shared-memory", …: what can be chosen, for messages and menus; without variants.
std::vector<std::string> TransportNames();

/// All that can be written, for people: the names, variants, and two of them.
std::string TransportsText();

}
