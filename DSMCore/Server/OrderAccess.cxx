// SPDX-License-Identifier: BSD-3-Clause
#include "Server/OrderAccess.h"

#include "Server/CoreRunner.h"

namespace dsm
{

void OrderAccess::Offer(bool offered) const
{
  if (this->Runner)
  {
    this->Runner->Router().Do([&] { this->Runner->Core().Admin.OfferAttaching(offered); });
  }
}

std::optional<HostOrder> OrderAccess::Take() const
{
  return this->Runner
    ? this->Runner->Router().Do([&] { return this->Runner->Core().Admin.TakeOrder(); })
    : std::nullopt;
}

void OrderAccess::Done(const HostOrder& order, const std::string& failure) const
{
  if (this->Runner)
  {
    this->Runner->Router().Do([&] { this->Runner->Core().Admin.OrderDone(order, failure); });
  }
}

}
