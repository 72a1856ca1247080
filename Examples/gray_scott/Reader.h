// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Domain.h"

#include <string>
#include <vector>

/// What a file of Writer's holds, for this rank's box.
struct State
{
  int Step = 0;
  std::vector<double> U;
  std::vector<double> V;
};

/// Collective. Reads what any number of ranks has written. Throws CommonFailure when the file's
/// grid is another one, and others when it cannot be read.
State ReadState(const Domain& domain, const std::string& name);
