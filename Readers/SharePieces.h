// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vtkSmartPointer.h>

class vtkDataObject;

namespace dsm::readers
{

/// One rank's share of composite data that its reader gave to every rank whole, as vtkHDFReader of
/// ParaView 5.13 does with collections, multiblocks and AMR: each leaf stays on one rank, in turn,
/// and the structure on all. Other data is given back as it is.
vtkSmartPointer<vtkDataObject> ShareOf(vtkDataObject* data, int piece, int pieces);

}
