// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"
#include "Control/ContactFile.h"
#include "Control/Wakeup.h"

#include <functional>
#include <string>

/// Whether the server of a contact is there, for those who do not talk to it.
namespace dsm::presence
{

/// Whether a server answers: connects, lets it prove its identity, and leaves. A process that is
/// stopped does not. `timeout` bounds each step; `stopped` is looked at whenever `wake` is
/// signalled. Throws Error(Refused) when the keys do not fit.
bool Answers(const Contact& contact, const std::string& contactPath, Seconds timeout, Wakeup& wake,
  const std::function<bool()>& stopped);

/// True when the server's machine says that nobody listens at its address any more: its process has
/// ended. A process that is stopped has not. Takes a tenth of a second at most.
bool HasEnded(const Contact& contact);

}
