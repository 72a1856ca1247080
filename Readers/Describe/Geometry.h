// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Source.h"

#include <array>
#include <variant>

namespace dsm::describe
{

/// Of x, y and z.
using PerAxis = std::array<std::uint64_t, 3>;
using Position = std::array<double, 3>;

/// The coordinates of points: one source with the role Component of 2 or 3, or a source for each of
/// x, y and z. With two z is 0, with one y too.
using Coordinates = std::vector<Source>;

/// No geometry: rows of a table. Arrays have the role Index.
struct Rows
{
  std::uint64_t Count = 0;

  bool operator==(const Rows&) const = default;
};

/// Points at equal distances. Points counts those along an axis, also where the arrays are of
/// cells; 1: the grid has no extent along it.
struct Uniform
{
  PerAxis Points{ 1, 1, 1 };
  Position Origin{ 0, 0, 0 };
  Position Spacing{ 1, 1, 1 };

  bool operator==(const Uniform&) const = default;
};

/// Each axis has its own source of coordinates, whose dimension has that axis's role. They ascend
/// (a recogniser sets Reversed, there and in the arrays, where they descend in the file).
struct Rectilinear
{
  PerAxis Points{ 1, 1, 1 };
  std::array<Source, 3> Axes = {}; ///< of an axis with 1 point it may be a Constant

  bool operator==(const Rectilinear&) const = default;
};

/// A structured grid with coordinates for each point, over the roles X, Y and Z.
struct Curvilinear
{
  PerAxis Points{ 1, 1, 1 };
  Coordinates At = {};

  bool operator==(const Curvilinear&) const = default;
};

/// Points without cells between them, over the role Index.
struct Vertices
{
  std::uint64_t Count = 0;
  Coordinates At = {};

  bool operator==(const Vertices&) const = default;
};

/// Cells of one type, all with the same number of points: Connectivity has Cells * PointsPerCell
/// numbers over the roles Index and Component, or over Index alone.
struct SameCells
{
  int Type = 0; ///< VTK's number of it: 5 is a triangle
  std::uint64_t PointsPerCell = 0;
  Source Connectivity;
  /// VTK's k-th point of a cell is the file's Order[k]-th; empty: the same order.
  std::vector<int> Order = {};

  bool operator==(const SameCells&) const = default;
};

/// Cells of several types in one list of numbers, as XDMF has it: XDMF's number of the type, for
/// some types the number of points, the points.
struct MixedCells
{
  std::uint64_t Length = 0; ///< of the list
  Source List;              ///< over Index

  bool operator==(const MixedCells&) const = default;
};

/// Cells of several types in three lists, as VTK has it: Offsets (one more than cells, the first 0)
/// into Connectivity, and VTK's number of the type of each cell. All over Index.
struct OffsetCells
{
  std::uint64_t Length = 0; ///< of Connectivity
  Source Connectivity;
  Source Offsets;
  Source Types;

  bool operator==(const OffsetCells&) const = default;
};

/// Points, over the role Index, and cells that name them, the first by FirstPoint.
struct Unstructured
{
  std::uint64_t Points = 0;
  std::uint64_t Cells = 0;
  Coordinates At = {};
  std::variant<SameCells, MixedCells, OffsetCells> By;
  std::int64_t FirstPoint = 0; ///< 1 where the file counts points from 1
  /// Other parts have the same points: this one is shown with those that its cells use.
  bool PointsShared = false;

  bool operator==(const Unstructured&) const = default;
};

using Geometry = std::variant<Rows, Uniform, Rectilinear, Curvilinear, Vertices, Unstructured>;

}
