// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Clock.h"
#include "Driver/TransferMode.h"
#include "Driver/WithoutServer.h"

#include <optional>
#include <string>

namespace dsm
{

/// Says where the user wants files to go. It needs no HDF5: `dsm-run` checks it.
struct RoutingSettings
{
  std::optional<std::string> Contact; ///< the server that takes what is written
  std::optional<std::string> Match;   ///< which names go there; none: those the server wants
  WithoutServer IfLost = WithoutServer::Disk; ///< what to do when it does not answer
  bool ReadsNext = false;   ///< opening a file to read waits for a snapshot that was not read yet
  Seconds ReadLimit{ 0 };   ///< how long
  bool NamesOnDisk = false; ///< what is in memory has its name on disk, as a placeholder: so where
                            ///< there is a contact, unless DSM_PLACEHOLDERS says otherwise
  TransferMode Transfer = TransferMode::Automatic; ///< how pieces go to the hosts

  /// From DSM_CONTACT, DSM_MATCH, DSM_WITHOUT_SERVER, DSM_READ, DSM_READ_LIMIT, DSM_PLACEHOLDERS
  /// and DSM_TRANSFER. A contact given by the access list goes before the environment's. Throws
  /// Error(Usage), also for what is wrong with other variables that matter to a file (DSM_PUBLISH).
  static RoutingSettings FromEnvironment(const std::string& contactOfAccessList);
};

}
