// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <string>
#include <utility>

/// The boundary between exceptions and HDF5: what the driver throws becomes one entry on HDF5's
/// error stack, under a class of our own.
namespace dsm::errorstack
{

/// Registers the error class with HDF5 unless it is there. It clears HDF5's error stack, so it is
/// called where files are opened and not where an error is reported. Never throws.
void Prepare() noexcept;

/// Adds an entry with the exception's text. Where a library stands between HDF5 and the program
/// that hands on no texts (netCDF), it is in the log as well.
void Push(const char* function, const std::exception& error) noexcept;

/// The text of the innermost entry on HDF5's error stack: why a call has failed. Empty where there
/// is none.
std::string InnermostReason();

/// Runs `work`, and turns an exception into an entry and `failed`.
template <typename Result, typename Work>
Result Guard(const char* function, Result failed, Work&& work) noexcept
{
  try
  {
    return std::forward<Work>(work)();
  }
  catch (const std::exception& error)
  {
    Push(function, error);
    return failed;
  }
}

}
