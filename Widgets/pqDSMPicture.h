// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMPicture_h
#define pqDSMPicture_h

class pqPipelineSource;

/// How what a reader has becomes something to look at: a coloured picture, or a table.
namespace pqDSMPicture
{
/// Shows it as of that time, in a view that suits: the active one, another that is there, or a new
/// one.
void show(pqPipelineSource* reader, double time);

/// Takes it out of all views; false when nobody had seen it in one.
bool remove(pqPipelineSource* reader);
}

#endif
