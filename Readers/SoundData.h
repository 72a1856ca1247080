// SPDX-License-Identifier: BSD-3-Clause
#pragma once

class vtkDataObject;

namespace dsm::readers
{

/// Whether what a reader that trusts its file has made can be drawn: cells have only points that
/// there are, as many as their type needs, and arrays have a tuple for each point or cell. Filters
/// take all that for granted. Throws dsm::Error that says what is wrong.
void CheckSound(vtkDataObject* data);

}
