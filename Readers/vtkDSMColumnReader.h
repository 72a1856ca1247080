// SPDX-License-Identifier: BSD-3-Clause
/**
 * @class   vtkDSMColumnReader
 * @brief   Reads plain HDF5 datasets of equal length as a table, or as points.
 *
 * Of a file's datasets of numbers with one dimension, or two with few entries per row, those with
 * the same number of rows become the columns of a vtkTable, or the point arrays of a vtkPolyData
 * with a vertex per row. Each rank reads its own share of the rows.
 *
 * The coordinates are columns that the user names by the end of their path ("x", "atoms/x"), else
 * columns with usual names; one column with two or three components can hold all of them.
 */
#ifndef vtkDSMColumnReader_h
#define vtkDSMColumnReader_h

#include "vtkDSMHdf5Source.h"
#include "vtkDSMReadersModule.h" // For export macro

#include <array>  // For std::array
#include <memory> // For std::unique_ptr
#include <string> // For std::string

class VTKDSMREADERS_EXPORT vtkDSMColumnReader : public vtkDSMHdf5Source
{
public:
  static vtkDSMColumnReader* New();
  vtkTypeMacro(vtkDSMColumnReader, vtkDSMHdf5Source);
  vtkDSMColumnReader(const vtkDSMColumnReader&) = delete;
  void operator=(const vtkDSMColumnReader&) = delete;
  void PrintSelf(ostream& os, vtkIndent indent) override;

  ///@{
  /// Points, or a table.
  vtkSetMacro(AsPoints, bool);
  vtkGetMacro(AsPoints, bool);
  ///@}

  ///@{
  /// The columns of the coordinates; all empty: columns with usual names.
  void SetCoordinateColumn(int axis, const std::string& name);
  ///@}

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
  bool AsPoints = false;
  std::array<std::string, 3> CoordinateColumns;
  class vtkInternals;
  std::unique_ptr<vtkInternals> Internals;
};

#endif
