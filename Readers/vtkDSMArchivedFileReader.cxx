// SPDX-License-Identifier: BSD-3-Clause
#include "vtkDSMArchivedFileReader.h"

#include <vtkObjectFactory.h>

#include <hdf5.h>

vtkStandardNewMacro(vtkDSMArchivedFileReader);

int vtkDSMArchivedFileReader::CanReadFile(const char* name)
{
  return this->Superclass::CanReadFile(name) != 0 ||
      (name && H5Fis_accessible(name, H5P_DEFAULT) > 0)
    ? 1
    : 0;
}
