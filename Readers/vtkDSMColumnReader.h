// SPDX-License-Identifier: BSD-3-Clause
/**
 * @class   vtkDSMColumnReader
 * @brief   Presents plain HDF5 datasets of equal length as a table, or as points.
 *
 * Of a file's datasets of numbers with one dimension, or two with few entries per row, those with
 * the same number of rows become the columns of a vtkTable, or the point arrays of a vtkPolyData
 * with a vertex per row. Each rank reads its own share of the rows.
 *
 * The coordinates are columns that the user names by their path, or part of it ("x", "atoms/x"), or
 * else those with the usual names; one column with two or three components holds them all.
 */
#ifndef vtkDSMColumnReader_h
#define vtkDSMColumnReader_h

#include "vtkDSMReadersModule.h" // For export macro

#include <vtkDataObjectAlgorithm.h>
#include <vtkNew.h> // For vtkNew

#include <array>  // For std::array
#include <memory> // For std::unique_ptr
#include <string> // For std::string

class vtkDataArraySelection;

class VTKDSMREADERS_EXPORT vtkDSMColumnReader : public vtkDataObjectAlgorithm
{
public:
  static vtkDSMColumnReader* New();
  vtkTypeMacro(vtkDSMColumnReader, vtkDataObjectAlgorithm);
  vtkDSMColumnReader(const vtkDSMColumnReader&) = delete;
  void operator=(const vtkDSMColumnReader&) = delete;
  void PrintSelf(ostream& os, vtkIndent indent) override;

  /// Any name HDF5's default driver opens.
  vtkSetStdStringFromCharMacro(FileName);
  vtkGetCharFromStdStringMacro(FileName);

  ///@{
  /// Points, or a table.
  vtkSetMacro(AsPoints, bool);
  vtkGetMacro(AsPoints, bool);
  ///@}

  ///@{
  /// The columns of the coordinates; all empty: the usual names.
  void SetCoordinateColumn(int axis, const std::string& name);
  ///@}

  /// Which columns to read; filled when the file's information is read.
  vtkDataArraySelection* GetColumnSelection();

protected:
  vtkDSMColumnReader();
  ~vtkDSMColumnReader() override;

  int RequestDataObject(
    vtkInformation*, vtkInformationVector**, vtkInformationVector* outputVector) override;
  int RequestInformation(
    vtkInformation*, vtkInformationVector**, vtkInformationVector* outputVector) override;
  int RequestData(
    vtkInformation*, vtkInformationVector**, vtkInformationVector* outputVector) override;

private:
  std::string FileName;
  bool AsPoints = false;
  std::array<std::string, 3> CoordinateColumns;
  vtkNew<vtkDataArraySelection> Selection;
  class vtkInternals;
  std::unique_ptr<vtkInternals> Internals;
};

#endif
