// SPDX-License-Identifier: BSD-3-Clause
#include "InternalReader.h"

#include "ArraySelections.h"
#include "Base/Error.h"
#include "Describe/Text.h"
#include "DescribedReader.h"
#include "VtkHdfReader.h"

#include <vtkDataArraySelection.h>
#include <vtkNew.h>

#include <set>
#include <string>
#include <vector>

namespace dsm::readers
{

namespace
{
using Names = std::set<std::string>;

void CopyNewArrays(vtkDataArraySelection* from, vtkDataArraySelection* to, const Names& except)
{
  std::vector<std::string> names;
  for (int index = 0; from && index < from->GetNumberOfArrays(); ++index)
  {
    if (except.count(from->GetArrayName(index)) == 0)
    {
      names.emplace_back(from->GetArrayName(index));
    }
  }
  AddArrays(names, to);
}

void ApplyChoice(vtkDataArraySelection* choice, vtkDataArraySelection* to, const Names& except)
{
  if (to)
  {
    DisableArrays(DisabledArrays(choice), to);
    for (const std::string& name : except)
    {
      if (to->ArrayExists(name.c_str()))
      {
        to->DisableArray(name.c_str());
      }
    }
  }
}

// For readers with vtkDataArraySelections, as most of ParaView's. Never reads the arrays of these
// names.
InternalReader WithSelections(vtkAlgorithm* algorithm, vtkDataArraySelection* points,
  vtkDataArraySelection* cells, const Names& except = {})
{
  InternalReader reader;
  reader.Algorithm = algorithm;
  reader.AddArrays = [=](const ArrayChoice& choice)
  {
    CopyNewArrays(points, choice.Points, except);
    CopyNewArrays(cells, choice.Cells, except);
  };
  reader.Choose = [=](const ArrayChoice& choice)
  {
    ApplyChoice(choice.Points, points, except);
    ApplyChoice(choice.Cells, cells, except);
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
  Names unreadable;
  for (const describe::LeftOut& left : recognition.Left)
  {
    unreadable.insert(describe::LastName(left.Path));
  }
  return WithSelections(
    reader, reader->GetPointDataArraySelection(), reader->GetCellDataArraySelection(), unreadable);
}

}
