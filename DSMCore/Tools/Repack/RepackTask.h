// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Encoding/Fields.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace dsm::repack
{

/// What becomes of a file's large datasets.
struct RepackOptions
{
  std::vector<std::string> Filters; ///< of those that have none, in this order: Filter::FromText
  std::uint64_t Minimum = 0;        ///< bytes from which on a dataset is large
};

/// What one process does: writes one file of those that a snapshot becomes.
struct RepackTask
{
  std::string Source; ///< the snapshot, as HDF5 opens it through our driver
  std::string Output; ///< an empty file
  std::string Name;   ///< what it will be called, for messages
  RepackOptions Options;
  /// The names of the parts, as the master has them; empty: there is one file with everything.
  std::vector<std::string> Parts;
  /// The number of the part that is to be written, from 1 on; 0: the master, or the one file.
  std::uint64_t Part = 0;
  /// The source is a master on disk, and the output has what its parts have.
  bool Gathers = false;
  std::uint64_t Parent = 0; ///< the process that waits for this one
};

/// How far a process is: a line of text, JSON.
struct RepackReport
{
  std::uint64_t Bytes = 0; ///< of the datasets' values, since the last report
  std::string Failure;     ///< not empty: it has given up
  bool Done = false;
};

void Describe(Fields&, RepackOptions&);
void Describe(Fields&, RepackTask&);
void Describe(Fields&, RepackReport&);

/// Does it. `moved` is told how many bytes of values, as they go. Throws Error. Uses HDF5, so no
/// other thread of the process may.
void Carry(const RepackTask& task, const std::function<void(std::uint64_t)>& moved);

}
