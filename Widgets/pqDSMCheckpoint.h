// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMCheckpoint_h
#define pqDSMCheckpoint_h

#include <string>

/// Files from which a simulation starts again: large, and not made to be looked at. The panel does
/// not show them by itself. Without Qt and ParaView.
namespace pqDSMCheckpoint
{
/// Whether the name of a file, or of a stream of files, says so: one of its words does.
bool isName(const std::string& name);
}

#endif
