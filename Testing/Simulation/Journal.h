// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Timeline.h"

#include <fmt/core.h>

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <utility>

namespace dsm::simulation
{

/// The last events of a simulation, for people, and the first thing that was wrong.
class Journal
{
public:
  /// Keeps the last `most` events.
  Journal(const Timeline& time, std::size_t most)
    : Time(time)
    , Most(most)
  {
  }

  template <typename... Args>
  void Note(fmt::format_string<Args...> text, Args&&... args)
  {
    this->Lines.push_back(
      fmt::format("{:10.4f}  ", this->Time.Now()) + fmt::format(text, std::forward<Args>(args)...));
    if (this->Lines.size() > this->Most)
    {
      this->Lines.pop_front();
    }
  }

  template <typename... Args>
  void Fail(fmt::format_string<Args...> text, Args&&... args)
  {
    if (!this->First)
    {
      this->First = fmt::format(text, std::forward<Args>(args)...);
      this->Note("WRONG: {}", *this->First);
    }
  }

  /// Returns the first fault, or nothing if there was none.
  const std::optional<std::string>& Failure() const { return this->First; }
  const std::deque<std::string>& LastEvents() const { return this->Lines; }

private:
  const Timeline& Time;
  const std::size_t Most;
  std::deque<std::string> Lines;
  std::optional<std::string> First;
};

}
