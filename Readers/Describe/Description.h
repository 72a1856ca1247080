// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Geometry.h"
#include "Describe/Source.h"

#include <optional>
#include <string>
#include <vector>

/// What a file holds, as data: recognisers make a description, one reader fills it. Nothing here
/// knows VTK.
namespace dsm::describe
{

/// What an array has a tuple for.
enum class Centring
{
  Point, ///< also the rows of a table
  Cell,
  Field ///< of the part as a whole; its sources have the role Index, or one value
};

/// Numbers on a part.
struct Array
{
  std::string Name; ///< short, and the same from step to step; differs within part and centring
  Centring On = Centring::Point;
  /// One with all components, which may have the role Component, or one for each component.
  std::vector<Source> Sources = {};
  std::vector<std::string> ComponentNames = {}; ///< empty, or one for each
  std::string Units = {};

  bool operator==(const Array&) const = default;
};

/// A run of cells along each axis of a grid.
struct CellRange
{
  PerAxis First{ 0, 0, 0 };
  PerAxis Count{ 0, 0, 0 };

  bool operator==(const CellRange&) const = default;
};

/// One of many grids of the same counts that a part describes at once: the sources, also those of
/// its geometry, have the role Block, and this is one index of it.
struct Block
{
  std::uint64_t Index = 0;
  int Level = 0; ///< of refinement; 0 is the coarsest
  Position Origin{ 0, 0, 0 };
  Position Spacing{ 1, 1, 1 }; ///< as Origin, in place of what Uniform says
  /// Of a part whose blocks differ in size (OwnPart): the block's, and where in flat datasets its
  /// values begin.
  std::optional<PerAxis> Points = std::nullopt;
  std::uint64_t FirstElement = 0;
  std::vector<CellRange> Covered = {}; ///< by blocks of finer levels: not to be shown

  bool operator==(const Block&) const = default;
};

struct Part
{
  std::string Name;
  Geometry On;
  std::vector<Array> Arrays = {};
  int Level = 0;                  ///< of refinement, of a part that is one grid of several levels
  std::vector<Block> Blocks = {}; ///< empty: the part is one grid
  std::vector<CellRange>
    Covered = {}; ///< by other parts: not to be shown, of a part without blocks
  /// What x, y and z are to people, with units: "longitude [degrees_east]". Empty: just that.
  std::array<std::string, 3> AxisNames = {};

  bool operator==(const Part&) const = default;
};

/// What is in the file and not in the description, and why.
struct LeftOut
{
  std::string Path;
  std::string Why;

  bool operator==(const LeftOut&) const = default;
};

/// What users can set where a rule had to assume something: a reader's property.
enum class Setting
{
  AxisOrder,
  Origin,
  Spacing,
  Centring,
  Columns, ///< with the coordinates of points
  Time,
  Kind,            ///< image, table or points
  StepGroups,      ///< whether numbered groups are steps
  GridCoordinates, ///< whether datasets with usual names are a grid's coordinates
};

/// Another reading of a file: what it is to people, and the value of the property that selects it.
struct Alternative
{
  Setting By;
  std::string Value; ///< as the property has it: "xyz", or the number of an entry: "2"
  std::string Text;  ///< "x, y, z"

  bool operator==(const Alternative&) const = default;
};

/// Something that users can set, in words.
struct Settable
{
  Setting By;
  std::string Text; ///< "Origin 0 0 0"
  /// The other readings that a rule can name; users may set more than these.
  std::vector<Alternative> Alternatives = {};

  bool operator==(const Settable&) const = default;
};

struct Description
{
  std::string Format; ///< one word or two, which may be compared: "openPMD", "netCDF-4", "image"
  std::string Rule;   ///< who decided, and by what: "the file's datasets have dimension scales"
  std::vector<Part> Parts = {};
  bool Empty = false; ///< there is nothing in the file yet: it has no parts
  /// Of the step that is described, in TimeUnits. Without it the file says none.
  std::optional<double> Time = std::nullopt;
  std::string TimeUnits = {}; ///< as the file has them: "s", "days since 2000-01-01"
  /// The times of all steps in the file, if it has several; one of them is described.
  std::vector<double> Times = {};
  std::size_t Step = 0;
  std::vector<std::string> Guessed = {}; ///< what the file does not say, in sentences for people
  std::vector<Settable> Assumed = {};    ///< what a rule took for lack of better
  std::vector<Settable> Set = {};        ///< what users have put in its place
  std::vector<LeftOut> Left = {};

  bool operator==(const Description&) const = default;
};

}
