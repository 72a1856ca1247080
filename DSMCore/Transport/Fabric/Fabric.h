// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Protocol/Descriptions.h"
#include "Transport/Transport.h"

#include <memory>
#include <string>

namespace dsm
{

/// One-sided transfers over libfabric, whatever MPI libraries the two sides have. Hosts are found
/// by the addresses they publish (FabricHost); a connection is made when a host is first used.
///
/// Puts are pipelined to all hosts, in pieces, as deep as the provider's queue; Flush waits for
/// all. A put is complete when the host's side has confirmed it (FI_DELIVERY_COMPLETE). Where the
/// provider wants to read registered memory only, the pieces go through a fixed set of registered
/// buffers: registering users' memory is not safe, as they may free it at any time.
///
/// Waits end with Error(PeerLost) when nothing at all has been completed for DSM_PEER_TIMEOUT. What
/// was under way then is cancelled, so that nobody touches the caller's memory any more; the next
/// transfer begins anew.
class Fabric final : public Transport
{
public:
  /// Over the provider named, or, with an empty name, the first that all of `hosts` offer and this
  /// process has. Throws Error(Unsupported) that says who offers what when there is none.
  Fabric(const ServerDescription& server, const std::string& provider,
    const std::vector<HostIndex>& hosts);
  ~Fabric() override;

  std::string Name() const override; ///< "fabric/tcp"
  void Put(HostIndex host, std::uint64_t offset, const void* source, std::uint64_t size) override;
  void Get(HostIndex host, std::uint64_t offset, void* destination, std::uint64_t size) override;
  void PutPieces(HostIndex host, std::span<const PutPiece> pieces) override;
  void GetPieces(HostIndex host, std::span<const GetPiece> pieces) override;
  void Flush() override;
  const std::byte* Direct(HostIndex, std::uint64_t) const override { return nullptr; }

  /// For tests: as if the provider wanted registered memory.
  void UseBounceBuffers();

private:
  class Implementation;
  std::unique_ptr<Implementation> Self;
};

}
