// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Server/Setting.h"

#include <string_view>
#include <vector>

namespace dsm
{

/// All settings of a server, in the order in which people are shown them.
const std::vector<Setting>& ServerSettings();

/// The one with that name; throws Error(Usage) if there is none.
const Setting& SettingNamed(std::string_view name);

/// Returns the settings of a server if nobody chooses any: ServerDefaults and the environment.
/// Throws Error(Usage) that names the file or variable which says nonsense.
ServerOptions OptionsByDefault();

}
