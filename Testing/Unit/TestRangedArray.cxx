// SPDX-License-Identifier: BSD-3-Clause
// Ranges of the readers' arrays are those that VTK's own arrays compute of the same values.
#include "Readers/RangedArray.h"

#include <gtest/gtest.h>

#include <vtkDoubleArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkSMPTools.h>
#include <vtkUnsignedCharArray.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace
{

using dsm::readers::NewRangedArray;
using Array = vtkSmartPointer<vtkDataArray>;

constexpr std::array Types{ VTK_CHAR, VTK_SIGNED_CHAR, VTK_UNSIGNED_CHAR, VTK_SHORT,
  VTK_UNSIGNED_SHORT, VTK_INT, VTK_UNSIGNED_INT, VTK_LONG, VTK_UNSIGNED_LONG, VTK_ID_TYPE,
  VTK_LONG_LONG, VTK_UNSIGNED_LONG_LONG, VTK_FLOAT, VTK_DOUBLE };
constexpr double NaN = std::numeric_limits<double>::quiet_NaN();
constexpr double Infinity = std::numeric_limits<double>::infinity();

// Makes an array whose values follow each other in tuples; the rest of a last tuple is 1.
Array ArrayOf(int type, int components, const std::vector<double>& values)
{
  auto array = NewRangedArray(type);
  array->SetNumberOfComponents(components);
  const auto count = static_cast<vtkIdType>(values.size());
  array->SetNumberOfTuples((count + components - 1) / components);
  array->Fill(1);
  for (vtkIdType index = 0; index < count; ++index)
  {
    array->SetComponent(index / components, static_cast<int>(index % components), values[index]);
  }
  return array;
}

Array VtkCopy(vtkDataArray* array)
{
  auto copy = vtk::TakeSmartPointer(vtkDataArray::CreateDataArray(array->GetDataType()));
  copy->DeepCopy(array);
  return copy;
}

using Range = std::array<double, 2>;

// Numbers are equal if their bits are, so that zeros have the same sign.
bool Same(const Range& one, const Range& other)
{
  const auto same = [](double left, double right)
  {
    return (std::isnan(left) && std::isnan(right)) ||
      std::bit_cast<std::uint64_t>(left) == std::bit_cast<std::uint64_t>(right);
  };
  return same(one[0], other[0]) && same(one[1], other[1]);
}

// Returns all ranges, as the array gives them and as the attributes that it is in.
std::vector<Range> RangesOf(vtkDataArray* array, vtkUnsignedCharArray* ghosts = nullptr)
{
  vtkNew<vtkPointData> attributes;
  const int index = attributes->AddArray(array);
  if (ghosts)
  {
    attributes->AddArray(ghosts);
  }
  std::vector<Range> ranges;
  for (int component = -1; component < array->GetNumberOfComponents(); ++component)
  {
    Range range{};
    array->GetRange(range.data(), component);
    ranges.push_back(range);
    array->GetFiniteRange(range.data(), component);
    ranges.push_back(range);
    attributes->GetRange(index, range.data(), component);
    ranges.push_back(range);
    attributes->GetFiniteRange(index, range.data(), component);
    ranges.push_back(range);
  }
  return ranges;
}

void ExpectVtkRanges(vtkDataArray* array, vtkUnsignedCharArray* ghosts = nullptr)
{
  const auto expected = RangesOf(VtkCopy(array), ghosts);
  const auto ranges = RangesOf(array, ghosts);
  ASSERT_EQ(ranges.size(), expected.size());
  for (std::size_t index = 0; index < ranges.size(); ++index)
  {
    EXPECT_TRUE(Same(ranges[index], expected[index]))
      << array->GetClassName() << " of " << array->GetNumberOfTuples() << " tuples, component "
      << static_cast<int>(index / 4) - 1 << ", way " << index % 4 << ": " << ranges[index][0]
      << " to " << ranges[index][1] << ", VTK " << expected[index][0] << " to "
      << expected[index][1];
  }
}

class RangedArray : public testing::TestWithParam<int>
{
  void SetUp() override
  {
    // The sign of zero depends on how VTK divides the values among threads.
    vtkSMPTools::SetBackend("Sequential");
  }
};

TEST_P(RangedArray, IsOneOfVtksArrays)
{
  const auto array = NewRangedArray(GetParam());
  const auto plain = vtk::TakeSmartPointer(vtkDataArray::CreateDataArray(GetParam()));
  EXPECT_TRUE(array->IsA(plain->GetClassName())) << array->GetClassName();
  EXPECT_EQ(array->GetDataType(), GetParam());
  const auto instance = vtk::TakeSmartPointer(array->NewInstance());
  EXPECT_STREQ(instance->GetClassName(), array->GetClassName());
}

TEST_P(RangedArray, HasVtksRangesOfAnySize)
{
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> values(0, 100);
  for (const int components : { 1, 2, 3, 4, 9, 10, 300 })
  {
    for (const int tuples : { 1, 2, 85, 86, 255, 256, 257, 1001 })
    {
      std::vector<double> all(static_cast<std::size_t>(components) * tuples);
      for (double& value : all)
      {
        value = values(random);
      }
      ExpectVtkRanges(ArrayOf(GetParam(), components, all));
    }
  }
}

TEST_P(RangedArray, HasVtksRangesOfExtremeValues)
{
  const auto array = ArrayOf(GetParam(), 3, std::vector<double>(600, 5));
  const double least = array->GetDataTypeMin(), most = array->GetDataTypeMax();
  for (const double value : { least, most, 0.0 })
  {
    array->SetComponent(77, 1, value);
    array->SetComponent(199, 2, value);
    array->Modified();
    ExpectVtkRanges(array);
    array->Fill(value);
    array->Modified();
    ExpectVtkRanges(array);
  }
}

TEST_P(RangedArray, HasVtksRangesWithoutValues)
{
  for (const int components : { 1, 3 })
  {
    const auto array = ArrayOf(GetParam(), components, {});
    Range range{}, expected{};
    for (int component = -1; component < components; ++component)
    {
      array->GetRange(range.data(), component);
      VtkCopy(array)->GetRange(expected.data(), component);
      EXPECT_TRUE(Same(range, expected));
      array->GetFiniteRange(range.data(), component);
      VtkCopy(array)->GetFiniteRange(expected.data(), component);
      EXPECT_TRUE(Same(range, expected));
    }
  }
}

TEST_P(RangedArray, LeavesGhostsToVtk)
{
  const auto array = ArrayOf(GetParam(), 3, { 9, 9, 9, 1, 2, 3, 4, 5, 6, 7, 1, 2 });
  vtkNew<vtkUnsignedCharArray> ghosts;
  ghosts->SetName(vtkDataSetAttributes::GhostArrayName());
  ghosts->SetNumberOfValues(4);
  ghosts->Fill(0);
  ghosts->SetValue(0, vtkDataSetAttributes::HIDDENPOINT);
  ExpectVtkRanges(array, ghosts);
}

TEST_P(RangedArray, ComputesAnewWhenModified)
{
  const auto array = ArrayOf(GetParam(), 2, { 1, 2, 3, 4 });
  ExpectVtkRanges(array);
  array->SetComponent(1, 0, 50);
  array->Modified();
  EXPECT_EQ(array->GetRange(0)[1], 50);
  ExpectVtkRanges(array);
  array->InsertNextTuple2(60, 70);
  array->Modified();
  EXPECT_EQ(array->GetFiniteRange(1)[1], 70);
  ExpectVtkRanges(array);
  array->SetNumberOfComponents(1);
  array->Modified();
  ExpectVtkRanges(array);
}

INSTANTIATE_TEST_SUITE_P(Types, RangedArray, testing::ValuesIn(Types));

class RangedReals : public RangedArray
{
};

TEST_P(RangedReals, HaveVtksRangesOfAnySpecialValues)
{
  const std::vector<double> special{ NaN, -NaN, Infinity, -Infinity, 0.0, -0.0, 1e-310, -1e-310,
    1e38, -1e38, 2e38, -2e38, 1e300, -1e300, 1e299, 1e200, 1e150, 1, -1 };
  std::mt19937_64 random(2);
  std::uniform_int_distribution<std::size_t> any(0, special.size() - 1);
  for (int round = 0; round < 2000; ++round)
  {
    // Some of them, so that there are arrays without NaN, without infinite values, and so on.
    std::vector<double> chosen(1 + any(random) / 4);
    for (double& value : chosen)
    {
      value = special[any(random)];
    }
    std::vector<double> values(1 + any(random) * any(random));
    for (double& value : values)
    {
      value = chosen[any(random) % chosen.size()];
    }
    ExpectVtkRanges(ArrayOf(GetParam(), 1 + round % 4, values));
  }
}

TEST_P(RangedReals, HaveVtksRangesWithoutNumbers)
{
  for (const double value : { NaN, Infinity, -Infinity })
  {
    ExpectVtkRanges(ArrayOf(GetParam(), 1, std::vector<double>(700, value)));
    ExpectVtkRanges(ArrayOf(GetParam(), 3, std::vector<double>(700, value)));
  }
}

INSTANTIATE_TEST_SUITE_P(Types, RangedReals, testing::Values(VTK_FLOAT, VTK_DOUBLE));
}

TEST(NewRangedArray, ReturnsNullForOtherTypes)
{
  EXPECT_EQ(NewRangedArray(VTK_STRING), nullptr);
  EXPECT_EQ(NewRangedArray(VTK_BIT), nullptr);
}
