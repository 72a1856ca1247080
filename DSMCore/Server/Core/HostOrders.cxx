// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/HostOrders.h"

#include <utility>

namespace dsm
{

std::optional<HostOrder> HostOrders::Take()
{
  if (this->Orders.empty())
  {
    return std::nullopt;
  }
  std::optional<HostOrder> next(std::move(this->Orders.front()));
  this->Orders.pop_front();
  return next;
}

}
