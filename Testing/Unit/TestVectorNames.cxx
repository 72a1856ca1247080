// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/VectorNames.h"

#include <gtest/gtest.h>

using dsm::describe::JoinedName;
using dsm::describe::JoinVectors;

TEST(VectorNames, LettersAtTheEnd)
{
  using Names = std::vector<std::string>;
  using Joined = std::vector<JoinedName>;
  EXPECT_EQ(JoinVectors({ "VelocityZ", "Pressure", "VelocityX", "VelocityY" }),
    (Joined{
      { "Velocity", { "VelocityX", "VelocityY", "VelocityZ" } }, { "Pressure", { "Pressure" } } }));
  EXPECT_EQ(JoinVectors({ "disp_x", "disp_y" }), (Joined{ { "disp", { "disp_x", "disp_y" } } }));
  // One letter alone, letters of both cases, and no name before them are no vector.
  const Names apart{ "fluX", "fluy", "x", "y", "z", "maxZ" };
  Joined same;
  for (const std::string& name : apart)
  {
    same.push_back({ name, { name } });
  }
  EXPECT_EQ(JoinVectors(apart), same);
  // A tensor is not three vectors, and a name that is taken is not given twice.
  EXPECT_EQ(JoinVectors({ "s_xx", "s_xy", "s_xz" }),
    (Joined{ { "s_xx", { "s_xx" } }, { "s_xy", { "s_xy" } }, { "s_xz", { "s_xz" } } }));
  EXPECT_EQ(
    JoinVectors({ "u", "ux", "uy" }), (Joined{ { "u", { "u" } }, { "u vector", { "ux", "uy" } } }));
  EXPECT_EQ(JoinVectors({}), Joined{});
}
