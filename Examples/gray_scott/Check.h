// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <stdexcept>
#include <string>

/// A failure that all ranks throw together: they can end in order, and one of them says why.
struct CommonFailure : std::runtime_error
{
  using std::runtime_error::runtime_error;
};

/// Throws with the name of the call and MPI's own words when an MPI call failed.
inline void CheckMpi(int status, const char* call)
{
  if (status == MPI_SUCCESS)
  {
    return;
  }
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(status, text, &length);
  throw std::runtime_error(std::string(call) + ": " + std::string(text, length));
}

/// Passes an HDF5 identifier or status through; throws when it is negative. HDF5 has printed its
/// error stack by then.
template <typename T>
T CheckHdf5(T result, const std::string& call)
{
  if (result < 0)
  {
    throw std::runtime_error(call + " failed (HDF5 says why above)");
  }
  return result;
}
