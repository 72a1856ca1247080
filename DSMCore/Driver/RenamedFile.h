// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace dsm
{

/// Tells a server the name that one of its files in memory has now. `name` is the new one, under
/// which the file's placeholder stands already. Does nothing for other files. A server that cannot
/// be reached is not told, and finds the file by its placeholder. Never throws.
///
/// For a process that has renamed it (Loader.c). Not collective: any rank may call it.
void TellRenamed(const std::string& name) noexcept;

}
