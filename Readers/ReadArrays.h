// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Description.h"
#include "Describe/SourceReader.h"

#include <vtkDataArray.h>
#include <vtkSmartPointer.h>

#include <vector>

namespace dsm::readers
{

/// What is in windows of sources that make one array: one source with all components, or one for
/// each. The windows' tuples follow each other.
vtkSmartPointer<vtkDataArray> ReadSources(describe::SourceReader& reader,
  const std::vector<describe::Source>& sources, const std::vector<describe::Window>& windows);

/// The same with an array's names.
vtkSmartPointer<vtkDataArray> ReadArray(describe::SourceReader& reader,
  const describe::Array& array, const std::vector<describe::Window>& windows);

/// Points with three coordinates; those that are not given are 0.
vtkSmartPointer<vtkDataArray> ReadPoints(describe::SourceReader& reader,
  const describe::Coordinates& at, const std::vector<describe::Window>& windows);

}
