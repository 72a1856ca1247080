// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

namespace dsm
{

/// An owned MPI_Info. Move-only; freed by the destructor while MPI is alive.
class Info
{
public:
  Info() = default;

  /// Takes over an info that the caller would have to free; MPI_INFO_NULL is fine.
  static Info Adopt(MPI_Info info);

  /// Returns a copy of another's info, or one without a handle for MPI_INFO_NULL.
  static Info Duplicate(MPI_Info info);

  /// An info without a key.
  static Info Empty();

  Info(Info&& other) noexcept;
  Info& operator=(Info&& other) noexcept;
  Info(const Info&) = delete;
  Info& operator=(const Info&) = delete;
  ~Info();

  MPI_Info Handle() const { return this->Keys; }

private:
  MPI_Info Keys = MPI_INFO_NULL;
};

}
