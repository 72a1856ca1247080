// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

/// For programs that set an environment and then become another. They stand on nothing but the C++
/// library, so that they also start what has MPI or HDF5 of its own.
namespace dsm
{

/// Sets an environment variable; throws when that is not possible.
void SetVariable(const char* name, const std::string& value);

/// Leaves what the user has said.
void SetDefault(const char* name, const std::string& value);

/// A file of ours, by its path from the folder this program lies in; throws when it is missing.
std::filesystem::path FindRelative(const char* path, const std::string& self);

/// Becomes another program of ours, by its path from the folder this program lies in, with the same
/// arguments; it is called as this one. Throws when that is not possible.
[[noreturn]] void BecomePart(const char* path, const std::string& self, char** arguments);

/// Becomes the command, and only returns when it cannot be started: having said why, with advice if
/// there is any, the status a shell would give.
int ExecProgram(
  std::vector<std::string>& command, const std::string& self, const std::string& advice = "");

}
