// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/ImageTable.h"

#include "Base/Error.h"

#include <gtest/gtest.h>

namespace
{

using namespace dsm;

OpenImage Written(const std::string& fileName, const std::string& owner)
{
  OpenImage image{ .Owner = owner, .Key = 7, .FileName = fileName };
  image.Map = AddressMap({ "contiguous", 1, 1000, 10 });
  return image;
}

/// Why an image is not there.
std::string ReasonOf(const ImageTable& table, ImageId number)
{
  try
  {
    table.At(number);
  }
  catch (const Error& error)
  {
    EXPECT_EQ(error.GetFault(), Fault::PeerLost);
    return error.what();
  }
  return "it is there";
}

TEST(ImageTable, NumbersAreNeverUsedAgain)
{
  ImageTable table;
  EXPECT_EQ(table.Add(Written("a.h5", "ada")), 1u);
  EXPECT_EQ(table.Add(Written("b.h5", "eve")), 2u);
  EXPECT_EQ(table.Take(2).FileName, "b.h5");
  EXPECT_EQ(table.Add(Written("c.h5", "ada")), 3u);
  EXPECT_EQ(table.All().size(), 2u);
  EXPECT_EQ(table.OwnedBy("ada"), (std::vector<ImageId>{ 1, 3 }));
  EXPECT_TRUE(table.OwnedBy("eve").empty());
}

TEST(ImageTable, EndedImagesLeaveTheReason)
{
  ImageTable table;
  table.Add(Written("a.h5", "ada"));
  table.Add(Written("b.h5", "ada"));
  EXPECT_EQ(ReasonOf(table, 1), "it is there");
  table.Take(1);
  table.TakeLost(2, "its ranks died");
  EXPECT_EQ(table.Find(1), nullptr);
  EXPECT_NE(ReasonOf(table, 1).find("it was closed"), std::string::npos);
  EXPECT_NE(ReasonOf(table, 2).find("its ranks died"), std::string::npos);
  EXPECT_THROW(table.Take(2), Error);
}

TEST(ImageTable, RemembersTheLastThousandReasons)
{
  ImageTable table;
  for (int image = 0; image < 1001; ++image)
  {
    table.TakeLost(table.Add(Written("a.h5", "ada")), "its ranks died");
  }
  EXPECT_NE(ReasonOf(table, 1).find("it was closed"), std::string::npos);
  EXPECT_NE(ReasonOf(table, 2).find("its ranks died"), std::string::npos);
}

TEST(ImageTable, RefusesOthersAndImpossibleSizes)
{
  ImageTable table;
  table.Add(Written("a.h5", "ada"));
  EXPECT_NO_THROW(table.RequireOwner(1, "ada"));
  EXPECT_THROW(table.RequireOwner(1, "eve"), Error);
  EXPECT_NO_THROW(table.RequireKey(1, 7));
  EXPECT_THROW(table.RequireKey(1, 8), Error);
  EXPECT_NO_THROW(table.RequireCapacity(1, 1000));
  EXPECT_THROW(table.RequireCapacity(1, 1001), Error);
  EXPECT_THROW(table.RequireCapacity(2, 0), Error);
}

}
