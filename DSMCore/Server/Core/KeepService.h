// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Protocol/ImageMessages.h"
#include "Server/Core/AllocationService.h"
#include "Server/Core/Call.h"
#include "Server/Core/CoreState.h"
#include "Server/Core/HostPresence.h"
#include "Server/Core/HostService.h"
#include "Server/Core/ImageManager.h"
#include "Server/Core/SnapshotEvents.h"

#include <functional>
#include <string>

namespace dsm
{

class RequestRouter;

/// Has hosts copy bytes that snapshots share with an open image, before its ranks change them.
class KeepService
{
public:
  /// All must outlive this.
  KeepService(CoreState& state, const HostPresence& presence, ImageManager& images,
    HostService& hosts, AllocationService& allocations, const SnapshotEvents& events);

  /// Takes its requests from a router, which must not outlive this service.
  void Serve(RequestRouter& router);
  void Handle(const Call& call, const KeepBytes& message);

private:
  bool TryKeep(const Call& call, const KeepBytes& message);
  /// A copy that the hosts make for a snapshot, and the step that follows it.
  struct Keeping
  {
    SnapshotDescription Snapshot;
    ImageManager::Work Copying;
    std::function<void()> Answer;
  };
  void Copy(const Keeping& keeping);
  void Finish(const Keeping& keeping, const TaskFailure& failure);

  CoreState& State;
  const HostPresence& Presence;
  ImageManager& Images;
  HostService& Hosts;
  AllocationService& Allocations;
  const SnapshotEvents& Events;
};

}
