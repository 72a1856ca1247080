// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMFoundServer_h
#define pqDSMFoundServer_h

#include "pqDSMStake.h"

#include <QString>

#include <optional>

/// A server of another program that runs with the contact file: the proxy's property FoundServer.
struct pqDSMFoundServer
{
  QString Contact;          ///< absolute path of the contact file
  bool IsAttachable = true; ///< not if its hosts are the ranks of another program
  pqDSMStake Stake;

  /// Returns none if there is no such server: `json` is empty then.
  static std::optional<pqDSMFoundServer> parse(const QString& json);
};

#endif
