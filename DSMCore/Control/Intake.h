// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace dsm
{

/// What a server wants of the files of simulations: which of them, and when it shows them. It tells
/// its peers, also while they run; a simulation's environment overrides it there.
struct Intake
{
  /// Shell patterns with ':' between them (MatchesPattern): files of other names go where they
  /// always went.
  std::string Match = "*";
  /// H5Fflush shows the file's present state as a snapshot, not only H5Fclose.
  bool OnFlush = false;

  /// This as the environment changes it: DSM_MATCH, and DSM_PUBLISH (close or flush). Throws
  /// Error(Usage).
  Intake WithEnvironment() const;

  bool operator==(const Intake&) const = default;
};

/// "close" or "flush"; the inverse throws Error(Usage) that begins with `what`.
const char* PublishText(bool onFlush);
bool PublishFromText(const std::string& text, const std::string& what);

void to_json(nlohmann::json&, const Intake&);
void from_json(const nlohmann::json&, Intake&);

}
