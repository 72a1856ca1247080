// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Control/RequestId.h"
#include "Encoding/Encoding.h"

#include <exception>
#include <memory>
#include <string>
#include <utility>

namespace dsm
{

/// Carries answers back the way their requests came: over the control channel, through host 0's
/// memory, or to a test. Must not call the core.
class Responder
{
public:
  virtual ~Responder() = default;

  /// Never throws. A request without an Id is a notification, which gets no answer.
  virtual void Reply(const RequestId& request, Bytes body) noexcept = 0;
  virtual void Refuse(const RequestId& request, const std::exception& error) noexcept = 0;
};

/// A request under way, with the way for its answer. A handler may keep a copy and answer later.
class Call
{
public:
  Call(RequestId request, std::shared_ptr<Responder> responder)
    : Request(std::move(request))
    , To(std::move(responder))
  {
  }

  const RequestId& Id() const { return this->Request; }

  /// The peer that asks. Empty for a rank that asks in memory, which has no channel.
  const PeerId& Peer() const { return this->Request.Peer; }
  bool HasPeer() const { return !this->Request.Peer.empty(); }

  /// The name of the guest whose invitation the peer came with. Empty for the server's owner.
  const std::string& Guest() const { return this->GuestName; }
  void SetGuest(std::string name) { this->GuestName = std::move(name); }

  template <typename Record>
  void Reply(const Record& record) const
  {
    this->To->Reply(this->Request, Encode(record));
  }
  void ReplyBytes(Bytes body) const { this->To->Reply(this->Request, std::move(body)); }
  void Refuse(const std::exception& error) const { this->To->Refuse(this->Request, error); }

private:
  RequestId Request;
  std::shared_ptr<Responder> To;
  std::string GuestName;
};

}
