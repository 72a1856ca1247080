// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Clock.h"
#include "Base/Error.h"

#include <string>

namespace dsm
{

class Fields;

/// What becomes of a program's files while their server cannot be reached: DSM_WITHOUT_SERVER.
enum class WithoutServer
{
  Disk,   ///< they go to disk
  Fail,   ///< they cannot be opened
  Wait,   ///< the program waits for the server, as long as WaitForServerLimit
  Discard ///< they go nowhere
};

/// "disk", "fail", "wait" or "discard"; the inverse throws Error(Usage) that begins with `what`.
const char* WithoutServerText(WithoutServer policy);
WithoutServer WithoutServerFromText(const std::string& text, const std::string& what);

/// DSM_WITHOUT_SERVER, else Disk. Throws Error(Usage).
WithoutServer WithoutServerFromEnvironment();

/// DSM_WAIT_LIMIT: how long a file waits where the policy is to wait; 10 minutes otherwise.
Seconds WaitForServerLimit();

/// True for the faults that mean that the server cannot be reached, as opposed to one that says no.
bool MeansNoServer(const Error& error);

/// Of a file that only the server has that cannot be reached, for that reason.
Error LostWithServer(const std::string& fileName, const Error& why);

}
