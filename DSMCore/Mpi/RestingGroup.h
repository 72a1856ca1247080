// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mpi/Communicator.h"
#include "Mpi/RankGroup.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace dsm
{

/// The ranks of a communicator, which sleep while they wait for each other. MPI's own collective
/// calls poll instead, and each rank that waits takes a core. The class is for programs that wait
/// for long beside a program that computes. A wait ends up to half a millisecond late.
class RestingGroup final : public RankGroup
{
public:
  /// The communicator must outlive the group.
  explicit RestingGroup(const Communicator& ranks)
    : Ranks(ranks)
  {
  }

  int Rank() const override { return this->Ranks.Rank(); }
  int Size() const override { return this->Ranks.Size(); }

  void Barrier() const override;
  std::string BroadcastText(const std::string& text, int root = 0) const override;
  std::vector<std::string> AllGatherText(const std::string& text) const override;
  std::uint64_t Max(std::uint64_t value) const override;
  void BroadcastYielding(
    void* data, std::uint64_t bytes, const std::function<void()>& rest) const override;

  /// Does nothing: the communicator is another object's.
  void Free() override {}

private:
  const Communicator& Ranks;
};

}
