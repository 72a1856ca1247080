// SPDX-License-Identifier: BSD-3-Clause
#include "ArraySelections.h"

#include <vtkDataArraySelection.h>

namespace dsm::readers
{

DisabledArrays::DisabledArrays(vtkDataArraySelection* selection)
{
  for (int index = 0; selection && index < selection->GetNumberOfArrays(); ++index)
  {
    if (!selection->GetArraySetting(index))
    {
      this->Names.insert(selection->GetArrayName(index));
    }
  }
}

void AddArrays(const std::vector<std::string>& names, vtkDataArraySelection* selection)
{
  std::unordered_set<std::string> known;
  for (int index = 0; index < selection->GetNumberOfArrays(); ++index)
  {
    known.insert(selection->GetArrayName(index));
  }
  const bool isEmpty = known.empty();
  std::vector<const char*> added;
  for (const std::string& name : names)
  {
    if (known.insert(name).second)
    {
      added.push_back(name.c_str());
    }
  }
  if (isEmpty)
  {
    // VTK searches only among the arrays that there were before.
    selection->SetArrays(added.data(), static_cast<int>(added.size()));
    return;
  }
  for (const char* name : added)
  {
    selection->AddArray(name);
  }
}

void DisableArrays(const DisabledArrays& disabled, vtkDataArraySelection* selection)
{
  for (int index = 0; index < selection->GetNumberOfArrays(); ++index)
  {
    const char* name = selection->GetArrayName(index);
    if (disabled.Has(name))
    {
      selection->DisableArray(name);
    }
  }
}

}
