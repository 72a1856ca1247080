// SPDX-License-Identifier: BSD-3-Clause
#include "InternalReader.h"

#include "Base/Error.h"
#include "DescribedReader.h"
#include "VtkHdfReader.h"

#include <vtkDataArraySelection.h>
#include <vtkNew.h>

namespace dsm::readers
{

namespace
{
void CopyNewArrays(vtkDataArraySelection* from, vtkDataArraySelection* to)
{
  for (int index = 0; from && index < from->GetNumberOfArrays(); ++index)
  {
    to->AddArray(from->GetArrayName(index));
  }
}

void ApplyChoice(vtkDataArraySelection* choice, vtkDataArraySelection* to)
{
  for (int index = 0; to && index < to->GetNumberOfArrays(); ++index)
  {
    const char* name = to->GetArrayName(index);
    if (choice->ArrayExists(name) && !choice->ArrayIsEnabled(name))
    {
      to->DisableArray(name);
    }
  }
}

// For readers with vtkDataArraySelections, as most of ParaView's.
InternalReader WithSelections(
  vtkAlgorithm* algorithm, vtkDataArraySelection* points, vtkDataArraySelection* cells)
{
  InternalReader reader;
  reader.Algorithm = algorithm;
  reader.AddArrays = [=](const ArrayChoice& choice)
  {
    CopyNewArrays(points, choice.Points);
    CopyNewArrays(cells, choice.Cells);
  };
  reader.Choose = [=](const ArrayChoice& choice)
  {
    ApplyChoice(choice.Points, points);
    ApplyChoice(choice.Cells, cells);
  };
  return reader;
}

InternalReader Described(
  const std::string& name, const describe::Description& holds, const describe::Describer& describe)
{
  vtkNew<DescribedReader> reader;
  reader->SetFile(name, holds, describe);
  return WithSelections(
    reader, reader->GetPointDataArraySelection(), reader->GetCellDataArraySelection());
}
}

InternalReader MakeInternalReader(const std::string& name, const Recognition& recognition)
{
  if (recognition.Holds)
  {
    return Described(name, *recognition.Holds, recognition.Describe);
  }
  if (recognition.As != Kind::VtkHdf)
  {
    throw Error(Fault::Unsupported, "there is no reader for {}", recognition.Name());
  }
  vtkNew<VtkHdfReader> reader;
  reader->SetFile(name);
  return WithSelections(
    reader, reader->GetPointDataArraySelection(), reader->GetCellDataArraySelection());
}

}
