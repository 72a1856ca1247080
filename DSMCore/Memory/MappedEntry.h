// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Memory/SharedNumber.h"

#include <cstdint>

namespace dsm
{

/// A place in shared memory by which the server keeps a snapshot for one viewer that maps it:
///
///     the server      the viewer
///     Offer      -->  Take, before it maps the memory
///     Withdraw        LetGo, when nothing of it is mapped any more
///
/// An offer may never arrive: the server withdraws it then, and whoever would take it later sees
/// that. Numbers are below 2^63 and none is used twice, so nobody ends what is another's. Thread
/// safe, across processes.
class MappedEntry
{
public:
  explicit MappedEntry(SharedNumber place)
    : Place(place)
  {
  }

  enum class State
  {
    Offered,
    Taken,
    Over
  };

  void Offer(std::uint64_t number) const { this->Place.Store(number); }

  /// Returns false if the offer was withdrawn.
  bool Take(std::uint64_t number) const;

  /// Does nothing if the number is not that of who took it.
  void LetGo(std::uint64_t number) const;

  /// Returns false if it was taken before.
  bool Withdraw(std::uint64_t number) const;

  State StateOf(std::uint64_t number) const;

private:
  bool Replace(std::uint64_t expected, std::uint64_t wanted) const;

  SharedNumber Place;
};

}
