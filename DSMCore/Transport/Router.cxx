// SPDX-License-Identifier: BSD-3-Clause
#include "Transport/Router.h"

#include <algorithm>

namespace dsm
{

namespace
{
// Calls move(transport, pieces) for each row of pieces that go the same way.
template <typename Piece, typename Move>
void ByTransport(const Router::Route& route, std::uint64_t threshold, std::span<const Piece> pieces,
  const Move& move)
{
  if (route.Heavy == route.Light)
  {
    move(*route.Heavy, pieces);
    return;
  }
  while (!pieces.empty())
  {
    const bool light = pieces.front().Size < threshold;
    const auto other = std::find_if(pieces.begin(), pieces.end(),
      [&](const Piece& piece) { return (piece.Size < threshold) != light; });
    const auto count = static_cast<std::size_t>(other - pieces.begin());
    move(light ? *route.Light : *route.Heavy, pieces.first(count));
    pieces = pieces.subspan(count);
  }
}
}

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

std::string Router::NameFor(HostIndex host, std::uint64_t size) const
{
  return this->TransportTo(host, size).Name();
}

void Router::Put(HostIndex host, std::uint64_t offset, const void* source, std::uint64_t size)
{
  this->TransportTo(host, size).Put(host, offset, source, size);
}

void Router::Get(HostIndex host, std::uint64_t offset, void* destination, std::uint64_t size)
{
  this->TransportTo(host, size).Get(host, offset, destination, size);
}

void Router::PutPieces(HostIndex host, std::span<const PutPiece> pieces)
{
  ByTransport(this->Routes[host], this->Threshold, pieces,
    [&](Transport& transport, std::span<const PutPiece> some) { transport.PutPieces(host, some); });
}

void Router::GetPieces(HostIndex host, std::span<const GetPiece> pieces)
{
  ByTransport(this->Routes[host], this->Threshold, pieces,
    [&](Transport& transport, std::span<const GetPiece> some) { transport.GetPieces(host, some); });
}

void Router::Flush()
{
  for (const auto& transport : this->Transports)
  {
    transport->Flush();
  }
}

const std::byte* Router::Direct(HostIndex host, std::uint64_t offset) const
{
  return this->Routes[host].Heavy->Direct(host, offset);
}

bool Router::MapPrivate(
  HostIndex host, std::uint64_t offset, std::byte* place, std::uint64_t size) const
{
  return this->Routes[host].Heavy->MapPrivate(host, offset, place, size);
}

bool Router::TakesDeviceMemory() const
{
  return std::all_of(this->Transports.begin(), this->Transports.end(),
    [](const auto& transport) { return transport->TakesDeviceMemory(); });
}

void Router::Reserve(HostIndex host, std::uint64_t offset, std::uint64_t size)
{
  this->Routes[host].Heavy->Reserve(host, offset, size);
}

}
