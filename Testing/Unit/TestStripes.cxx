// SPDX-License-Identifier: BSD-3-Clause
#include "Mapping/Stripes.h"

#include "Base/Error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace
{

using namespace dsm;

TEST(Stripes, GoRound)
{
  for (const std::uint64_t files : { 1, 2, 3, 7 })
  {
    for (const std::uint64_t size : { 0, 1, 9, 10, 11, 20, 70, 205 })
    {
      const std::uint64_t stripe = 10;
      const AddressMap map = StripesOver(files, stripe, size);
      std::vector<std::uint64_t> sizes(files);
      for (std::uint64_t address = 0; address < size; ++address)
      {
        const Location place = map.Locate(FileOffset(address));
        const std::uint64_t number = address / stripe;
        EXPECT_EQ(place.Host, number % files);
        EXPECT_EQ(place.Offset, number / files * stripe + address % stripe);
        sizes[place.Host] = std::max(sizes[place.Host], place.Offset + 1);
      }
      for (HostIndex file = 0; file < files; ++file)
      {
        EXPECT_EQ(map.LocalSize(file, size), sizes[file]) << files << " files, " << size;
      }
    }
  }
}

TEST(Stripes, OneFileIsOneRunWhateverTheirSize)
{
  const std::uint64_t size = UINT64_C(5) << 32;
  const AddressMap map = StripesOver(1, 0, size);
  EXPECT_GE(map.Locate(0).Run, size);
  EXPECT_EQ(map.LocalSize(0, size), size);
}

TEST(Stripes, NoFileAndNoStripeAreErrors)
{
  EXPECT_THROW(StripesOver(0, 10, 100), Error);
  EXPECT_THROW(StripesOver(2, 0, 100), Error);
}

}
