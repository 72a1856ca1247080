// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vtkSmartPointer.h>

class vtkDataObject;

namespace dsm::readers
{

/// One piece of composite data that a reader has returned whole to each rank, as vtkHDFReader of
/// ParaView 5.13 does with collections, multiblocks and AMR. The leaves go to the pieces in turn;
/// each piece has the whole structure. Other data is returned as it is.
vtkSmartPointer<vtkDataObject> ExtractPiece(vtkDataObject* data, int piece, int pieces);

}
