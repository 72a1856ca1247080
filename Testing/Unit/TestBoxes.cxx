// SPDX-License-Identifier: BSD-3-Clause
// Which values of a dataset each part of a file has, and how they are cut.
#include "Tools/Repack/Boxes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace
{

using namespace dsm::repack;

struct Case
{
  std::string Name;
  Place Extent;
  Place Unit;
  std::uint64_t Parts = 1;
  std::vector<hsize_t> Lengths; ///< of each part along the dimension that is divided
};

class PartsOf : public testing::TestWithParam<Case>
{
};

TEST_P(PartsOf, Array)
{
  const Case& given = this->GetParam();
  const std::size_t divided = DividedDimension(given.Extent, given.Unit);
  std::vector<hsize_t> lengths;
  hsize_t next = 0;
  for (std::uint64_t part = 0; part < given.Parts; ++part)
  {
    const Box box = BoxOfPart(given.Extent, given.Unit, part, given.Parts);
    lengths.push_back(box.Count[divided]);
    EXPECT_EQ(box.IsEmpty(), lengths.back() == 0);
    EXPECT_EQ(box.Start[divided], next);
    next += lengths.back();
    // Whole units, and all of the other dimensions.
    EXPECT_TRUE(next % given.Unit[divided] == 0 || next == given.Extent[divided]);
    for (std::size_t i = 0; i < given.Extent.size(); ++i)
    {
      EXPECT_TRUE(i == divided || (box.Start[i] == 0 && box.Count[i] == given.Extent[i]));
    }
  }
  EXPECT_EQ(next, given.Extent[divided]);
  EXPECT_EQ(lengths, given.Lengths);
}

INSTANTIATE_TEST_SUITE_P(Cases, PartsOf,
  testing::Values(Case{ "One", { 7 }, { 1 }, 1, { 7 } },
    Case{ "Rows", { 10, 3 }, { 1, 1 }, 4, { 3, 3, 2, 2 } },
    Case{ "WholeChunks", { 100, 50 }, { 8, 50 }, 2, { 56, 44 } },
    Case{ "TooFew", { 2, 1 }, { 1, 1 }, 3, { 1, 1, 0 } },
    Case{ "OneChunk", { 5, 5 }, { 8, 8 }, 2, { 5, 0 } },
    Case{ "FirstDimensionWithSeveral", { 1, 64, 64 }, { 1, 1, 1 }, 2, { 32, 32 } },
    Case{ "SecondDimensionOfChunks", { 4, 10 }, { 4, 3 }, 3, { 6, 3, 1 } }),
  [](const auto& given) { return given.param.Name; });

TEST(Boxes, PiecesHaveEachValueOnce)
{
  const Place unit{ 2, 3, 4 };
  const Box box{ { 4, 0, 8 }, { 5, 10, 9 } };
  for (const std::uint64_t limit : { 1, 100, 200, 1000, 3000, 1000000 })
  {
    std::map<Place, int> seen;
    std::size_t pieces = 0;
    ForEachPiece(box, unit, 8, limit,
      [&](const Box& piece)
      {
        ++pieces;
        EXPECT_FALSE(piece.IsEmpty());
        Place at(3);
        for (std::size_t i = 0; i < 3; ++i)
        {
          const hsize_t end = piece.Start[i] + piece.Count[i];
          EXPECT_EQ((piece.Start[i] - box.Start[i]) % unit[i], 0U);
          EXPECT_TRUE((end - box.Start[i]) % unit[i] == 0 || end == box.Start[i] + box.Count[i]);
          at[i] = piece.Start[i];
        }
        EXPECT_TRUE(piece.Values() * 8 <= std::max<std::uint64_t>(limit, UINT64_C(2) * 3 * 4 * 8));
        for (at[0] = piece.Start[0]; at[0] < piece.Start[0] + piece.Count[0]; ++at[0])
        {
          for (at[1] = piece.Start[1]; at[1] < piece.Start[1] + piece.Count[1]; ++at[1])
          {
            for (at[2] = piece.Start[2]; at[2] < piece.Start[2] + piece.Count[2]; ++at[2])
            {
              EXPECT_TRUE(box.Contains(at));
              ++seen[at];
            }
          }
        }
      });
    EXPECT_EQ(seen.size(), box.Values());
    EXPECT_TRUE(
      std::all_of(seen.begin(), seen.end(), [](const auto& one) { return one.second == 1; }));
    EXPECT_EQ(pieces == 1, limit == 1000000) << limit;
  }
  ForEachPiece({ { 0 }, { 0 } }, { 1 }, 8, 100, [](const Box&) { FAIL(); });
}

TEST(Boxes, ContainsItsEnds)
{
  const Box box{ { 4, 0 }, { 2, 3 } };
  EXPECT_TRUE(box.Contains({ 4, 0 }) && box.Contains({ 5, 2 }));
  EXPECT_FALSE(box.Contains({ 3, 0 }) || box.Contains({ 6, 0 }) || box.Contains({ 4, 3 }));
}

TEST(Boxes, ChunksFitHdf5sCache)
{
  constexpr hsize_t mib = hsize_t{ 1 } << 20;
  EXPECT_EQ(ChunkFor({ 1000, 100, 100 }, 8), (Place{ 13, 100, 100 }));
  EXPECT_EQ(ChunkFor({ 1000, 1000, 1000 }, 8), (Place{ 1, 131, 1000 }));
  EXPECT_EQ(ChunkFor({ 3, 4 * mib }, 1), (Place{ 1, mib }));
  EXPECT_EQ(ChunkFor({ 5, 7 }, 4), (Place{ 5, 7 }));
  EXPECT_EQ(ChunkFor({ 5 }, 3 * mib), (Place{ 1 })); // one value is larger
}

}
