// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Clock.h"
#include "Protocol/SnapshotMessages.h"
#include "Server/Core/AllocationService.h"
#include "Server/Core/Call.h"
#include "Server/Core/CoreState.h"
#include "Server/Core/ImageManager.h"
#include "Server/Core/Messenger.h"
#include "Server/Core/PeerRegistry.h"
#include "Server/Core/SlotSignals.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace dsm
{

class RequestRouter;

/// Keeps snapshots whose memory viewers have mapped:
///
///     a viewer that has it open       the server
///     asks to map a snapshot     -->  keeps it, and offers a place in host 0's memory
///     takes the place, maps the memory, closes
///     ...                        <--  asks it to give back, if a writer waits for memory
///     lets go of the place
///
/// That place ends what is kept, and no message (MappedEntry): so a viewer can let go without a
/// connection, and one that was silent for long still finds its bytes.
class MappingService
{
public:
  /// The memory must have room for so many files of a snapshot's size. One is shown, one is
  /// written, and one is ready to be shown.
  static constexpr std::uint64_t LeastFiles = 3;

  /// The objects that the service uses; all must outlive it.
  struct Parts
  {
    CoreState& State;
    PeerRegistry& Peers;
    ImageManager& Images;
    AllocationService& Allocations;
    SlotSignals& Slots;
    Messenger& Channel;
  };

  explicit MappingService(const Parts& parts)
    : Part(parts)
  {
  }

  /// Takes its requests from a router, which must not outlive this service.
  void Serve(RequestRouter& router);
  void Handle(const Call& call, const MapSnapshot& message);

  /// A viewer has so long to take an offer.
  static constexpr Seconds OfferLimit{ 10 };

  /// Releases the snapshots that viewers have let go of. To be called behind each event.
  void ReleaseDone();

  /// The same of those whose viewers have ended, or did not take the offer. To be called several
  /// times a second.
  void ReleaseLost();

  /// While a writer waits for memory, asks each viewer once a second to give back what it maps. To
  /// be called behind each event.
  void AskBack();

  /// Returns how many snapshots are kept; one that several processes map counts for each.
  std::uint64_t Kept() const { return this->Places.size(); }

private:
  struct Mapping
  {
    SnapshotId Snapshot = 0;
    std::uint64_t Process = 0;
    std::uint64_t Number = 0;
    Clock::time_point Offered;
    std::optional<Clock::time_point> Asked{}; ///< to give it back
  };

  std::string WhyNot(const Peer& peer, const SnapshotDescription& snapshot) const;
  std::optional<std::uint64_t> FreePlace() const;
  template <typename Condition>
  void ReleaseIf(const Condition& isOver);

  const Parts Part;
  std::map<std::uint64_t, Mapping> Places;
  std::uint64_t LastNumber = 0;
};

}
