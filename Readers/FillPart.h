// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Description.h"
#include "Describe/PartWindows.h"
#include "Describe/SourceReader.h"

#include <vtkDataObject.h>
#include <vtkSmartPointer.h>

#include <functional>
#include <vector>

namespace dsm::readers
{

using ArrayWanted = std::function<bool(const describe::Array&)>;

/// VTK's class for the data of a part.
const char* DataClassOf(const describe::Part& part);

/// A structured part, which is no blocks, within an extent.
vtkSmartPointer<vtkDataObject> FillExtent(describe::SourceReader& reader,
  const describe::Part& part, const describe::Extent& extent, const ArrayWanted& wanted);

/// These units of a part: one data set, none if there are no units, or one for each block.
std::vector<vtkSmartPointer<vtkDataObject>> FillUnits(describe::SourceReader& reader,
  const describe::Part& part, const describe::Range& units, const ArrayWanted& wanted);

/// Like FillUnits for a part without blocks, and never none.
vtkSmartPointer<vtkDataObject> FillOne(describe::SourceReader& reader, const describe::Part& part,
  const describe::Range& units, const ArrayWanted& wanted);

}
