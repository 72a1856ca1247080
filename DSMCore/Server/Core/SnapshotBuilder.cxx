// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/SnapshotBuilder.h"

#include <algorithm>
#include <utility>

namespace dsm
{

SnapshotBuilder::SnapshotBuilder(ImageState& state)
  : State(state)
{
}

SnapshotDescription SnapshotBuilder::Describe(
  const OpenImage& image, std::uint64_t size, const WriteStatistics& statistics)
{
  SnapshotDescription snapshot;
  snapshot.FileName = image.FileName;
  snapshot.FileSize = size;
  snapshot.Slot = image.Slot;
  snapshot.Generation = image.Generation;
  snapshot.Map = image.Map.Parameters();
  snapshot.Statistics = statistics;
  snapshot.Stream = image.Place.Stream;
  snapshot.Run = image.Place.Run;
  snapshot.Program = image.Program;
  snapshot.Machine = image.Machine;
  snapshot.Named = image.Named;
  snapshot.Family = image.Family;
  snapshot.Access = image.Access;
  return snapshot;
}

void SnapshotBuilder::Complete(
  SnapshotDescription& snapshot, std::optional<double> step, double sealedAt)
{
  snapshot.SealedAt = sealedAt;
  snapshot.Count = this->State.Streams.Enter(snapshot.FileName, snapshot.FileSize);
  snapshot.Step = step.value_or(snapshot.Count);
  const WriteStatistics& statistics = snapshot.Statistics;
  ImageCounters& counters = this->State.Counters;
  counters.BytesReceived += statistics.Bytes;
  counters.BlockedSeconds += statistics.BlockedSeconds;
  const std::size_t hosts = std::min(statistics.HostBytes.size(), counters.HostBytes.size());
  for (HostIndex host = 0; host < hosts; ++host)
  {
    counters.HostBytes[host] += statistics.HostBytes[host];
  }
}

SnapshotId SnapshotBuilder::Add(SnapshotDescription snapshot, std::uint64_t group)
{
  ++this->State.Counters.SnapshotsSealed;
  return this->State.Snapshots.Add(std::move(snapshot), group).Number;
}

}
