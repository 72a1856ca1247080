// SPDX-License-Identifier: BSD-3-Clause
#include "Transport/Mpi/MpiRma.h"

#include "Base/Error.h"
#include "Transport/Mpi/Wire.h"

#include <cstring>
#include <utility>

namespace dsm
{

namespace
{
// A host makes progress without a pause for a second after it was woken.
constexpr auto WakeEvery = std::chrono::milliseconds(300);
}

MpiRma::MpiRma(std::shared_ptr<MpiLink> link, MpiPatience patience)
  : Link(std::move(link))
  , Patience(std::move(patience))
  , Hosts(this->Link->Hosts())
{
}

void MpiRma::Touch(std::uint64_t host)
{
  Host& known = this->Hosts[host];
  known.Touched = true;
  const auto now = Clock::now();
  if (now - known.LastWake < WakeEvery)
  {
    return;
  }
  known.LastWake = now;
  while (!this->Wakes.empty() && this->Wakes.front().Done())
  {
    this->Wakes.pop_front();
  }
  const wire::Order order{ wire::Kind::Wake, 0, 0, 0 };
  std::vector<std::byte> message(sizeof order);
  std::memcpy(message.data(), &order, sizeof order);
  this->Wakes.push_back(Request::SendOwned(
    this->Link->Ranks().Handle(), static_cast<int>(host), wire::OrderTag, std::move(message)));
}

void MpiRma::Put(std::uint64_t host, std::uint64_t offset, const void* source, std::uint64_t size)
{
  this->Touch(host);
  this->Link->Memory().Put(static_cast<int>(host), offset, source, size);
}

void MpiRma::Get(std::uint64_t host, std::uint64_t offset, void* destination, std::uint64_t size)
{
  this->Touch(host);
  this->Link->Memory().Get(static_cast<int>(host), offset, destination, size);
}

void MpiRma::Flush()
{
  for (std::uint64_t host = 0; host < this->Hosts.size(); ++host)
  {
    if (std::exchange(this->Hosts[host].Touched, false))
    {
      this->Link->Memory().Flush(static_cast<int>(host));
    }
  }
}

}
