// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dsm::describe
{

/// The datasets that a description names: what it says of them is held against this, before
/// anything is read. `file` is empty for the file that is described, else an absolute name.
class NamedData
{
public:
  virtual ~NamedData() = default;

  virtual bool Has(const std::string& file, const std::string& path) const = 0;

  /// The slowest dimension first; of one value {}. Throws dsm::Error where there is no such
  /// dataset, or it does not hold numbers.
  virtual std::vector<std::uint64_t> Shape(
    const std::string& file, const std::string& path) const = 0;

  /// All of a dataset that has at most `most` numbers: valid as long as this. Throws dsm::Error.
  virtual const std::vector<double>& Numbers(
    const std::string& file, const std::string& path, std::uint64_t most) const = 0;
};

}
