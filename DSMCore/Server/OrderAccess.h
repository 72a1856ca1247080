// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Server/Core/HostOrders.h"

#include <optional>
#include <string>

namespace dsm
{

class CoreRunner;

/// Orders of viewers in other processes (RemoteServer) for the program that hosts, whose ranks
/// carry them out together (Server::Adjust, Server::Stop).
///
/// While an order is there to be taken, Server::WaitForSnapshot does not wait. Thread safe. Empty
/// answers on other ranks than 0.
class OrderAccess
{
public:
  /// `runner` must outlive this; null on other ranks than 0.
  explicit OrderAccess(CoreRunner* runner)
    : Runner(runner)
  {
  }

  /// Whether such viewers may attach.
  void Offer(bool offered) const;

  std::optional<HostOrder> Take() const;

  /// `failure` is empty, or why it was not done. An order to stop is answered before the server
  /// stops.
  void Done(const HostOrder& order, const std::string& failure) const;

private:
  CoreRunner* Runner;
};

}
