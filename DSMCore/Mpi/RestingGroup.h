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

/// Ranks of a communicator that give their cores away while they wait for each other, where MPI
/// would ask again and again. It is for programs that wait for long beside one that computes. Such
/// a wait ends up to half a millisecond late.
///
/// The communicator must live longer.
class RestingGroup final : public RankGroup
{
public:
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
