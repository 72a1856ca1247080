// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Protocol/TransportMessages.h"
#include "Server/Core/Call.h"
#include "Server/Core/CoreState.h"
#include "Server/Core/HostService.h"
#include "Server/Core/PeerRegistry.h"
#include "Server/Core/SnapshotEvents.h"
#include "Transport/TransportMediator.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace dsm
{

class RequestRouter;

/// Passes on what a transport's two sides say to each other, before bytes move.
class TransportService final : public SnapshotObserver
{
public:
  /// By the transports' names.
  using Mediators = std::map<std::string, std::unique_ptr<TransportMediator>>;

  /// All must outlive this.
  TransportService(CoreState& state, PeerRegistry& peers, HostService& hosts, Mediators mediators);

  /// Takes its requests from a router, which must not outlive this service.
  void Serve(RequestRouter& router);
  void Handle(const Call& call, const TransportRequest& message);
  void Handle(const Call& call, const TransportNotice& message);
  void Tick();

  void OnPeerLeft(const PeerLeft& left) override;

private:
  TransportMediator::Callbacks CallbacksFor(const std::string& transport);
  TransportMediator& MediatorOf(const std::string& transport);
  std::optional<Call> TakeCall(const RequestId& request);

  CoreState& State;
  PeerRegistry& Peers;
  HostService& Hosts;
  Mediators All;
  std::map<std::pair<PeerId, std::uint64_t>, Call> Waiting; ///< requests without an answer yet
};

}
