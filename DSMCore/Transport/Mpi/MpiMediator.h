// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Transport/Mpi/JoinCoordinator.h"
#include "Transport/TransportMediator.h"

#include <memory>

namespace dsm
{

/// The messages between a JoinCoordinator and those it joins.
class MpiMediator final : public TransportMediator
{
public:
  explicit MpiMediator(MpiOffer offer)
    : Offer(std::move(offer))
  {
  }

  void Connect(Callbacks callbacks) override;
  void Request(const RequestId& request, const Bytes& message) override;
  void Notify(const PeerId& peer, bool isHost, const Bytes& message) override;
  void Gone(const PeerId& peer) override { this->Joins->Gone(peer); }
  void Tick() override { this->Joins->Tick(); }

private:
  MpiOffer Offer;
  std::unique_ptr<JoinCoordinator> Joins; ///< from Connect on
};

}
