// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Description.h"
#include "Describe/SourceReader.h"

#include <vtkDataArray.h>
#include <vtkSmartPointer.h>

#include <string>
#include <vector>

class vtkDataObject;

namespace dsm::readers
{

/// Makes an array whose memory is the snapshot's (MappedSnapshots): what is consecutive in the
/// file, and of the array's type, is not read. A filter that writes into it writes into pages of
/// its own. Returns null and sets `why` to a clause if the array has to be read: "it is
/// compressed". Small arrays are read.
vtkSmartPointer<vtkDataArray> MapArray(describe::SourceReader& reader,
  const std::vector<describe::Source>& sources, const std::vector<describe::Window>& windows,
  std::string& why);

/// One window of a source with all components of an array, and which of VTK's types the array has.
struct MappedSource
{
  const describe::Source& From;
  const describe::Window& In;
  int Type; ///< one with the bytes of the source's type
};

/// Does the same for such a source.
vtkSmartPointer<vtkDataArray> MapArray(
  describe::SourceReader& reader, const MappedSource& source, std::string& why);

/// Turns an array of MapArray into a copy of its own, at the same address, so that its snapshot may
/// leave the memory. Does nothing to other arrays. Throws as StitchedView::CopyOut does.
void Detach(vtkDataArray* array);

/// Notes how an array came into memory: "shared with the snapshot", or "copied: it is compressed".
void NoteMemory(vtkDataArray* array, const std::string& how);

/// Returns what was noted of the arrays of data, two texts each: name and note.
std::vector<std::string> MemoryNotes(vtkDataObject* data);

}
