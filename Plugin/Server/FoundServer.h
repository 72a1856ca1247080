// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Encoding/Fields.h"

#include <cstdint>
#include <optional>
#include <string>

/// A server that another program has started with some contact file, as one may know it before
/// Start with that file.
struct FoundServer
{
  std::string Contact;           ///< absolute path of the contact file
  bool IsAttachable = true;      ///< not if its hosts are the ranks of another program
  std::uint64_t Snapshots = 0;   ///< in memory; known if it is attachable, as is all below
  std::uint64_t Unsaved = 0;     ///< of those, the ones that are not on disk as well
  std::uint64_t UnsavedSize = 0; ///< bytes
  std::string Writers;           ///< the simulations that are connected, in one text

  /// Looks for a server on the calling rank alone. Returns none if there is none that answers; then
  /// Start reports anything that is wrong with the contact file.
  static std::optional<FoundServer> Look(const std::string& contactFile);

  /// Stops the server on the calling rank alone. Throws if it does not answer or is part of another
  /// program.
  static void Stop(const std::string& contactFile);
};

void Describe(dsm::Fields& fields, FoundServer& found);
