// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/MapChoice.h"

#include "Mapping/Strategy.h"
#include "Server/Core/GrantSizes.h"

#include <algorithm>
#include <utility>

namespace dsm
{

namespace
{
// A file that may outgrow the memory leaves this share of each host's memory to others.
constexpr std::uint64_t LeftShare = 8;
}

MapChoice::MapChoice(const ImageState& state)
  : State(state)
{
}

void MapChoice::SetRules(const Redistribution& rules)
{
  this->Current = AddressMap(rules.Over(this->State.Memory.Hosts(), this->State.Memory.Largest()));
}

const AddressMap& MapChoice::For(const File& file)
{
  const MapParameters wanted = this->ParametersFor(file);
  if (wanted != this->Current.Parameters())
  {
    this->Current = AddressMap(wanted);
  }
  return this->Current;
}

bool MapChoice::StillFits(const SnapshotDescription& snapshot, bool mayOutgrow) const
{
  MapParameters now = this->ParametersFor({ snapshot.FileSize, mayOutgrow });
  now.Disk = snapshot.Map.Disk;
  const auto& all = Strategies();
  const bool depends = std::any_of(all.begin(), all.end(),
    [&](const StrategyKind& kind) { return kind.Name == now.Strategy && kind.NeedsExpected; });
  if (!depends || now.ExpectedSize / 2 <= snapshot.Map.ExpectedSize)
  {
    now.ExpectedSize = snapshot.Map.ExpectedSize;
  }
  return now == snapshot.Map;
}

// A file that may continue on disk leaves some memory to the snapshots of its flushes.
std::uint64_t MapChoice::HostCapacity(bool mayOutgrow) const
{
  const std::uint64_t all = this->State.Memory.Largest();
  const std::uint64_t most = (all - all / LeftShare) / Segment::HugePage * Segment::HugePage;
  return mayOutgrow && most >= this->State.Policy.Map.BlockSize && most > 0 ? most : all;
}

MapParameters MapChoice::ParametersFor(const File& file) const
{
  return this->State.Policy.Map.Over(this->State.Memory.Hosts(),
    this->HostCapacity(file.MayOutgrow), GrantSizes::WithMargin(file.Size));
}

}
