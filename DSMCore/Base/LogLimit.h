// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Clock.h"
#include "Base/Deadline.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dsm
{

/// Bounds how much a log says of one kind of thing: a few lines in a period, and then how many were
/// left out. So nobody who provokes a line per message fills a disk, or hides what else is said.
/// Only arithmetic on times: it is told what would be written, and when.
class LogLimit
{
public:
  /// `lines` of each kind in each `period`.
  LogLimit(std::size_t lines, Seconds period)
    : Lines(lines)
    , Period(period)
  {
  }

  /// True when a line may be written. Lines of one kind have the same text but for what is filled
  /// in.
  bool Admits(const std::string& kind, const std::string& line, Clock::time_point now);

  struct Omitted
  {
    std::uint64_t Count = 0;
    std::string Last; ///< the beginning of the last of them
  };

  /// What was left out in the periods that are over; each is told once.
  std::vector<Omitted> TakeOmitted(Clock::time_point now);

  /// So many kinds are told apart; the others are one.
  static constexpr std::size_t MostKinds = 1000;

private:
  struct Entry
  {
    Clock::time_point Begin;
    std::size_t Written = 0;
    Omitted Rest;
  };

  bool IsOver(const Entry& entry, Clock::time_point now) const
  {
    return now - entry.Begin > this->Period;
  }

  std::size_t Lines;
  Seconds Period;
  std::map<std::string, Entry> Kinds;
};

/// "… 1,234 more like this: a connection from …"
std::string OmittedText(const LogLimit::Omitted& omitted);

}
