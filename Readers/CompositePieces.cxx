// SPDX-License-Identifier: BSD-3-Clause
#include "CompositePieces.h"

#include <vtkDataObjectTree.h>
#include <vtkDataObjectTreeIterator.h>
#include <vtkFieldData.h>
#include <vtkOverlappingAMR.h>
#include <vtkUniformGrid.h>

namespace dsm::readers
{

namespace
{
vtkSmartPointer<vtkDataObject> PieceOfTree(vtkDataObjectTree* tree, int piece, int pieces)
{
  auto result = vtk::TakeSmartPointer(tree->NewInstance());
  result->ShallowCopy(tree);
  auto leaves = vtk::TakeSmartPointer(result->NewTreeIterator());
  leaves->VisitOnlyLeavesOn();
  leaves->TraverseSubTreeOn();
  leaves->SkipEmptyNodesOn();
  int leaf = 0;
  for (leaves->InitTraversal(); !leaves->IsDoneWithTraversal(); leaves->GoToNextItem())
  {
    if (leaf++ % pieces != piece)
    {
      result->SetDataSet(leaves, nullptr);
    }
  }
  return result;
}

vtkSmartPointer<vtkDataObject> PieceOfAmr(vtkOverlappingAMR* amr, int piece, int pieces)
{
  auto result = vtk::TakeSmartPointer(amr->NewInstance());
  result->CopyStructure(amr);
  result->GetFieldData()->ShallowCopy(amr->GetFieldData());
  int leaf = 0;
  for (unsigned level = 0; level < amr->GetNumberOfLevels(); ++level)
  {
    for (unsigned block = 0; block < amr->GetNumberOfDataSets(level); ++block)
    {
      if (leaf++ % pieces == piece)
      {
        result->SetDataSet(level, block, amr->GetDataSet(level, block));
      }
    }
  }
  return result;
}
}

vtkSmartPointer<vtkDataObject> ExtractPiece(vtkDataObject* data, int piece, int pieces)
{
  if (pieces > 1)
  {
    if (auto* tree = vtkDataObjectTree::SafeDownCast(data))
    {
      return PieceOfTree(tree, piece, pieces);
    }
    if (auto* amr = vtkOverlappingAMR::SafeDownCast(data))
    {
      return PieceOfAmr(amr, piece, pieces);
    }
  }
  return data;
}

}
