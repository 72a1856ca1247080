// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace dsm
{

/// Returns a text that tells an open file from all others, whatever its names are and whatever is
/// written into it. All machines that share its file system get the same text. An inode that is
/// used again has another one. If the file system does not keep the time at which a file was made,
/// `path` takes its place: then the text changes with the name. Empty if the system cannot tell.
/// Thread safe.
std::string FileIdentity(int descriptor, const std::string& path);

/// Returns the FileIdentity of the file that has that name; empty if no file has it. Thread safe.
std::string FileIdentity(const std::string& path);

}
