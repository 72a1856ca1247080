// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <vector>

namespace dsm::describe
{

/// What an XDMF Function calculates, as far as it can be read in parts by many: the sum of its
/// DataItems, each with a factor, and a number ("$0 - 1", "2.5 * ($0 + $1)"); or DataItems as the
/// components of a vector ("JOIN($0, $1, $2)").
struct XdmfFunction
{
  std::vector<std::size_t> Joined;      ///< the numbers of DataItems; or else
  std::map<std::size_t, double> Factor; ///< of DataItems, by their numbers
  double Added = 0;

  bool operator==(const XdmfFunction&) const = default;
};

/// Throws dsm::Error(Unsupported) for anything else.
XdmfFunction ParseXdmfFunction(const std::string& text);

}
