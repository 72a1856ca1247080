// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Clock.h"
#include "Protocol/Descriptions.h"
#include "Protocol/FilePolicy.h"
#include "Server/Core/CoreTime.h"
#include "Server/Core/Incidents.h"
#include "Server/Core/ServerOptions.h"

#include <cstdint>
#include <functional>
#include <string>

namespace dsm
{

/// The surroundings of the core: what the operating system knows.
struct CoreSurroundings
{
  std::string Machine;                                        ///< NodeIdentity
  std::function<bool(std::uint64_t process)> ProcessHasEnded; ///< of a process on this machine
  std::function<std::uint64_t()> RandomNumber;                ///< keys of images
  std::function<void()> WatchMemory = [] {};                  ///< ranks may ask without ringing
  std::string Program;                                        ///< whose server this is, for people
  /// A test may force a choice that is rare but allowed, so that it is made often enough there.
  std::function<bool()> Rarely = [] { return false; };
  /// Requests a tick no later than a moment. Must not call the core.
  std::function<void(Clock::time_point)> TickBy = [](Clock::time_point) {};
};

/// The state of the running server that all services share.
struct CoreState
{
  CoreState(const ServerOptions& options, const ServerDescription& description,
    const CoreSurroundings& around)
    : Options(options)
    , Description(description)
    , Around(around)
  {
  }

  CoreTime Time;
  ServerOptions Options; ///< in force; the transport is the description's
  ServerDescription Description;
  std::uint64_t Revision = 0; ///< counts changes that peers must know of
  bool IsOpen = false;        ///< peers are served
  bool IsEnding = false;      ///< no file is begun or sealed any more
  Incidents Trouble{ Time };
  const CoreSurroundings Around;
};

}
