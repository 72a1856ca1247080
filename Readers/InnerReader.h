// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Recognition.h"

#include <vtkAlgorithm.h>
#include <vtkSmartPointer.h>

#include <functional>

class vtkDataArraySelection;

namespace dsm::readers
{

/// Which arrays to load; owned by the outer reader.
struct ArrayChoice
{
  vtkDataArraySelection* Points = nullptr; ///< also a table's columns
  vtkDataArraySelection* Cells = nullptr;
};

/// The algorithm that reads a kind of file, and how to tell it which arrays.
struct InnerReader
{
  vtkSmartPointer<vtkAlgorithm> Algorithm;
  /// Adds the file's arrays to choices that may have been made before. After UpdateInformation.
  std::function<void(const ArrayChoice&)> AddArrays;
  /// Loads only what is chosen. After UpdateInformation.
  std::function<void(const ArrayChoice&)> Choose;
  /// True when it cuts structured data by pieces itself, and wants no extents.
  bool CutsByPiece = false;
  /// True when it gives composite data whole to every rank.
  bool GivesAllToEach = false;
};

/// For a file that was recognised. Throws dsm::Error where this ParaView lacks the reader.
InnerReader MakeInnerReader(
  const std::string& name, const Recognition& recognition, const Wishes& wishes);

}
