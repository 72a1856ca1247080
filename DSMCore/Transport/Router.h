// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Transport/Transport.h"

#include <memory>
#include <vector>

namespace dsm
{

/// Sends each transfer by the transport that its host and size have: several transports as one.
class Router final : public Transport
{
public:
  /// The two transports to a host; they may be the same.
  struct Route
  {
    Transport* Heavy = nullptr;
    Transport* Light = nullptr; ///< for transfers of fewer bytes than the threshold
  };

  /// `routes` has an entry per host, whose transports are among `transports`.
  Router(std::vector<std::shared_ptr<Transport>> transports, std::vector<Route> routes,
    std::uint64_t threshold);

  /// "shared-memory and fabric/tcp"
  std::string Name() const override;
  std::string NameFor(HostIndex host, std::uint64_t size) const override;
  void Put(HostIndex host, std::uint64_t offset, const void* source, std::uint64_t size) override;
  void Get(HostIndex host, std::uint64_t offset, void* destination, std::uint64_t size) override;
  void PutPieces(HostIndex host, std::span<const PutPiece> pieces) override;
  void GetPieces(HostIndex host, std::span<const GetPiece> pieces) override;
  void Flush() override;
  const std::byte* Direct(HostIndex host, std::uint64_t offset) const override;
  bool MapPrivate(
    HostIndex host, std::uint64_t offset, std::byte* place, std::uint64_t size) const override;
  bool TakesDeviceMemory() const override;
  void Reserve(HostIndex host, std::uint64_t offset, std::uint64_t size) override;

private:
  Transport& TransportTo(HostIndex host, std::uint64_t size) const
  {
    const Route& route = this->Routes[host];
    return size < this->Threshold ? *route.Light : *route.Heavy;
  }

  std::vector<std::shared_ptr<Transport>> Transports;
  std::vector<Route> Routes;
  std::uint64_t Threshold;
};

}
