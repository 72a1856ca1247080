// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMRepresentation_h
#define pqDSMRepresentation_h

#include <QList>
#include <QString>

class pqPipelineSource;

/// The representations of a reader's data: a coloured one in a render view, or a spreadsheet.
namespace pqDSMRepresentation
{
/// Shows the data of a time in a view that can show them: the active view, another one, or a new
/// one; with `onlyInPresentViews` not in a new one, which would take room from those there are.
void show(pqPipelineSource* reader, double time, bool onlyInPresentViews);

/// A reader, and all filters below it.
QList<pqPipelineSource*> withAllMadeOf(pqPipelineSource* reader);

/// Hides the reader's data and all that is made of them, in all views; and shows again what that
/// has hidden.
void hide(pqPipelineSource* reader);
void restore(pqPipelineSource* reader);

/// Where the reader's data are coloured by an array that they do not have any more, colours them by
/// another, and takes away legends that nothing has.
void recolour(pqPipelineSource* reader);

/// Shows the data in a view of their own, which is made beside the others; with the colors of other
/// data of their stream.
void showBeside(pqPipelineSource* reader);
/// The same for the data of a time, with colors of their own.
void showApart(pqPipelineSource* reader, double time);

/// Returns the class of the reader's data, as of its last update: "vtkImageData".
QString kindOf(pqPipelineSource* reader);

/// Replaces representations that cannot show data of another class. Returns whether one of them was
/// visible: then the data of a time are shown again.
bool replace(pqPipelineSource* reader, double time);
}

#endif
