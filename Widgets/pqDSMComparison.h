// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMComparison_h
#define pqDSMComparison_h

#include "pqDSMStreams.h"

#include <QString>

/// Two runs or streams side by side, and their difference, in a layout of their own. The Python
/// package makes it (paraviewdsm/_compare.py), as it does for scripts.
namespace pqDSMComparison
{
/// Whether this ParaView has Python, which it takes.
bool isPossible();

/// What one run has written of a stream, as readers have it: "out.#.h5@2".
QString pattern(const pqDSMStreams::Group& group);

/// Whether a reader's pattern is such a one.
bool isPattern(const QString& pattern);

/// Shows the comparison of two streams of a server. Else shows nothing, and returns why. The first
/// one takes a second or more, since ParaView's Python has to be started.
QString show(const QString& contactPath, const pqDSMStreams::Group& one, const QString& oneTitle,
  const pqDSMStreams::Group& other, const QString& otherTitle);
}

#endif
