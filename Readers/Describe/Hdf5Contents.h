// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Hdf5File.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

/// The groups and datasets of an HDF5 file.
namespace dsm::hdf5
{

/// A group or a dataset.
struct Object
{
  std::string Path; ///< absolute
  bool Dataset = false;
  bool Numbers = false;             ///< a dataset whose elements are numbers
  bool Null = false;                ///< a dataset without even one value (H5S_NULL)
  std::string Unreadable;           ///< why its elements cannot be read; empty: they can
  std::vector<std::string> Members; ///< of a compound type that are numbers
  /// Members of a compound type that are arrays of numbers, and the arrays' shapes. If the elements
  /// are arrays themselves, these have the name "".
  std::map<std::string, std::vector<hsize_t>> ArrayMembers;
  std::string Type;           ///< "float64", "int32", "text", "group" …
  std::vector<hsize_t> Shape; ///< slowest first, as HDF5 has it; empty for a single value
  std::vector<hsize_t> Most;  ///< what it can be extended to; H5S_UNLIMITED: any

  hsize_t Elements() const;

  /// To show it: "12 x 7 x 9", "single value", "" for a group.
  std::string ShapeText() const;

  /// The last part of the path.
  std::string Name() const;

  /// The path before that, with the '/' at its end.
  std::string Folder() const;
};

/// All groups and datasets, sorted by path, also those that external links lead to; each once, also
/// if it has several links. The list ends after `most`.
std::vector<Object> ListObjects(hid_t file, std::size_t most = 20000);

/// The group or dataset at a path: by any of its names, of which ListObjects says only one, and
/// where a file has too many to list all.
std::optional<Object> ObjectAt(hid_t file, const std::string& path);

/// The object at a path, in a list that is sorted by path; nothing: it has none.
const Object* Find(const std::vector<Object>& objects, const std::string& path);

/// To show it: "it has /u (float64, 2 x 3) and 4 more datasets".
std::string Summary(const std::vector<Object>& objects);

}
