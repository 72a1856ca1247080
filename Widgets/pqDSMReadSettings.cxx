// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMReadSettings.h"

#include <vtkSMProperty.h>
#include <vtkSMProxy.h>

#include <algorithm>

const std::vector<const char*>& pqDSMReadSettings::names()
{
  static const std::vector<const char*> all{ "ReadAs", "AxisOrder", "Origin", "Spacing", "ValuesOf",
    "TimeFrom", "StepGroups", "GridCoordinates", "ColumnX", "ColumnY", "ColumnZ", "Recipe",
    "RecipeFile", "XdmfText", "XdmfFile" };
  return all;
}

bool pqDSMReadSettings::areDefault(vtkSMProxy* reader)
{
  return std::all_of(names().begin(), names().end(),
    [reader](const char* name)
    {
      auto* property = reader->GetProperty(name);
      return !property || property->IsValueDefault();
    });
}
