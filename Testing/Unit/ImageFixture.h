// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Server/Core/Evictor.h"
#include "Server/Core/GrantSizes.h"
#include "Server/Core/ImageState.h"
#include "Server/Core/MapChoice.h"
#include "Server/Core/RingReport.h"
#include "Server/Core/SnapshotBuilder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

/// The state of one host that lends 100 MiB in 16 slots. Tests fill it, ask one class, and look at
/// what it decides. Sizes are in MiB.
class ImageFixture : public testing::Test
{
protected:
  static constexpr std::uint64_t MiB = UINT64_C(1) << 20;

  ImageFixture() { this->SetPolicy(dsm::FullRing::DropOldest); }

  void SetPolicy(dsm::FullRing whenFull, std::uint64_t maximumSnapshots = 64)
  {
    this->State.Policy.Map.Strategy = "contiguous";
    this->State.Policy.WhenFull = whenFull;
    this->State.Policy.MaximumSnapshots = maximumSnapshots;
  }

  /// Replaces the ring, and forgets what the other held.
  void Restart(dsm::Ring memory)
  {
    dsm::ImagePolicy policy = this->State.Policy;
    this->State = dsm::ImageState{ std::move(memory), std::move(policy) };
  }

  /// The same with a disk on each host.
  void RestartWithDisk()
  {
    dsm::Ring memory({ 1, 100 * MiB, 16 });
    memory.OfferDisk(
      dsm::DiskWindows(1, 1024 * MiB, dsm::DiskWindows::Count * 512 * MiB, 64 * MiB));
    this->Restart(std::move(memory));
  }

  dsm::AddressMap Map() { return this->Maps.For({}); }

  /// Enters an image. Returns its number.
  dsm::ImageId AddImage(const std::string& fileName, std::uint64_t grant)
  {
    const dsm::AddressMap map = this->Map();
    const auto reserved = this->State.Memory.Reserve(map, grant * MiB, grant * MiB).value();
    return this->State.Images.Add({ .Owner = "ada",
      .FileName = fileName,
      .Map = map,
      .Slot = reserved.Slot,
      .Generation = reserved.Generation,
      .Grant = grant * MiB,
      .Reserved = grant * MiB });
  }

  /// Enters a snapshot that has a slot of its own. Returns its number.
  dsm::SnapshotId AddSnapshot(const std::string& fileName, std::uint64_t size)
  {
    const dsm::ImageId image = this->AddImage(fileName, size);
    const dsm::OpenImage open = this->State.Images.Take(image);
    this->State.Memory.Seal(open.Slot, open.Map, size * MiB);
    return this->Builder.Add(dsm::SnapshotBuilder::Describe(open, size * MiB, {}), 0);
  }

  /// Enters a snapshot that shares all bytes of an image. Returns its number.
  dsm::SnapshotId AddFlush(dsm::ImageId image, std::uint64_t size)
  {
    dsm::OpenImage& open = this->State.Images.At(image);
    const auto aside = this->State.Memory.ReserveAside({ 0 }).value();
    auto snapshot = dsm::SnapshotBuilder::Describe(open, size * MiB, {});
    snapshot.Shared = { open.Slot, open.Generation, std::vector<dsm::AsideBytes>(1) };
    snapshot.Slot = aside.Slot;
    snapshot.Generation = aside.Generation;
    this->State.Sharing.Share(open.Slot, open.Map, size * MiB);
    open.Shown = this->Builder.Add(std::move(snapshot), 0);
    return open.Shown;
  }

  /// Three snapshots of 30 MiB each, of which nobody has read any.
  void Fill()
  {
    for (const char* name : { "a1.h5", "a2.h5", "a3.h5" })
    {
      this->AddSnapshot(name, 30);
    }
  }

  void Read(dsm::SnapshotId snapshot)
  {
    this->State.Snapshots.Retain(snapshot);
    this->State.Snapshots.Release(snapshot, true);
  }

  /// The numbers of the snapshots in the ring: "1 2 3".
  std::string InRing() const
  {
    std::vector<dsm::SnapshotId> numbers;
    for (const auto& snapshot : this->State.Snapshots.All())
    {
      numbers.push_back(snapshot.Number);
    }
    return Text(numbers);
  }

  static std::string Text(const std::vector<dsm::SnapshotId>& numbers)
  {
    return fmt::format("{}", fmt::join(numbers, " "));
  }

  std::uint64_t Used() const { return this->State.Memory.UsedByAll() / MiB; }

  dsm::ImageState State{ dsm::Ring({ 1, 100 * MiB, 16 }) };
  dsm::Evictor Evictions{ this->State };
  dsm::MapChoice Maps{ this->State };
  dsm::GrantSizes Sizes{ this->State };
  dsm::SnapshotBuilder Builder{ this->State };
  dsm::RingReport Report{ this->State, this->Evictions };
};
