// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Server/Core/AdminService.h"
#include "Server/Core/AllocationService.h"
#include "Server/Core/AnnouncementService.h"
#include "Server/Core/CoreState.h"
#include "Server/Core/DiskBook.h"
#include "Server/Core/FileLocks.h"
#include "Server/Core/GrowthService.h"
#include "Server/Core/GuestService.h"
#include "Server/Core/HostPresence.h"
#include "Server/Core/HostService.h"
#include "Server/Core/ImageManager.h"
#include "Server/Core/ImageService.h"
#include "Server/Core/KeepService.h"
#include "Server/Core/LeaseBook.h"
#include "Server/Core/MappingService.h"
#include "Server/Core/Messenger.h"
#include "Server/Core/PeerRegistry.h"
#include "Server/Core/PeerService.h"
#include "Server/Core/PreallocationService.h"
#include "Server/Core/ReadService.h"
#include "Server/Core/RequestRouter.h"
#include "Server/Core/RunService.h"
#include "Server/Core/SettingsService.h"
#include "Server/Core/SlotSignals.h"
#include "Server/Core/SnapshotEvents.h"
#include "Server/Core/SteeringDispatch.h"
#include "Server/Core/StorageService.h"
#include "Server/Core/TransportService.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace dsm
{

/// The server's decisions: the services, wired to one another and to the router.
///
///     requests, ticks ──> RequestRouter ──> services ──> Responder, Messenger, SlotSignals
///                                              │
///                                              └─ SnapshotEvents ──> observers
///
/// The core has no thread, socket or clock. Whoever owns it gives it requests and the time, and
/// carries out what it answers. So it runs the same way in a test.
class ServerCore final : public RequestRouter::Gate
{
public:
  /// The interfaces by which the core reaches outside. All must outlive it.
  struct Edges
  {
    Messenger& Channel;
    SlotSignals& Slots;
    SteeringService& Steering;
    std::function<CoreTime()> Clock;
    CoreSurroundings Around;
  };

  /// The options and properties with which the server starts.
  struct Start
  {
    ServerOptions Options;
    ServerDescription Description;
    Ring Memory;
    std::uint64_t Lent = 0; ///< bytes per host
    std::string HostSecret; ///< by which hosts prove that they are this server's
    TransportService::Mediators Mediators;
  };

  ServerCore(const Edges& edges, Start start);
  ServerCore(const ServerCore&) = delete;
  ServerCore& operator=(const ServerCore&) = delete;

  /// From now on peers are served. `ownersKey` is the public key of the contact file.
  void Open(const std::string& ownersKey);
  /// From now on nobody is served.
  void Close();

  /// A peer said goodbye, or is lost.
  void PeerLeft(const PeerId& id, bool isLost);
  /// Several times a second, for limits.
  void Tick();
  /// Looks in host 0's memory for what ranks want. Returns true if some may want something without
  /// ringing.
  bool LookInMemory();
  /// From now on no file is begun or sealed.
  void TakeNoMore();
  void TakeAgain();

  const GuestDescription* GuestOf(const std::string& key) const override;

  /// Makes an observer of snapshots that lives as long as the core. It hears of each event behind
  /// the services.
  template <typename Observer, typename... Arguments>
  Observer& Observe(Arguments&&... arguments)
  {
    auto made = std::make_unique<Observer>(std::forward<Arguments>(arguments)...);
    Observer& observer = *made;
    this->Observers.push_back(std::move(made));
    this->Events.Subscribe(observer);
    return observer;
  }

private:
  void Evict();

  const Edges Outside;
  std::vector<std::unique_ptr<SnapshotObserver>> Observers;

public:
  /// \name The services, for use within an event of the router
  ///@{
  CoreState State;
  RequestRouter Router;
  SnapshotEvents Events;
  PeerRegistry Peers;
  HostPresence Presence;
  ImageManager Images;
  LeaseBook Leases;
  DiskBook Disk;
  FileLocks Locks;
  HostService Hosts;
  AllocationService Allocations;
  PreallocationService Preallocation;
  GuestService Guests;
  SettingsService Settings;
  SteeringDispatch Steering;
  RunService Runs;
  AnnouncementService Announcer;
  GrowthService Growth;
  KeepService Keeping;
  ImageService Writes;
  ReadService Reads;
  MappingService Mappings;
  StorageService Storage;
  TransportService Transports;
  AdminService Admin;
  PeerService Membership;
  ///@}
};

}
