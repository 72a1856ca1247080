// SPDX-License-Identifier: BSD-3-Clause
#include "vtkDSMHdf5Source.h"

#include <vtkDataArraySelection.h>

vtkDSMHdf5Source::vtkDSMHdf5Source()
{
  this->SetNumberOfInputPorts(0);
  this->SetNumberOfOutputPorts(1);
}

vtkDSMHdf5Source::~vtkDSMHdf5Source() = default;

vtkDataArraySelection* vtkDSMHdf5Source::GetPointDataArraySelection()
{
  return this->PointArrays;
}

void vtkDSMHdf5Source::PrintSelf(ostream& os, vtkIndent indent)
{
  this->Superclass::PrintSelf(os, indent);
  os << indent << "FileName: " << this->FileName << "\n";
}
