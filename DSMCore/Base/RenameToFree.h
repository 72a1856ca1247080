// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace dsm
{

/// Gives a file another name, which no other file may have. Returns false with errno if that is not
/// possible: EEXIST if the name is taken. On a file system without hard links a file that takes the
/// name just then may be replaced. Thread safe.
bool RenameToFree(const std::string& from, const std::string& to);

}
