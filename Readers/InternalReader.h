// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Recognition.h"

#include <vtkAlgorithm.h>
#include <vtkSmartPointer.h>

#include <functional>

class vtkDataArraySelection;

namespace dsm::readers
{

/// Which arrays to load. Owned by vtkDSMFileReader.
struct ArrayChoice
{
  vtkDataArraySelection* Points = nullptr; ///< also a table's columns
  vtkDataArraySelection* Cells = nullptr;
};

/// The reader for one kind of file, which vtkDSMFileReader runs in a pipeline of its own.
struct InternalReader
{
  vtkSmartPointer<vtkAlgorithm> Algorithm;
  /// Adds the file's arrays to a choice, and keeps what was chosen before. After UpdateInformation.
  std::function<void(const ArrayChoice&)> AddArrays;
  /// Sets which arrays it loads. After UpdateInformation.
  std::function<void(const ArrayChoice&)> Choose;
};

/// For a file that was recognised. Throws dsm::Error if this ParaView lacks the reader.
InternalReader MakeInternalReader(const std::string& name, const Recognition& recognition);

}
