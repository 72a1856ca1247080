// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <sys/types.h>

namespace dsm
{

/// Starts dsm-view, which serves a page for browsers, and has it print the page's address on
/// standard error. The page ends with a process, also if that has become another program. It gets
/// the environment as it is now. Throws when that is not possible.
void StartView(const std::string& contact, const std::string& self, pid_t endsWith);

}
