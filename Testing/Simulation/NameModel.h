// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "NameHistory.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace dsm::simulation
{

/// A model of the names, as one process would keep them that does one thing after the other.
class NameModel
{
public:
  /// Replays a history. Returns what does not fit the model. None if all fits.
  static std::optional<std::string> Check(const NameHistory& history);

private:
  struct Name
  {
    std::set<std::uint64_t> Snapshots; ///< that are found by it
    std::uint64_t Gone = 0;            ///< the newest of those that have left
  };

  std::optional<std::string> Step(const NameEvent& event);
  std::uint64_t Newest(const Name& name) const;
  bool IsThere(std::uint64_t snapshot, const NameEvent& event) const;
  std::optional<std::string> Awaited(const NameEvent& event);

  std::map<std::string, Name> Names;
  std::set<std::uint64_t> Announced;
  std::set<std::uint64_t> Parts; ///< which are hidden again when another part leaves
  std::map<std::uint64_t, std::uint64_t> LeftIn; ///< the event in which a snapshot leaves
};

}
