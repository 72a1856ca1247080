// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Hdf5Contents.h"
#include "Describe/Hdf5Group.h"
#include "Describe/Source.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace dsm::describe
{

/// What a recogniser asks of a file: its objects, their attributes, and the numbers of small
/// datasets. Objects are named by absolute paths. If something does not exist or is of another
/// kind, the answer is empty. A test answers from memory (Testing/Unit/MemoryFacts.h).
class FileFacts
{
public:
  virtual ~FileFacts() = default;

  /// Returns all groups and datasets, sorted by path; valid as long as this (hdf5::ListObjects).
  virtual const std::vector<hdf5::Object>& Objects() const = 0;

  /// Returns the group or dataset at a path, by any of its names.
  virtual std::optional<hdf5::Object> ObjectAt(const std::string& path) const = 0;

  virtual hdf5::Thing WhatIs(const std::string& path) const = 0;

  /// Returns the names of a group's members, sorted, and `most` of them at most.
  virtual std::vector<std::string> MembersOf(
    const std::string& group, std::size_t most = 100000) const = 0;

  /// Whether an object has any attribute, or one of this name.
  virtual bool HasAttributes(const std::string& object) const = 0;
  virtual bool Has(const std::string& object, const std::string& attribute) const = 0;

  /// Returns the numbers of an attribute; none, if there are more than `most`.
  virtual std::vector<double> Numbers(
    const std::string& object, const std::string& attribute, std::size_t most = 4096) const = 0;

  /// Likewise texts.
  virtual std::vector<std::string> Texts(
    const std::string& object, const std::string& attribute, std::size_t most = 4096) const = 0;

  /// Returns the numbers of an attribute with one value of a compound type, by members.
  virtual std::vector<double> CompoundNumbers(
    const std::string& object, const std::string& attribute) const = 0;

  /// Returns the datasets that an attribute's lists of references name: DIMENSION_LIST.
  virtual std::vector<std::vector<std::string>> References(
    const std::string& object, const std::string& attribute) const = 0;

  /// Reads all of a source that has just the dimension Index. Throws dsm::Error.
  virtual std::vector<double> Values(const Source& source) const = 0;

  /// Reads a list of texts: of fixed length, or single letters, in which each text is a row, as
  /// netCDF-4 has them.
  virtual std::vector<std::string> TextRows(const std::string& dataset) const = 0;

  /// Returns the number beside a name, of a dataset with names and values, as FLASH has them.
  virtual std::optional<double> NumberBeside(
    const std::string& dataset, const std::string& name) const = 0;

  /// Returns the text of a dataset or root attribute of this name.
  virtual std::optional<std::string> TextNamed(const std::string& name) const = 0;

  /// Returns the object at a path, by the name that Objects has; nullptr: none.
  const hdf5::Object* Find(const std::string& path) const;

  /// Returns the number of an attribute with just one.
  std::optional<double> Number(const std::string& object, const std::string& attribute) const;
  double NumberOr(const std::string& object, const std::string& attribute, double otherwise) const;

  /// Returns the text of an attribute with just one.
  std::string Text(const std::string& object, const std::string& attribute) const;
  std::string TextOr(
    const std::string& object, const std::string& attribute, const std::string& otherwise) const;

  /// Reads a whole dataset, or one member of its elements, in the file's order.
  std::vector<double> AllValues(const hdf5::Object& dataset, const std::string& member = {}) const;

  /// Returns the time that an object states: an attribute "time", "Time", "TimeValue", "TIME" or
  /// "sim_time" with one number.
  std::optional<double> TimeOf(const std::string& object) const;

  /// Returns the simulation time in the file: that of the root, of /VTKHDF, /Header or /Info; else
  /// the last of VTKHDF's steps, or of a dataset /time.
  std::optional<double> Time() const;

  /// Returns the path of the dataset whose last value is Time(). Empty if an attribute or VTKHDF
  /// states the time, or if nothing does.
  std::string TimeDataset() const;

  /// Returns the time of a step's group: that of an attribute, or the value of a dataset "time" in
  /// the group. Puts the path of such a dataset into `dataset`.
  std::optional<double> TimeIn(const std::string& group, std::string& dataset) const;

private:
  std::optional<double> StatedTime() const;
  std::optional<double> TimeOfBlocks() const;
  std::optional<double> LastValue(const std::string& dataset) const;
};

}
