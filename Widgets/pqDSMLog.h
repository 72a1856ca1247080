// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMLog_h
#define pqDSMLog_h

#include <QString>

class vtkSMProxy;

/// ParaView's Output Messages, for what the panel shows itself: warnings and errors would open them
/// in a window of their own.
namespace pqDSMLog
{
/// Adds a text to them.
void note(const QString& text);

/// Adds the errors of a proxy's object from now on. Those of an object in another process stand in
/// the terminal of that process.
void takeErrors(vtkSMProxy* proxy);
}

#endif
