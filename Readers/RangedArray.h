// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vtkDataArray.h>
#include <vtkSmartPointer.h>

namespace dsm::readers
{

/// Makes an array of VTK's of this type (VTK_DOUBLE, …), which computes its ranges once and with
/// vector instructions. Returns null for types that no dataset is read into.
///
/// VTK keeps the ranges of an array in two places: GetRange in the array's information, and
/// vtkFieldData::GetRange, which ParaView calls for every array and every filter's output, in the
/// attributes that the array is in. Each computes them by itself, those of all values and those of
/// the finite ones. The array answers both, until it is modified. Ranges without ghost cells are
/// left to VTK. A copy, or a new instance, is one of VTK's own arrays.
vtkSmartPointer<vtkDataArray> NewRangedArray(int type);

}
