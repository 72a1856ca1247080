// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Server/Core/Call.h"
#include "Server/Core/ServerOptions.h"

#include <deque>
#include <optional>

namespace dsm
{

/// What a viewer in another process wants of the program that hosts, whose processes must do it
/// together.
struct HostOrder
{
  Call Request;                         ///< to be answered
  std::optional<ServerOptions> Options; ///< new settings; none: it shall end
};

/// Orders in their sequence, if the program takes any. Not thread safe.
class HostOrders
{
public:
  /// Whether orders are accepted.
  void Offer(bool offered) { this->Offered = offered; }
  bool IsOffered() const { return this->Offered; }

  void Add(HostOrder order) { this->Orders.push_back(std::move(order)); }
  bool IsEmpty() const { return this->Orders.empty(); }

  /// The next to be carried out.
  std::optional<HostOrder> Take();

private:
  bool Offered = false;
  std::deque<HostOrder> Orders;
};

}
