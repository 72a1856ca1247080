// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Hdf5Handle.h"

#include <vtkDataArray.h>
#include <vtkSmartPointer.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

class vtkDataArraySelection;
class vtkDataSet;
class vtkHDFReader;

namespace dsm::readers
{

/// A request to a vtkHDFReader.
struct VtkHdfPiece
{
  std::string Group;                 ///< /VTKHDF, or a member of a collection
  std::optional<std::size_t> Step{}; ///< nothing: the file has one
  std::uint64_t Number = 0;          ///< of a mesh: this one …
  std::uint64_t Of = 1;              ///< … of so many pieces, between which its parts take turns
  std::array<int, 6> Extent{};       ///< of an image
};

/// The arrays of points and cells of a piece that vtkHDFReader need not read, since their memory is
/// the snapshot's (MapArray): large ones whose numbers for this piece lie one after the other.
/// Ghost arrays are always read, because VTK looks for them by their class.
///
///     const VtkHdfArrays arrays(file, piece, reader);
///     reader->Update();  // without the mapped arrays
///     arrays.AddTo(data);
class VtkHdfArrays
{
public:
  /// Maps arrays that the reader has enabled, and disables them there until this is destroyed.
  /// `file`: the open file that the reader reads. It must be one that CheckVtkHdf finds good.
  /// Throws as MapArray does.
  VtkHdfArrays(hid_t file, const VtkHdfPiece& piece, vtkHDFReader* reader);
  ~VtkHdfArrays();
  VtkHdfArrays(const VtkHdfArrays&) = delete;
  VtkHdfArrays& operator=(const VtkHdfArrays&) = delete;

  /// Adds the mapped arrays to a data set with what the reader made of the piece, so that all
  /// arrays have the order in which the reader adds them. Notes of each array whether it is mapped,
  /// or why not. Throws dsm::Error if an array does not fit the data.
  void AddTo(vtkDataSet* data) const;

private:
  struct Array
  {
    std::string Name;
    vtkSmartPointer<vtkDataArray> Mapped; ///< null: vtkHDFReader reads it
    std::string Why;                      ///< why it does
  };

  // The arrays of points, or of cells.
  struct Kind
  {
    int Association;
    vtkDataArraySelection* Selection; ///< the reader's
    std::vector<Array> Arrays;        ///< those that are enabled, in the reader's order
  };

  void Enable(bool enabled) const;

  std::vector<Kind> Kinds;
};

}
