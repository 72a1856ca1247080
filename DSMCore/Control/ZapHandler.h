// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <zmq.hpp>

#include <string>

namespace dsm
{

/// Decides who may connect to a CURVE server: the holders of one client key. ZeroMQ asks it for
/// each connection over an in-process socket (ZAP, RFC 27); without it CURVE admits any client that
/// knows the server's public key.
///
/// Belongs to the thread that polls it; make it before the server's socket binds.
class ZapHandler
{
public:
  /// `clientKey` is the admitted public key in Z85. Throws Error(Usage) when it is none.
  ZapHandler(zmq::context_t& context, const std::string& clientKey);

  /// Answers the requests that have arrived.
  void Answer();

  zmq::pollitem_t PollItem() { return { this->Socket.handle(), 0, ZMQ_POLLIN, 0 }; }

private:
  std::string Admitted; // binary
  zmq::socket_t Socket;
};

}
