// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Control/RequestId.h"
#include "Encoding/Fields.h"

#include <cstdint>
#include <exception>
#include <functional>
#include <string>

namespace dsm
{

/// Stands on host rank 0 between a transport's peers and its hosts, for transports whose two sides
/// must agree before bytes move. What the messages say is the transport's own affair. Called by the
/// coordinator, one call at a time, and must not block.
class TransportMediator
{
public:
  struct Callbacks
  {
    std::function<void(const RequestId&, Bytes reply)> Reply;
    std::function<void(const RequestId&, const std::exception&)> Refuse;
    std::function<void(HostIndex host, Bytes message)> ToHost;
    std::function<void(const std::string&)> Report; ///< of trouble, for people
  };

  virtual ~TransportMediator() = default;

  /// Before all else.
  virtual void Connect(Callbacks callbacks) = 0;

  /// A peer asks; what this throws is the answer.
  virtual void Request(const RequestId& request, const Bytes& message) = 0;

  /// A peer, or a host, says something that needs no answer.
  virtual void Notify(const PeerId& peer, bool isHost, const Bytes& message) = 0;

  /// A peer has ended or vanished.
  virtual void Gone(const PeerId& peer) = 0;

  /// Several times a second, for limits.
  virtual void Tick() = 0;
};

}
