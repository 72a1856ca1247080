// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMRepresentation_h
#define pqDSMRepresentation_h

class pqPipelineSource;

/// The representations of a reader's data: a coloured one in a render view, or a spreadsheet.
namespace pqDSMRepresentation
{
/// Shows the data of a time in a view that can show them: the active view, another one, or a new
/// one.
void show(pqPipelineSource* reader, double time);

/// Removes the reader's representations from all views. Returns whether one of them was visible.
bool remove(pqPipelineSource* reader);
}

#endif
