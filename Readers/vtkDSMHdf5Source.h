// SPDX-License-Identifier: BSD-3-Clause
/**
 * @class   vtkDSMHdf5Source
 * @brief   Base class of the sources of one HDF5 file: its name, and which arrays are read.
 */
#ifndef vtkDSMHdf5Source_h
#define vtkDSMHdf5Source_h

#include "vtkDSMReadersModule.h" // For export macro

#include <vtkDataObjectAlgorithm.h>
#include <vtkNew.h> // For vtkNew

#include <string> // For std::string

class vtkDataArraySelection;

class VTKDSMREADERS_EXPORT vtkDSMHdf5Source : public vtkDataObjectAlgorithm
{
public:
  vtkAbstractTypeMacro(vtkDSMHdf5Source, vtkDataObjectAlgorithm);
  vtkDSMHdf5Source(const vtkDSMHdf5Source&) = delete;
  void operator=(const vtkDSMHdf5Source&) = delete;
  void PrintSelf(ostream& os, vtkIndent indent) override;

  /// Any name that HDF5's default driver can open.
  vtkSetStdStringFromCharMacro(FileName);
  vtkGetCharFromStdStringMacro(FileName);

  /// Which arrays to read, of points or of a table; filled when the file's information is read.
  vtkDataArraySelection* GetPointDataArraySelection();

protected:
  vtkDSMHdf5Source();
  ~vtkDSMHdf5Source() override;

  std::string FileName;
  vtkNew<vtkDataArraySelection> PointArrays;
};

#endif
