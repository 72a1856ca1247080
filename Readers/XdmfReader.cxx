// SPDX-License-Identifier: BSD-3-Clause
#include "XdmfReader.h"

#include <vtkDataArraySelection.h>
#include <vtkNew.h>
#include <vtkXdmfReader.h>

namespace dsm::readers
{

namespace
{
bool Wanted(vtkDataArraySelection* choice, const char* name)
{
  return !choice->ArrayExists(name) || choice->ArrayIsEnabled(name);
}
}

InternalReader MakeXdmfReader(const std::string& text)
{
  vtkNew<vtkXdmfReader> reader;
  reader->SetReadFromInputString(true);
  reader->SetInputString(text.c_str());

  InternalReader inner;
  inner.Algorithm = reader;
  inner.HandlesPieces = true;
  vtkXdmfReader* const raw = reader;
  inner.AddArrays = [raw](const ArrayChoice& choice)
  {
    for (int index = 0; index < raw->GetNumberOfPointArrays(); ++index)
    {
      choice.Points->AddArray(raw->GetPointArrayName(index));
    }
    for (int index = 0; index < raw->GetNumberOfCellArrays(); ++index)
    {
      choice.Cells->AddArray(raw->GetCellArrayName(index));
    }
  };
  inner.Choose = [raw](const ArrayChoice& choice)
  {
    for (int index = 0; index < raw->GetNumberOfPointArrays(); ++index)
    {
      const char* name = raw->GetPointArrayName(index);
      raw->SetPointArrayStatus(name, Wanted(choice.Points, name));
    }
    for (int index = 0; index < raw->GetNumberOfCellArrays(); ++index)
    {
      const char* name = raw->GetCellArrayName(index);
      raw->SetCellArrayStatus(name, Wanted(choice.Cells, name));
    }
  };
  return inner;
}

}
