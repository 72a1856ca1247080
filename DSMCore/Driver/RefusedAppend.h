// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

/// Remembers why this thread could not open a file, for the creation that follows.
///
/// h5py's mode "a" opens a file for writing, and creates it if there is none (H5F_ACC_EXCL). Only
/// HDF5's own drivers let h5py see that a file is missing: with all others the creation follows
/// whatever the error was. Then a file that another program has locked would be reported as one
/// that exists, and programs that wait for a lock would give up.
namespace dsm::refusedappend
{

/// Notes how this thread's opening of a file for writing went. `path`: absolute. `why`: the error;
/// none if HDF5's own driver opens the file, which may be refused later.
void Note(const std::string& path, const std::optional<std::string>& why);

/// Notes that this thread has opened something else.
void Forget();

/// Returns the error for a creation of a file that exists, if the opening before was one of the
/// same file that was refused for a lock; none else. `locks`: whether HDF5 locks files on disk.
std::optional<std::string> Reason(const std::string& path, bool locks);

}
