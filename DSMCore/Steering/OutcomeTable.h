// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Steering/Transaction.h"

#include <cstdint>
#include <map>
#include <vector>

namespace dsm
{

/// The numbers of steering transactions, and the outcomes of the last ones. Not thread safe.
class OutcomeTable
{
public:
  static constexpr std::size_t Most = 10000; ///< that are kept

  /// The number of a new transaction.
  std::uint64_t Next() { return ++this->LastNumber; }
  std::uint64_t Last() const { return this->LastNumber; }

  void Enter(Outcome outcome);

  /// Null when there is none, or none any more.
  const Outcome* Find(std::uint64_t number) const;

  /// The newest so many, newest first.
  std::vector<Outcome> Newest(std::uint64_t count) const;

private:
  std::uint64_t LastNumber = 0;
  std::map<std::uint64_t, Outcome> Outcomes;
};

}
