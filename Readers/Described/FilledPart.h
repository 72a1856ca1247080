// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Description.h"
#include "Describe/PartWindows.h"
#include "Describe/SourceReader.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dsm::describe
{

/// Numbers in memory, which belong to it.
struct NumberBuffer
{
  Number Type = Number::Float64;
  std::uint64_t Components = 1;
  std::uint64_t Tuples = 0;
  std::unique_ptr<std::byte[]> Values;
};

struct FilledArray
{
  std::string Name;
  Centring On = Centring::Point;
  std::vector<std::string> ComponentNames;
  NumberBuffer Values;
};

/// The numbers of a part, or of a piece of it, as any toolkit can take them: what VTK's data sets
/// are made of, without VTK. `Kind` says which of the rest there are:
///
/// | kind | with |
/// | --- | --- |
/// | "table" | arrays alone |
/// | "image" | Points, Origin, Spacing |
/// | "rectilinear" | Points, and Coordinates of x, y and z |
/// | "structured" | Points, and Coordinates of all points |
/// | "points" | Coordinates of all points |
/// | "cells" | these, Connectivity, Offsets (one more than cells) and Types (VTK's numbers) |
struct FilledPart
{
  std::string Kind;
  Extent Points{ 0, 0, 0, 0, 0, 0 };
  Position Origin{ 0, 0, 0 };
  Position Spacing{ 1, 1, 1 };
  std::vector<NumberBuffer> Coordinates{};
  std::vector<std::int64_t> Connectivity{};
  std::vector<std::int64_t> Offsets{};
  std::vector<unsigned char> Types{};
  std::vector<unsigned char> Covered{}; ///< CoveredCells
  std::optional<int> Level{};           ///< of refinement
  std::vector<FilledArray> Arrays{};
};

/// Returns the kind that a part with this geometry has when it is filled.
const char* KindOf(const Geometry& geometry);

/// Reads these units (LoadOf) of a part: one, or one for each block. Throws dsm::Error.
std::vector<FilledPart> Fill(SourceReader& reader, const Part& part, const Range& units);

}
