// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Tools/Perf/PerfPattern.h"

#include <cstddef>
#include <memory>
#include <string>

#include <mpi.h>

namespace dsm::perf
{

/// What a method is to do: the same for all files of a measurement.
struct AccessPlan
{
  MPI_Comm Team = MPI_COMM_NULL; ///< who takes part; outlives the method
  std::uint64_t DatasetSize = 0; ///< bytes
  std::uint64_t ChunkSize = 0;   ///< bytes; 0: contiguous
  bool Collective = false;
  std::string Contact;
};

/// A way to write a file of several datasets of bytes, and to read it back: an open file at most at
/// a time, in it an open dataset. All functions are collective over the plan's processes, but for
/// Write and Read without AccessPlan::Collective. They throw std::runtime_error that names the call
/// that failed.
class AccessMethod
{
public:
  virtual ~AccessMethod() = default;

  virtual void Create(const std::string& file) = 0;
  virtual void OpenToRead(const std::string& file) = 0;
  virtual void BeginDataset(int number) = 0;
  virtual void Write(const Blocks& blocks, const std::byte* bytes) = 0;
  virtual void Read(const Blocks& blocks, std::byte* bytes) = 0;
  virtual void EndDataset() = 0;
  virtual void Close() = 0;
};

/// The one that -A names so; throws Error(Usage) for another.
std::unique_ptr<AccessMethod> MakeAccessMethod(const std::string& api, const AccessPlan& plan);

}
