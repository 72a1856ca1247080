// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Journal.h"
#include "Server/Core/SnapshotEvents.h"

#include <cstdint>
#include <functional>
#include <set>

namespace dsm::simulation
{

/// An observer that checks what it hears: each event once, and in the order of a snapshot's life.
class ObserverProbe final : public SnapshotObserver
{
public:
  explicit ObserverProbe(Journal& journal)
    : Notes(journal)
  {
  }

  void OnBegun(const ImageBegun& image) override;
  void OnSealed(const SnapshotSealed& snapshot) override;
  void OnEnded(const ImageEnded& image) override;
  void OnAnnounced(const SnapshotDescription& snapshot) override;
  void OnExtended(const SnapshotDescription& snapshot) override;
  void OnMoved(const SnapshotDescription& snapshot) override;
  void OnEvicted(const SnapshotDescription& snapshot) override;

  bool IsAnnounced(SnapshotId number) const { return this->Announced.contains(number); }

  /// How many events it has heard.
  std::uint64_t Heard() const { return this->Count; }

  std::function<void(const SnapshotSealed&)> Sealing = [](const auto&) {};
  std::function<void(const SnapshotDescription&)> Announcing = [](const auto&) {};
  std::function<void(const SnapshotDescription&)> Extending = [](const auto&) {};
  std::function<void(const SnapshotDescription&)> Evicting = [](const auto&) {};

private:
  Journal& Notes;
  std::set<ImageId> Images;       ///< that are open
  std::set<SnapshotId> Snapshots; ///< that are in the ring
  std::set<SnapshotId> Announced;
  ImageId LastImage = 0;
  SnapshotId LastSnapshot = 0;
  std::uint64_t Count = 0;
};

}
