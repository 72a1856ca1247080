// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Hdf5File.h"

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
  bool Numbers = false;       ///< a dataset whose elements are numbers
  std::string Type;           ///< "float64", "int32", "text", "group" …
  std::vector<hsize_t> Shape; ///< slowest first, as HDF5 has it; empty for a single value

  hsize_t Elements() const;

  /// The shape of the grid: in four dimensions the last one counts components.
  std::vector<hsize_t> GridShape() const;

  /// To show it: "12 x 7 x 9", "single value", "" for a group.
  std::string ShapeText() const;

  /// The last part of the path.
  std::string Name() const;
};

/// All groups and datasets, sorted by path, also those that external links lead to; each once, also
/// if it has several links. The list ends after `most`.
std::vector<Object> ListObjects(hid_t file, std::size_t most = 20000);

/// The datasets that are shown together as the point arrays of an image: of the datasets of numbers
/// with one to three dimensions, or four with at most 9 components, those with the shape that has
/// the most elements.
std::vector<Object> FindGrid(const std::vector<Object>& objects);

/// To show it: "it has /u (float64, 2 x 3) and 4 more datasets".
std::string Summary(const std::vector<Object>& objects);

/// The datasets that can be columns of one table: datasets of numbers of one dimension, or of two
/// with at most 9 entries per row, with the same number of rows: that of the dataset with the most
/// elements.
std::vector<Object> FindColumns(const std::vector<Object>& objects);

/// The columns that hold the coordinates of points: three or two of them with one component each,
/// or one with all components.
struct Coordinates
{
  std::vector<Object> Columns;

  bool operator!() const { return this->Columns.empty(); }
};

/// By their usual names: x, y and z, alone or after "pos_" and the like, in one group; or a column
/// of two or three components called coordinates, positions or points.
Coordinates GuessCoordinates(const std::vector<Object>& columns);

}
