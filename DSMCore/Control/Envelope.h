// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Error.h"
#include "Encoding/Encoding.h"

#include <cstdint>
#include <optional>
#include <string>

namespace dsm
{

/// One message as it travels: CBOR in one frame. What it is about is a record of its own, encoded
/// in Body; the control channel does not look into it.
///
/// A record that travels by itself has a static member Name, and one that asks has a type Reply:
///
///     struct ExtendImage { static constexpr const char* Name = "extend"; using Reply = Extension;
///     … };
struct Envelope
{
  enum class Kind
  {
    Request, ///< of a peer; without an Id it is a notification, which has no answer
    Reply,   ///< to the request of that Id
    Refusal, ///< of the request of that Id
    Event    ///< what the server says by itself
  };

  Kind What = Kind::Event;
  std::string Name;     ///< of a request or event
  std::uint64_t Id = 0; ///< of the request that this is, or is the answer to
  Bytes Body;
  Fault Reason = Fault::System; ///< of a refusal
  std::string Text;             ///< of a refusal, for people

  bool operator==(const Envelope&) const = default;
};

/// No message comes near this; more is an error or an attack, and the connection is closed.
constexpr std::int64_t LargestMessage = 64 << 20;

Bytes EncodeEnvelope(const Envelope& envelope);

/// None unless the bytes are exactly one message.
std::optional<Envelope> DecodeEnvelope(const void* data, std::size_t size);

/// "the message \"begin\"", for Decode. `name` is of a request or event.
std::string MessageText(const std::string& name);

template <typename Message>
bool Is(const Envelope& envelope)
{
  return envelope.Name == Message::Name;
}

/// The record in a request or event. Throws Error(Refused) when it is not as it should be.
template <typename Message>
Message Content(const Envelope& envelope)
{
  return Decode<Message>(envelope.Body, MessageText(envelope.Name));
}

}
