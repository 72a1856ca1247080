// SPDX-License-Identifier: BSD-3-Clause
#include "Transport/SharedMemory/StreamCopy.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace
{

TEST(StreamCopy, CopiesWhatItShouldAndNothingElse)
{
  std::mt19937 random(9);
  std::vector<unsigned char> source(5000);
  for (auto& byte : source)
  {
    byte = static_cast<unsigned char>(random());
  }
  for (int trial = 0; trial < 3000; ++trial)
  {
    const std::size_t from = random() % 200;
    const std::size_t to = random() % 200;
    const std::size_t size = trial < 300 ? static_cast<std::size_t>(trial) : random() % 4500;
    std::vector<unsigned char> target(5000, 0xee);
    dsm::StreamCopy(target.data() + to, source.data() + from, size);
    for (std::size_t i = 0; i < target.size(); ++i)
    {
      const bool inside = i >= to && i < to + size;
      ASSERT_EQ(target[i], inside ? source[from + i - to] : 0xee)
        << "byte " << i << " of a copy from " << from << " to " << to << ", " << size << " bytes";
    }
  }
}

}
