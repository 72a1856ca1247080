// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Description.h"
#include "Describe/Hdf5Handle.h"

#include <vector>

namespace dsm::describe
{

/// Whether a VTKHDF file is one that ParaView 5.13's vtkHDFReader can be given. That reader trusts
/// what a file says: it indexes lists by numbers of it, reads lists into room for fewer, and
/// follows groups that contain themselves. So, of the metadata, this is looked at before:
///
/// - Type is one short text, and what it names is a kind that the reader knows; Version, NSteps,
///   Index, Spacing, Origin, Direction, WholeExtent have just as many numbers as it has room for;
/// - there are as many times as steps, in each part of a collection as in the others, and the lists
///   that say where a step begins have one entry for each step;
/// - numbers of parts, points, cells and boxes are not negative, at most 2^31 - 1 for a part, and
///   within the lists that they count;
/// - points have three coordinates; connectivity, offsets and types are lists of integers;
/// - boxes of refinement have six numbers, the low corner below the high one, and levels are finer
///   by a whole number;
/// - a collection has its Assembly, whose groups and links keep their order and do not lead into
///   themselves, and each member is an image, an unstructured grid or a surface, with an Index of
///   its own.
///
/// What the points' numbers in cells are is seen when they are in memory (SoundData in Readers).
///
/// Returns the arrays of points and cells that cannot be read, for lack of a filter or of HDF5 2,
/// and that vtkHDFReader must not be asked for. Throws NothingYet if the file has no step, part or
/// member yet; else dsm::Error that says what is wrong, and where, or which ParaView knows the
/// type.
std::vector<LeftOut> CheckVtkHdf(hid_t file);

}
