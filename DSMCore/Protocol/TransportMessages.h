// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Right.h"
#include "Encoding/Fields.h"

#include <string>

/// What a transport's peers, its mediator and its hosts say to each other: the transport's own
/// affair, and passed on as it is.
namespace dsm
{

struct TransportReply
{
  Bytes Content;
};

/// A peer asks the mediator.
struct TransportRequest
{
  static constexpr const char* Name = "transport-request";
  static constexpr Right Needs = Right::Look;
  using Reply = TransportReply;

  std::string Transport; ///< TransportKind::Name
  Bytes Content;
};

/// Notification of a peer or a host, to the mediator.
struct TransportNotice
{
  static constexpr const char* Name = "transport-notice";
  static constexpr Right Needs = Right::Look;

  std::string Transport;
  Bytes Content;
};

/// Event to a host, from the mediator.
struct TransportEvent
{
  static constexpr const char* Name = "transport-event";

  std::string Transport;
  Bytes Content;
};

void Describe(Fields&, TransportReply&);
void Describe(Fields&, TransportRequest&);
void Describe(Fields&, TransportNotice&);
void Describe(Fields&, TransportEvent&);

}
