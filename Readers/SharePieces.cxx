// SPDX-License-Identifier: BSD-3-Clause
#include "SharePieces.h"

#include <vtkDataObjectTree.h>
#include <vtkDataObjectTreeIterator.h>
#include <vtkFieldData.h>
#include <vtkOverlappingAMR.h>
#include <vtkUniformGrid.h>

namespace dsm::readers
{

namespace
{
vtkSmartPointer<vtkDataObject> ShareOfTree(vtkDataObjectTree* tree, int piece, int pieces)
{
  auto share = vtk::TakeSmartPointer(tree->NewInstance());
  share->ShallowCopy(tree);
  auto leaves = vtk::TakeSmartPointer(share->NewTreeIterator());
  leaves->VisitOnlyLeavesOn();
  leaves->TraverseSubTreeOn();
  leaves->SkipEmptyNodesOn();
  int turn = 0;
  for (leaves->InitTraversal(); !leaves->IsDoneWithTraversal(); leaves->GoToNextItem())
  {
    if (turn++ % pieces != piece)
    {
      share->SetDataSet(leaves, nullptr);
    }
  }
  return share;
}

vtkSmartPointer<vtkDataObject> ShareOfAmr(vtkOverlappingAMR* amr, int piece, int pieces)
{
  auto share = vtk::TakeSmartPointer(amr->NewInstance());
  share->CopyStructure(amr);
  share->GetFieldData()->ShallowCopy(amr->GetFieldData());
  int turn = 0;
  for (unsigned level = 0; level < amr->GetNumberOfLevels(); ++level)
  {
    for (unsigned block = 0; block < amr->GetNumberOfDataSets(level); ++block)
    {
      if (turn++ % pieces == piece)
      {
        share->SetDataSet(level, block, amr->GetDataSet(level, block));
      }
    }
  }
  return share;
}
}

vtkSmartPointer<vtkDataObject> ShareOf(vtkDataObject* data, int piece, int pieces)
{
  if (pieces > 1)
  {
    if (auto* tree = vtkDataObjectTree::SafeDownCast(data))
    {
      return ShareOfTree(tree, piece, pieces);
    }
    if (auto* amr = vtkOverlappingAMR::SafeDownCast(data))
    {
      return ShareOfAmr(amr, piece, pieces);
    }
  }
  return data;
}

}
