// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Hdf5File.h"

#include <string>
#include <vector>

/// What lies in an HDF5 file, as far as a reader or a person wants to know it.
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

  /// Of the grid that its elements lie on: in four dimensions the last one counts components.
  std::vector<hsize_t> GridShape() const;

  /// As people write it: "12 x 7 x 9", "single value", "" for a group.
  std::string ShapeText() const;

  /// The last part of the path.
  std::string Name() const;
};

/// All groups and datasets, by path, also those in other files that links lead to; each once,
/// though it may have several links. A file can hold very many: the list ends after `most`.
std::vector<Object> ListObjects(hid_t file, std::size_t most = 20000);

/// Those that can be shown as an image's point arrays together: of the datasets of numbers with one
/// to three dimensions, or four with at most 9 components, those of the grid with the most
/// elements.
std::vector<Object> FindGrid(const std::vector<Object>& objects);

/// Of what there is, for people: "it has /u (float64, 2 x 3) and 4 more datasets".
std::string Inventory(const std::vector<Object>& objects);

/// Those that can be columns of one table: datasets of numbers of one dimension, or of two with at
/// most 9 entries per row, which have the same number of rows. Of several numbers of rows the one
/// with the most elements.
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
