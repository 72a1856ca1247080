// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Server/Core/SlotSignals.h"
#include "Server/Core/SnapshotEvents.h"

namespace dsm
{

/// Counts announcements in host 0's memory, where a viewer sees without a message that there is
/// something new to ask for.
class AnnouncementSignal final : public SnapshotObserver
{
public:
  /// `signals` must outlive this.
  explicit AnnouncementSignal(SlotSignals& signals)
    : Signals(signals)
  {
  }

  void OnAllAnnounced() override { this->Signals.CountAnnouncement(); }

private:
  SlotSignals& Signals;
};

}
