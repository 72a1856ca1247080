// SPDX-License-Identifier: BSD-3-Clause
#include "Transport/Router.h"

namespace dsm
{

Router::Router(std::vector<std::shared_ptr<Transport>> transports, std::vector<Route> routes,
  std::uint64_t threshold)
  : Transports(std::move(transports))
  , Routes(std::move(routes))
  , Threshold(threshold)
{
}

std::string Router::Name() const
{
  std::string names;
  for (const auto& transport : this->Transports)
  {
    names += (names.empty() ? "" : " and ") + transport->Name();
  }
  return names;
}

void Router::Put(std::uint64_t host, std::uint64_t offset, const void* source, std::uint64_t size)
{
  this->TransportTo(host, size).Put(host, offset, source, size);
}

void Router::Get(std::uint64_t host, std::uint64_t offset, void* destination, std::uint64_t size)
{
  this->TransportTo(host, size).Get(host, offset, destination, size);
}

void Router::Flush()
{
  for (const auto& transport : this->Transports)
  {
    transport->Flush();
  }
}

const std::byte* Router::Direct(std::uint64_t host, std::uint64_t offset) const
{
  return this->Routes[host].Heavy->Direct(host, offset);
}

void Router::Reserve(std::uint64_t host, std::uint64_t offset, std::uint64_t size)
{
  this->Routes[host].Heavy->Reserve(host, offset, size);
}

}
