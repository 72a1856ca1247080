// SPDX-License-Identifier: BSD-3-Clause
#include "Readers/ArraySelections.h"

#include <vtkDataArraySelection.h>
#include <vtkNew.h>

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace
{
using dsm::readers::AddArrays;
using dsm::readers::DisableArrays;
using dsm::readers::DisabledArrays;

std::vector<std::pair<std::string, int>> Settings(vtkDataArraySelection* selection)
{
  std::vector<std::pair<std::string, int>> settings;
  settings.reserve(static_cast<std::size_t>(selection->GetNumberOfArrays()));
  for (int index = 0; index < selection->GetNumberOfArrays(); ++index)
  {
    settings.emplace_back(selection->GetArrayName(index), selection->GetArraySetting(index));
  }
  return settings;
}
}

TEST(ArraySelections, AddedArraysAreEnabledOnceAndOthersStay)
{
  vtkNew<vtkDataArraySelection> selection;
  AddArrays({ "u", "v", "u" }, selection);
  selection->DisableArray("v");
  AddArrays({ "v", "w", "u", "w" }, selection);
  EXPECT_EQ(Settings(selection),
    (std::vector<std::pair<std::string, int>>{ { "u", 1 }, { "v", 0 }, { "w", 1 } }));
}

TEST(ArraySelections, AddingIsNoChangeOfTheUsers)
{
  vtkNew<vtkDataArraySelection> selection;
  const auto before = selection->GetMTime();
  AddArrays({ "u" }, selection);
  AddArrays({ "v" }, selection);
  EXPECT_EQ(selection->GetMTime(), before);
}

TEST(ArraySelections, DisablesThoseOfTheOther)
{
  vtkNew<vtkDataArraySelection> other, selection;
  AddArrays({ "u", "v", "x" }, other);
  other->DisableArray("v");
  other->DisableArray("x");
  AddArrays({ "w", "v", "u" }, selection);
  const DisabledArrays disabled(other);
  EXPECT_TRUE(disabled.Has("v"));
  EXPECT_FALSE(disabled.Has("u"));
  EXPECT_FALSE(disabled.Has("w"));
  DisableArrays(disabled, selection);
  EXPECT_EQ(Settings(selection),
    (std::vector<std::pair<std::string, int>>{ { "w", 1 }, { "v", 0 }, { "u", 1 } }));
}

TEST(ArraySelections, NoSelectionDisablesNone)
{
  EXPECT_FALSE(DisabledArrays(nullptr).Has("u"));
}
