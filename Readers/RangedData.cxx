// SPDX-License-Identifier: BSD-3-Clause
#include "RangedData.h"

#include "RangedArray.h"

#include <vtkCompositeDataIterator.h>
#include <vtkCompositeDataSet.h>
#include <vtkDataArray.h>
#include <vtkDataSetAttributes.h>
#include <vtkFieldData.h>
#include <vtkLookupTable.h>

#include <string_view>

namespace dsm::readers
{

namespace
{
bool IsLarge(vtkDataArray* array)
{
  return static_cast<std::uint64_t>(array->GetNumberOfValues()) *
    static_cast<std::uint64_t>(array->GetDataTypeSize()) >=
    LargeRangedArray;
}

// Returns an array that shares the memory of this one, or null if there is none for its type.
vtkSmartPointer<vtkDataArray> RangedCopy(vtkDataArray* array)
{
  // Other layouts would be copied.
  if (array->GetArrayType() != vtkAbstractArray::AoSDataArrayTemplate)
  {
    return nullptr;
  }
  auto ranged = NewRangedArray(array->GetDataType());
  if (ranged)
  {
    ranged->ShallowCopy(array);
    ranged->SetLookupTable(array->GetLookupTable());
    if (array->HasInformation())
    {
      ranged->CopyInformation(array->GetInformation());
    }
  }
  return ranged;
}

void UseRangedArrays(vtkFieldData* arrays)
{
  for (int index = 0; arrays && index < arrays->GetNumberOfArrays(); ++index)
  {
    // An array is replaced by its name.
    auto* const array = arrays->GetArray(index);
    const char* const name = array ? array->GetName() : nullptr;
    if (name && arrays->GetAbstractArray(name) == array && IsLarge(array) &&
      std::string_view(name) != vtkDataSetAttributes::GhostArrayName())
    {
      if (const auto ranged = RangedCopy(array))
      {
        arrays->AddArray(ranged);
      }
    }
  }
}
}

void UseRangedArrays(vtkDataObject* data)
{
  if (auto* const composite = vtkCompositeDataSet::SafeDownCast(data))
  {
    const auto leaves = vtk::TakeSmartPointer(composite->NewIterator());
    for (leaves->InitTraversal(); !leaves->IsDoneWithTraversal(); leaves->GoToNextItem())
    {
      UseRangedArrays(leaves->GetCurrentDataObject());
    }
  }
  for (const int kind : { vtkDataObject::POINT, vtkDataObject::CELL, vtkDataObject::FIELD })
  {
    UseRangedArrays(data->GetAttributesAsFieldData(kind));
  }
}

}
