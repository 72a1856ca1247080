// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Control/RequestId.h"
#include "Encoding/Encoding.h"
#include "Protocol/SessionMessages.h"
#include "Server/Core/ServerMessages.h"

#include <optional>
#include <string>
#include <vector>

namespace dsm
{

/// The control channel as the core uses it, beside answers (Responder). Must not call the core, and
/// must not block.
class Messenger
{
public:
  virtual ~Messenger() = default;

  template <typename Message>
  void Send(const PeerId& peer, const Message& event)
  {
    this->SendBytes(peer, Message::Name, Encode(event));
  }
  virtual void SendBytes(const PeerId& peer, const char* name, Bytes event) = 0;

  /// Gives the peer that sent a request a mailbox in host 0's memory; none if fewer than `spare`
  /// would be left.
  virtual std::optional<GivenMailbox> GiveMailbox(
    const RequestId& request, std::uint64_t spare) = 0;

  /// Admits the holder of another key. Throws Error(Usage) if that is not possible.
  virtual void Admit(const std::string& key) = 0;

  /// Hears the holder of a key no more. Its peers are gone then.
  virtual void Withdraw(const std::string& key) = 0;

  /// Counts all messages since the server began to listen, by name.
  virtual std::vector<MessageCount> Traffic() const = 0;
};

}
