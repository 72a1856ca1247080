// SPDX-License-Identifier: BSD-3-Clause
/**
 * @class   vtkDSMDatasetReader
 * @brief   Presents plain HDF5 datasets as an image.
 *
 * Many simulations write arrays and nothing that says what they mean. Of a file's datasets of
 * numbers, those of the largest one- to three-dimensional shape become the point arrays of one
 * vtkImageData with unit spacing, named by their paths without the leading '/'.
 *
 * HDF5 stores the last dimension fastest and VTK the first: a dataset of shape (nz, ny, nx) is an
 * image of nx x ny x nz points, and its bytes are read as they lie. Each rank reads its own extent.
 */
#ifndef vtkDSMDatasetReader_h
#define vtkDSMDatasetReader_h

#include "vtkDSMReadersModule.h" // For export macro

#include <vtkImageAlgorithm.h>
#include <vtkNew.h> // For vtkNew

#include <memory> // For std::unique_ptr
#include <string> // For std::string

class vtkDataArraySelection;

class VTKDSMREADERS_EXPORT vtkDSMDatasetReader : public vtkImageAlgorithm
{
public:
  static vtkDSMDatasetReader* New();
  vtkTypeMacro(vtkDSMDatasetReader, vtkImageAlgorithm);
  vtkDSMDatasetReader(const vtkDSMDatasetReader&) = delete;
  void operator=(const vtkDSMDatasetReader&) = delete;
  void PrintSelf(ostream& os, vtkIndent indent) override;

  /// Any name HDF5's default driver opens.
  vtkSetStdStringFromCharMacro(FileName);
  vtkGetCharFromStdStringMacro(FileName);

  /// Which datasets to read; filled when the file's information is read.
  vtkDataArraySelection* GetPointDataArraySelection();

protected:
  vtkDSMDatasetReader();
  ~vtkDSMDatasetReader() override;

  int RequestInformation(
    vtkInformation*, vtkInformationVector**, vtkInformationVector* outputVector) override;
  int RequestData(
    vtkInformation*, vtkInformationVector**, vtkInformationVector* outputVector) override;

private:
  std::string FileName;
  vtkNew<vtkDataArraySelection> Selection;
  class vtkInternals;
  std::unique_ptr<vtkInternals> Internals;
};

#endif
