// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Cell.h"

#include <cstdio>
#include <string>
#include <vector>

namespace bench
{

/// Prints outcomes as they come: a table for people, and a CSV file when it has a name. One row per
/// cell and direction; a cell that could not be measured has its reason in the last column.
class Report
{
public:
  /// `directions`: "write" or both.
  Report(const std::string& csv, bool readToo);
  ~Report();
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;

  void Add(const Outcome& outcome);

private:
  void Row(const Outcome& outcome, const char* direction, const Measurement& measurement);

  std::FILE* Csv = nullptr;
  bool ReadToo;
};

}
