// SPDX-License-Identifier: BSD-3-Clause
// Arrays that a reader of VTK has made are replaced by ones that compute their ranges once.
#include "Readers/RangedData.h"

#include <gtest/gtest.h>

#include <vtkCellData.h>
#include <vtkDoubleArray.h>
#include <vtkFloatArray.h>
#include <vtkIdTypeArray.h>
#include <vtkImageData.h>
#include <vtkInformation.h>
#include <vtkInformationStringKey.h>
#include <vtkLongArray.h>
#include <vtkLookupTable.h>
#include <vtkMultiBlockDataSet.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkSOADataArrayTemplate.h>
#include <vtkStringArray.h>
#include <vtkUnsignedCharArray.h>

#include <string>

namespace
{

using dsm::readers::UseRangedArrays;

constexpr int Side = 65; // 64^3 doubles are 2 MiB
constexpr vtkIdType Points = vtkIdType(Side) * Side * Side;
constexpr vtkIdType Cells = vtkIdType(Side - 1) * (Side - 1) * (Side - 1);

template <typename Array>
vtkSmartPointer<Array> ArrayOf(const char* name, vtkIdType tuples, int components = 1)
{
  auto array = vtkSmartPointer<Array>::New();
  array->SetName(name);
  array->SetNumberOfComponents(components);
  array->SetNumberOfTuples(tuples);
  for (vtkIdType tuple = 0; tuple < tuples; ++tuple)
  {
    for (int component = 0; component < components; ++component)
    {
      array->SetTypedComponent(tuple, component,
        static_cast<typename Array::ValueType>((tuple * 7 + vtkIdType(3) * component) % 101));
    }
  }
  return array;
}

vtkSmartPointer<vtkImageData> Image()
{
  auto image = vtkSmartPointer<vtkImageData>::New();
  image->SetDimensions(Side, Side, Side);
  return image;
}

// Arrays of several roles: one is small, one is in another layout, and one is text.
vtkSmartPointer<vtkImageData> ImageWithArrays()
{
  auto image = Image();
  auto* const points = image->GetPointData();
  points->AddArray(ArrayOf<vtkDoubleArray>("first", Points));
  points->SetScalars(ArrayOf<vtkFloatArray>("heat", Points));
  const auto velocity = ArrayOf<vtkDoubleArray>("velocity", Points, 3);
  velocity->SetComponentName(0, "u");
  velocity->SetComponentName(2, "w");
  points->SetVectors(velocity);
  points->SetGlobalIds(ArrayOf<vtkIdTypeArray>("ids", Points));
  points->AddArray(ArrayOf<vtkLongArray>("steps", Points));
  points->AddArray(ArrayOf<vtkSOADataArrayTemplate<double>>("columns", Points, 3));
  auto* const cells = image->GetCellData();
  cells->AddArray(ArrayOf<vtkUnsignedCharArray>("small", Cells));
  cells->AddArray(ArrayOf<vtkDoubleArray>("volume", Cells));
  auto* const fields = image->GetFieldData();
  vtkNew<vtkStringArray> words;
  words->SetName("words");
  words->InsertNextValue("a");
  fields->AddArray(words);
  fields->AddArray(ArrayOf<vtkDoubleArray>("table", Points, 2));
  return image;
}

TEST(RangedData, ReplacedArraysKeepAllButTheirClass)
{
  const auto image = ImageWithArrays();
  vtkNew<vtkImageData> before;
  before->ShallowCopy(image);
  UseRangedArrays(image);
  int replaced = 0;
  for (const int kind : { vtkDataObject::POINT, vtkDataObject::CELL, vtkDataObject::FIELD })
  {
    auto* const now = image->GetAttributesAsFieldData(kind);
    auto* const then = before->GetAttributesAsFieldData(kind);
    ASSERT_EQ(now->GetNumberOfArrays(), then->GetNumberOfArrays());
    for (int index = 0; index < now->GetNumberOfArrays(); ++index)
    {
      auto* const old = then->GetArray(index);
      if (now->GetAbstractArray(index) == then->GetAbstractArray(index))
      {
        continue;
      }
      ++replaced;
      auto* const array = now->GetArray(index);
      ASSERT_TRUE(array && old);
      EXPECT_STREQ(array->GetName(), old->GetName());
      EXPECT_TRUE(array->IsA(old->GetClassName())) << array->GetClassName();
      EXPECT_EQ(array->GetVoidPointer(0), old->GetVoidPointer(0)) << array->GetName();
      EXPECT_EQ(array->GetNumberOfTuples(), old->GetNumberOfTuples());
      ASSERT_EQ(array->GetNumberOfComponents(), old->GetNumberOfComponents());
      for (int component = -1; component < array->GetNumberOfComponents(); ++component)
      {
        double range[2], expected[2];
        array->GetRange(range, component);
        old->GetRange(expected, component);
        EXPECT_EQ(range[0], expected[0]) << array->GetName();
        EXPECT_EQ(range[1], expected[1]) << array->GetName();
      }
    }
  }
  // All but `small`, `columns` and `words`.
  EXPECT_EQ(replaced, 7);
}

TEST(RangedData, RolesStay)
{
  const auto image = ImageWithArrays();
  UseRangedArrays(image);
  auto* const points = image->GetPointData();
  ASSERT_TRUE(points->GetScalars() && points->GetVectors() && points->GetGlobalIds());
  EXPECT_STREQ(points->GetScalars()->GetName(), "heat");
  EXPECT_EQ(points->GetScalars(), points->GetArray("heat"));
  EXPECT_STREQ(points->GetVectors()->GetName(), "velocity");
  EXPECT_STREQ(points->GetVectors()->GetComponentName(2), "w");
  EXPECT_STREQ(points->GetGlobalIds()->GetName(), "ids");
  EXPECT_STREQ(points->GetArrayName(0), "first");
}

TEST(RangedData, KeysAndLookupTablesAreCopied)
{
  const auto image = Image();
  const auto array = ArrayOf<vtkDoubleArray>("u", Points);
  vtkNew<vtkLookupTable> colours;
  array->SetLookupTable(colours);
  array->GetInformation()->Set(vtkAbstractArray::GUI_HIDE(), 1);
  image->GetPointData()->AddArray(array);
  UseRangedArrays(image);
  auto* const ranged = image->GetPointData()->GetArray("u");
  ASSERT_NE(ranged, array);
  EXPECT_EQ(ranged->GetLookupTable(), colours);
  EXPECT_EQ(ranged->GetInformation()->Get(vtkAbstractArray::GUI_HIDE()), 1);
}

TEST(RangedData, GhostArraysStay)
{
  const auto image = Image();
  auto ghosts = ArrayOf<vtkUnsignedCharArray>("vtkGhostType", 5 * Points);
  image->GetPointData()->AddArray(ghosts);
  UseRangedArrays(image);
  EXPECT_EQ(image->GetPointData()->GetArray("vtkGhostType"), ghosts);
}

TEST(RangedData, ArraysWithoutTheirOwnNameStay)
{
  const auto image = Image();
  auto* const points = image->GetPointData();
  const auto unnamed = ArrayOf<vtkDoubleArray>(nullptr, Points);
  const auto one = ArrayOf<vtkDoubleArray>("one", Points),
             two = ArrayOf<vtkDoubleArray>("two", Points);
  for (auto* const array : { unnamed.Get(), one.Get(), two.Get() })
  {
    points->AddArray(array);
  }
  two->SetName("one");
  UseRangedArrays(image);
  ASSERT_EQ(points->GetNumberOfArrays(), 3);
  EXPECT_EQ(points->GetArray(0), unnamed);
  EXPECT_NE(points->GetArray(1), one);
  EXPECT_EQ(points->GetArray(2), two);
}

TEST(RangedData, LeavesOfBlocksAreReplaced)
{
  vtkNew<vtkMultiBlockDataSet> outer, inner;
  const auto image = ImageWithArrays();
  auto* const before = image->GetPointData()->GetArray("heat");
  inner->SetBlock(1, image);
  outer->SetBlock(2, inner);
  UseRangedArrays(outer);
  EXPECT_NE(image->GetPointData()->GetArray("heat"), before);
}

}
