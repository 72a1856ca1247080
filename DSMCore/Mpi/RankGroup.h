// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace dsm
{

/// Ranks that decide together: which of them this one is, and the few collectives that it takes.
/// Over MPI it is a Communicator.
///
/// All functions but Rank and Size are collective: every rank calls the same ones in the same
/// order, from one thread at a time. They throw an Error if the others cannot be reached any more.
class RankGroup
{
public:
  virtual ~RankGroup() = default;

  virtual int Rank() const = 0;
  virtual int Size() const = 0;

  virtual void Barrier() const = 0;
  virtual std::string BroadcastText(const std::string& text, int root = 0) const = 0;
  virtual std::vector<std::string> AllGatherText(const std::string& text) const = 0;
  virtual std::uint64_t Max(std::uint64_t value) const = 0;

  /// A broadcast of rank 0's that may take hours to come: where no thread waits for it by itself,
  /// `rest` is called again and again meanwhile, and gives the core away.
  virtual void BroadcastYielding(
    void* data, std::uint64_t bytes, const std::function<void()>& rest) const = 0;

  /// Lets the group go: no other function is called from then on.
  virtual void Free() = 0;

protected:
  RankGroup() = default;
  RankGroup(const RankGroup&) = default;
  RankGroup(RankGroup&&) = default;
  RankGroup& operator=(const RankGroup&) = default;
  RankGroup& operator=(RankGroup&&) = default;
};

}
