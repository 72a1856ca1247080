// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Hdf5Handle.h"
#include "Describe/NamedData.h"

#include <map>
#include <string>

namespace dsm::describe
{

/// The datasets of a file and of those that are opened by their names beside it.
class Hdf5Data final : public NamedData
{
public:
  /// `file` stays the caller's, and open; `name` is for messages.
  Hdf5Data(hid_t file, std::string name);

  bool Has(const std::string& file, const std::string& path) const override;
  std::vector<std::uint64_t> Shape(const std::string& file, const std::string& path) const override;
  const std::vector<double>& Numbers(
    const std::string& file, const std::string& path, std::uint64_t most) const override;

private:
  hid_t Opened(const std::string& file) const;
  hdf5::DatasetHandle Dataset(const std::string& file, const std::string& path) const;

  hid_t File;
  std::string Name;
  mutable std::map<std::string, hdf5::FileHandle> Others;
  mutable std::map<std::pair<std::string, std::string>, std::vector<std::uint64_t>> Shapes;
  mutable std::map<std::pair<std::string, std::string>, std::vector<double>> Read;
};

}
