// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Protocol/TransportChoice.h"
#include "Transport/Fabric/FabricAddress.h"
#include "Transport/HostTransport.h"
#include "Transport/TransportKind.h"

#include <memory>
#include <string>
#include <vector>

namespace dsm
{

/// A host's endpoints for the fabric transport: registers its memory with libfabric and makes
/// progress, in a thread of its own, with what peers do to it. No MPI call is made.
///
/// The thread sleeps until something arrives where the provider can tell (tcp, verbs); where it
/// cannot (shm), it looks by itself, ever less often while nothing happens. Whoever knows the key
/// can read and write the memory, or read it alone by another key; they are random where the
/// provider lets us choose them.
class FabricHost
{
public:
  /// Opens what the choice asks for: a provider it names; for "fabric" the best there is and tcp,
  /// which can be reached from anywhere; for "automatic" the same as far as it works; otherwise
  /// none. What is `open` already, by the names of the providers, is left out. The segment's memory
  /// must outlive the object. Throws Error(Unsupported) when what was named is not there or needs
  /// another memory, or this build has no libfabric.
  FabricHost(const LentSegment& segment, const TransportChoice& choice,
    const std::vector<std::string>& open = {});
  ~FabricHost();
  FabricHost(const FabricHost&) = delete;
  FabricHost& operator=(const FabricHost&) = delete;

  /// What peers need to know, in the order of preference.
  const std::vector<FabricAddress>& Addresses() const;

  /// For people, one line each: "fabric/tcp, served by a thread that sleeps while nothing comes";
  /// and what was passed over, where the choice was ours.
  std::vector<std::string> Describe() const;

  /// As TransportKind::NeedsPinned.
  static PinningNeed NeedsPinned(const TransportChoice& choice);

private:
  class Implementation;
  std::unique_ptr<Implementation> Self;
};

}
