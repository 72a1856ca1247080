// SPDX-License-Identifier: BSD-3-Clause
/**
 * @class   vtkDSMDatasetReader
 * @brief   Reads plain HDF5 datasets as an image.
 *
 * Many simulations write arrays without a description. Of a file's datasets of numbers, those with
 * the largest one- to three-dimensional shape become the point arrays of one vtkImageData with unit
 * spacing, named by their paths without the leading '/'.
 *
 * HDF5 stores the last dimension fastest and VTK the first: a dataset of shape (nz, ny, nx) is an
 * image of nx x ny x nz points, and its bytes are read without a transposition. Each rank reads its
 * own extent.
 */
#ifndef vtkDSMDatasetReader_h
#define vtkDSMDatasetReader_h

#include "vtkDSMHdf5Source.h"
#include "vtkDSMReadersModule.h" // For export macro

#include <memory> // For std::unique_ptr
#include <string> // For std::string

class VTKDSMREADERS_EXPORT vtkDSMDatasetReader : public vtkDSMHdf5Source
{
public:
  static vtkDSMDatasetReader* New();
  vtkTypeMacro(vtkDSMDatasetReader, vtkDSMHdf5Source);
  vtkDSMDatasetReader(const vtkDSMDatasetReader&) = delete;
  void operator=(const vtkDSMDatasetReader&) = delete;
  void PrintSelf(ostream& os, vtkIndent indent) override;

protected:
  vtkDSMDatasetReader();
  ~vtkDSMDatasetReader() override;

  int FillOutputPortInformation(int port, vtkInformation* info) override;
  int RequestInformation(
    vtkInformation*, vtkInformationVector**, vtkInformationVector* outputVector) override;
  int RequestData(
    vtkInformation*, vtkInformationVector**, vtkInformationVector* outputVector) override;

private:
  class vtkInternals;
  std::unique_ptr<vtkInternals> Internals;
};

#endif
