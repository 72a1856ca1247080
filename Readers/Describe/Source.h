// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace dsm::describe
{

/// What a dimension of a dataset runs along.
enum class Role
{
  Fixed,     ///< nothing: one index of it is shown
  X,         ///< of a structured grid, also Y and Z
  Y,         ///<
  Z,         ///<
  Index,     ///< points, cells or rows, one after the other
  Component, ///< of a vector or tensor
  Block,     ///< the blocks of a part that has some
  Time       ///< the file's steps; one of them is shown, as with Fixed
};

/// The roles of a structured grid's axes.
inline constexpr std::array SpatialRoles = { Role::X, Role::Y, Role::Z };

/// Returns the place of X, Y or Z among them.
constexpr std::size_t AxisOf(Role role)
{
  return static_cast<std::size_t>(role) - static_cast<std::size_t>(Role::X);
}

constexpr bool IsSpatial(Role role)
{
  return role == Role::X || role == Role::Y || role == Role::Z;
}

/// How one dimension of a dataset is used. Count elements are taken: Start, Start + Stride … or,
/// if it is Reversed, those in the opposite order. Of Fixed, Time it is one element.
struct Dimension
{
  Role Is = Role::Fixed;
  std::uint64_t Start = 0;
  std::uint64_t Count = 1;
  std::uint64_t Stride = 1;
  bool Reversed = false;
  std::uint64_t Of = 0; ///< so many there are in a flat dataset (FlatFrom), if not just Count

  bool operator==(const Dimension&) const = default;
};

/// A dataset of numbers in an HDF5 file.
struct Stored
{
  std::string Path;        ///< absolute, in its file
  std::string File = {};   ///< an absolute name; empty: the file that is described
  std::string Member = {}; ///< of a compound type; empty: the dataset's elements are numbers
  /// The elements are taken in the file's order from this one on, whatever the dataset's shape is,
  /// and the source's dimensions say with which counts they are laid out. Without it there is a
  /// Dimension for each of the dataset's.
  std::optional<std::uint64_t> FlatFrom = std::nullopt;
  /// Of a part whose blocks differ in size: so many arrays of the block's size lie in a flat
  /// dataset between where the block begins and this one.
  std::uint64_t Plane = 0;

  bool operator==(const Stored&) const = default;
};

/// Numbers that stand in the description itself, the last dimension fastest.
struct Literal
{
  std::vector<double> Values;

  bool operator==(const Literal&) const = default;
};

/// One value everywhere.
struct Constant
{
  double Value = 0;

  bool operator==(const Constant&) const = default;
};

/// Where numbers come from, and how they lie on a part's grid. The dimensions are in the file's
/// order, the last one fastest; whoever reads brings them into that of their roles. Along what a
/// part has and no dimension of the source says, the values repeat: a profile over Z on a grid of
/// X, Y and Z has one dimension.
struct Source
{
  std::variant<Stored, Literal, Constant> From;
  std::vector<Dimension> Dimensions = {};
  double Scale = 1; ///< what is read is multiplied by Scale, then Offset is added
  double Offset = 0;
  std::vector<double> Missing = {}; ///< such values in the file mean "none": they become NaN
  std::vector<Source> Added = {};   ///< their values are added: a position, and where it begins

  bool operator==(const Source&) const = default;
};

/// Returns how many components the dimensions of a source have; 1 if none has that role.
inline std::uint64_t ComponentsOf(const Source& source)
{
  std::uint64_t components = 1;
  for (const Dimension& dimension : source.Dimensions)
  {
    components *= dimension.Is == Role::Component ? dimension.Count : 1;
  }
  return components;
}

}
