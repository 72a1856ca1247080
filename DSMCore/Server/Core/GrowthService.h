// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Clock.h"
#include "Protocol/ImageMessages.h"
#include "Server/Core/AllocationService.h"
#include "Server/Core/Call.h"
#include "Server/Core/CoreState.h"
#include "Server/Core/HostPresence.h"
#include "Server/Core/HostService.h"
#include "Server/Core/ImageManager.h"
#include "Server/Core/PeerRegistry.h"
#include "Server/Core/PreallocationService.h"
#include "Server/Core/SettingsService.h"
#include "Server/Core/SlotSignals.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>

namespace dsm
{

class RequestRouter;

/// Grants open images more memory.
///
/// Rank 0 of a writer asks by a message. Its other ranks say in host 0's memory what they want, and
/// find the grant or the refusal there. An image may also grow before anybody asks.
class GrowthService
{
public:
  /// The objects that the service uses; all must outlive it.
  struct Parts
  {
    CoreState& State;
    PeerRegistry& Peers;
    const HostPresence& Presence;
    ImageManager& Images;
    HostService& Hosts;
    AllocationService& Allocations;
    const PreallocationService& Preallocation;
    SettingsService& Settings;
    SlotSignals& Slots;
  };

  explicit GrowthService(const Parts& parts)
    : Part(parts)
  {
  }

  /// Takes its requests from a router, which must not outlive this service.
  void Serve(RequestRouter& router);
  void Handle(const Call& call, const ExtendImage& message);

  /// Several ranks write an image: what they want is looked for from now on.
  void Watch(ImageId image) { this->Wants[image] = 0; }
  bool IsWatched(ImageId image) const { return this->Wants.contains(image); }
  bool WatchesAny() const { return !this->Wants.empty(); }

  /// Looks in host 0's memory for what ranks want, and how far they have come.
  void LookForWants();

  /// Tells the ranks that map host 0's memory what they may write.
  void TellGrant(ImageId image) const;

private:
  /// A request for more room. The ranks that wait in host 0's memory hear the answer besides.
  struct Growth
  {
    PeerId Owner; ///< of the image
    ImageId Image = 0;
    std::uint64_t Bytes = 0;
    Clock::time_point Since;
    std::function<void(std::uint64_t grant)> Granted;
    std::function<void(const std::exception&)> Refused;
  };

  void Grow(const std::shared_ptr<const Growth>& growth);
  bool TryGrow(const std::shared_ptr<const Growth>& growth);
  void Finish(
    const std::shared_ptr<const Growth>& growth, std::uint64_t grant, const TaskFailure& failure);
  void GrowFurther(ImageId image);
  void Refuse(const Growth& growth, const std::exception& why);
  void TellRefusal(ImageId image, std::uint64_t bytes, const std::exception& why);
  std::uint64_t ReachedBy(ImageId image) const;

  const Parts Part;
  std::map<ImageId, std::uint64_t> Wants;   ///< bytes that ranks have asked for in memory
  std::map<ImageId, std::uint64_t> Reached; ///< how far images had come at the last look
  std::set<ImageId> Growing;                ///< images that grow before anybody asks
};

}
