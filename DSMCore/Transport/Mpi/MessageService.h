// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Transport/Mpi/MpiLink.h"
#include "Transport/Mpi/Wire.h"

#include <cstddef>
#include <deque>
#include <map>
#include <utility>
#include <vector>

namespace dsm
{

/// A host's answers to what the other ranks of a link ask for (see MpiMessages): receives puts
/// straight into the segment, sends what gets want straight from it. One rank's orders are obeyed
/// in their order. Not thread safe.
class MessageService
{
public:
  explicit MessageService(MpiLink& link)
    : Link(link)
  {
  }

  /// Does what can be done without waiting. True when anything happened or is under way. Throws
  /// Error(Refused) for an order that makes no sense.
  bool Step();

  /// A rank said that one-sided transfers begin; tells once.
  bool WasWoken() { return std::exchange(this->Woken, false); }

private:
  struct Peer
  {
    std::deque<Request> Arriving; ///< pieces of puts, oldest first
    std::deque<std::uint64_t> Fences;
  };

  void Execute(
    int from, const wire::Operation& operation, const std::byte* data, std::uint64_t size);
  void PutPieces(
    int from, const wire::Operation& operation, const std::byte* data, std::uint64_t size);
  void GetPieces(
    int from, const wire::Operation& operation, const std::byte* data, std::uint64_t size);
  template <typename Visitor>
  void ForEachPlace(int from, const wire::Operation& operation, const std::byte* data,
    std::uint64_t size, const Visitor& visit) const;
  void CheckRange(int from, std::uint64_t offset, std::uint64_t size) const;
  bool CompleteTransfers();

  MpiLink& Link;
  std::vector<std::byte> Order; ///< the message that is being read
  std::map<int, Peer> Peers;
  std::deque<Request> Leaving;
  bool Woken = false;
};

}
