// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

namespace dsm::simulation
{

/// Virtual time: actions in the order of their moments. Actions of one moment run in the order in
/// which they were entered.
class Timeline
{
public:
  using Action = std::function<void()>;

  /// Seconds since the simulation began.
  double Now() const { return this->Time; }

  void After(double seconds, Action action)
  {
    this->Actions.emplace(std::pair(this->Time + seconds, ++this->Last), std::move(action));
  }

  /// Runs the next action. Returns false if there is none before `end`.
  bool Step(double end)
  {
    if (this->Actions.empty() || this->Actions.begin()->first.first >= end)
    {
      return false;
    }
    auto next = this->Actions.extract(this->Actions.begin());
    this->Time = next.key().first;
    next.mapped()();
    return true;
  }

private:
  double Time = 0;
  std::uint64_t Last = 0;
  std::map<std::pair<double, std::uint64_t>, Action> Actions;
};

}
