// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Description.h"
#include "Describe/FileFacts.h"
#include "Describe/SourceReader.h"

#include <functional>

namespace dsm::describe
{

/// Describes a step of an open file once more; none: the last. May throw.
using Describer = std::function<Description(hid_t file, std::optional<std::size_t> step)>;

/// Answers from an HDF5 file. Lists its objects once, when the first recogniser asks for them.
/// While this exists, HDF5 prints no errors.
class Hdf5Facts final : public FileFacts
{
public:
  /// `file` must stay open.
  explicit Hdf5Facts(hid_t file);

  const std::vector<hdf5::Object>& Objects() const override;
  std::optional<hdf5::Object> ObjectAt(const std::string& path) const override;
  hdf5::Thing WhatIs(const std::string& path) const override;
  std::vector<std::string> MembersOf(const std::string& group, std::size_t most) const override;
  bool HasAttributes(const std::string& object) const override;
  bool Has(const std::string& object, const std::string& attribute) const override;
  std::vector<double> Numbers(
    const std::string& object, const std::string& attribute, std::size_t most) const override;
  std::vector<std::string> Texts(
    const std::string& object, const std::string& attribute, std::size_t most) const override;
  std::vector<double> CompoundNumbers(
    const std::string& object, const std::string& attribute) const override;
  std::vector<std::vector<std::string>> References(
    const std::string& object, const std::string& attribute) const override;
  std::vector<double> Values(const Source& source) const override;
  std::vector<std::string> TextRows(const std::string& dataset) const override;
  std::optional<double> NumberBeside(
    const std::string& dataset, const std::string& name) const override;
  std::optional<std::string> TextNamed(const std::string& name) const override;

private:
  hid_t File;
  hdf5::SilenceErrors Silence;
  mutable std::optional<std::vector<hdf5::Object>> Listed;
  mutable SourceReader Reader;
};

}
