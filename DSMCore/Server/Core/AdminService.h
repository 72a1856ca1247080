// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Server/Core/AllocationService.h"
#include "Server/Core/Call.h"
#include "Server/Core/CoreState.h"
#include "Server/Core/HostOrders.h"
#include "Server/Core/ImageManager.h"
#include "Server/Core/Messenger.h"
#include "Server/Core/PeerRegistry.h"
#include "Server/Core/ReadService.h"
#include "Server/Core/RunService.h"
#include "Server/Core/ServerMessages.h"
#include "Server/Core/ServerStatus.h"
#include "Server/Core/SettingsService.h"
#include "Server/Core/StorageService.h"
#include "Server/Core/Waiters.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace dsm
{

class RequestRouter;

/// Answers programs that watch the server from outside, and passes their orders to the host
/// program.
class AdminService
{
public:
  /// The objects that the service uses; all must outlive it.
  struct Parts
  {
    CoreState& State;
    PeerRegistry& Peers;
    const ImageManager& Images;
    const AllocationService& Allocations;
    const RunService& Runs;
    const ReadService& Reads;
    const StorageService& Storage;
    const SettingsService& Settings;
    Messenger& Channel;
    Waiters& Waiting;
  };

  /// Adds what is known of steered simulations to a status, and answers with it. Called behind the
  /// core's lock.
  using Answer = std::function<void(const Call& call, ServerStatus status)>;

  AdminService(const Parts& parts, Answer answer);

  /// Takes its requests from a router, which must not outlive this service.
  void Serve(RequestRouter& router);
  void Handle(const Call& call, const AskStatus& message);
  void Handle(const Call& call, const AttachViewer& message);
  void Handle(const Call& call, const WatchServer& message);
  void Handle(const Call& call, const AskTraffic& message);
  void Handle(const Call& call, const AdjustServer& message);
  void Handle(const Call& call, const StopServer& message);

  /// Returns the status as the core knows it, without steering.
  ServerStatus Status() const;

  /// Sets what the status says of the transports.
  void NoteTransports(std::vector<std::string> lines) { this->TransportLines = std::move(lines); }

  /// \name Orders for the host program
  ///@{
  void OfferAttaching(bool offered) { this->Orders.Offer(offered); }
  bool HasOrders() const { return !this->Orders.IsEmpty(); }
  std::optional<HostOrder> TakeOrder() { return this->Orders.Take(); }
  void OrderDone(const HostOrder& order, const std::string& failure);
  ///@}

private:
  Peer& RequireAttached(const Call& call);
  void Add(const Call& call, const std::optional<ServerOptions>& options);

  const Parts Part;
  const Answer AnswerStatus;
  HostOrders Orders;
  std::vector<std::string> TransportLines;
};

}
