// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/CellReader.h"

#include "Base/Error.h"

#include <gtest/gtest.h>

using namespace dsm::describe;

namespace
{
using List = std::vector<std::int64_t>;

Source Numbers(std::vector<double> values)
{
  const std::uint64_t count = values.size();
  return { Literal{ std::move(values) }, { { Role::Index, 0, count } } };
}

Unstructured Of(std::variant<SameCells, MixedCells, OffsetCells> by, std::uint64_t cells,
  std::int64_t firstPoint = 0)
{
  Unstructured on;
  on.Points = 9;
  on.Cells = cells;
  on.By = std::move(by);
  on.FirstPoint = firstPoint;
  return on;
}

Cells Read(const Unstructured& on, const Range& run)
{
  SourceReader reader(H5I_INVALID_HID);
  return ReadCells(reader, on, run);
}

const Unstructured Triangles =
  Of(SameCells{ 5, 3, Numbers({ 1, 2, 3, 2, 3, 4, 9, 8, 7 }), { 0, 2, 1 } }, 3, 1);
// A triangle, a polygon with 4 points, a vertex, a line, a tetrahedron.
const Unstructured Mixed = Of(
  MixedCells{ 21, Numbers({ 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 1, 1, 5, 2, 2, 6, 7, 6, 0, 1, 8 }) }, 4);
}

TEST(CellReader, OneType)
{
  const Cells all = Read(Triangles, { 0, 3 });
  EXPECT_EQ(all.Points, (List{ 0, 2, 1, 1, 3, 2, 8, 6, 7 }));
  EXPECT_EQ(all.Offsets, (List{ 0, 3, 6, 9 }));
  EXPECT_EQ(all.Types, (std::vector<unsigned char>{ 5, 5, 5 }));
  EXPECT_EQ(Read(Triangles, { 1, 1 }).Points, (List{ 1, 3, 2 }));
  EXPECT_EQ(Read(Triangles, { 3, 0 }).Offsets, (List{ 0 }));
}

TEST(CellReader, MixedList)
{
  const Cells all = Read(Mixed, { 0, 4 });
  EXPECT_EQ(all.Points, (List{ 0, 1, 2, 0, 1, 2, 3, 5, 6, 7 }));
  EXPECT_EQ(all.Offsets, (List{ 0, 3, 7, 8, 10 }));
  EXPECT_EQ(all.Types, (std::vector<unsigned char>{ 5, 7, 1, 3 }));
  EXPECT_EQ(Read(Mixed, { 2, 2 }).Points, (List{ 5, 6, 7 }));
}

TEST(CellReader, ThreeLists)
{
  const Unstructured on = Of(
    OffsetCells{ 7, Numbers({ 0, 1, 2, 3, 4, 5, 6 }), Numbers({ 0, 3, 7 }), Numbers({ 5, 9 }) }, 2);
  EXPECT_EQ(Read(on, { 1, 1 }).Points, (List{ 3, 4, 5, 6 }));
  EXPECT_EQ(Read(on, { 1, 1 }).Offsets, (List{ 0, 4 }));
  EXPECT_EQ(Read(on, { 0, 2 }).Types, (std::vector<unsigned char>{ 5, 9 }));
}

TEST(CellReader, WhatIsWrongIsRefused)
{
  const auto refused = [](const Unstructured& on)
  { EXPECT_THROW(Read(on, { 0, on.Cells }), dsm::Error); };
  refused(Of(SameCells{ 5, 3, Numbers({ 0, 1, 9 }) }, 1));    // there are points 0 to 8
  refused(Of(SameCells{ 5, 3, Numbers({ 0, 1, 2 }) }, 1, 1)); // from 1 on
  refused(Of(MixedCells{ 3, Numbers({ 4, 0, 1 }) }, 1));      // ends within
  refused(Of(MixedCells{ 2, Numbers({ 3, 1e15 }) }, 1));      // points without end
  refused(Of(MixedCells{ 2, Numbers({ 99, 1 }) }, 1));        // no type
  refused(
    Of(OffsetCells{ 2, Numbers({ 0, 1 }), Numbers({ 0, 2, 1 }), Numbers({ 3, 3 }) }, 2)); // descend
  refused(Of(OffsetCells{ 2, Numbers({ 0, 1 }), Numbers({ 0, 5 }), Numbers({ 3 }) }, 1)); // beyond
  refused(
    Of(OffsetCells{ 2, Numbers({ 0, 1 }), Numbers({ 0, 2 }), Numbers({ 999 }) }, 1)); // no type
}

TEST(CellReader, PointsThatCellsUse)
{
  Cells cells;
  cells.Points = { 5, 7, 5, 2000, 2001, 7 };
  const UsedPoints used = Renumber(cells);
  EXPECT_EQ(used.Points, (List{ 5, 7, 2000, 2001 }));
  EXPECT_EQ(used.Runs, (std::vector<PointRun>{ { { 5, 3 }, 2 }, { { 2000, 2 }, 2 } }));
  EXPECT_EQ(cells.Points, (List{ 0, 1, 0, 2, 3, 1 }));
}
