// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/FileFacts.h"

#include <string>
#include <vector>

namespace dsm::describe
{

/// An iteration of a file of openPMD.
struct OpenPmdIteration
{
  unsigned long long Number = 0;
  std::string Path;
  double Time = 0;
  double TimeUnit = 1; ///< in seconds
};

/// The iterations of a file of openPMD, ascending by number.
struct OpenPmdIterations
{
  std::string Folder; ///< of the iterations; or the one iteration, if it has no number
  std::vector<OpenPmdIteration> All = {};
};

/// Finds the iterations where the file says they are: /data/%T/ or /data/%06T/.
OpenPmdIterations FindIterations(const FileFacts& file);

}
