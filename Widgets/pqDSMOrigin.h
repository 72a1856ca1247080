// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMOrigin_h
#define pqDSMOrigin_h

#include "pqDSMStreams.h"

#include <QString>

/// Where a run comes from, in words. Without Qt's widgets and ParaView.
namespace pqDSMOrigin
{
/// "branch from step 300 of out.#.h5", where the same program has written what it began from; or
/// "began from …". Empty: it began from nothing.
QString label(const pqDSMStreams::Group& group);

/// The same in sentences, with the file and what was changed since.
QString details(const pqDSMStreams::Group& group);
}

#endif
