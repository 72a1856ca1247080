// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Control/AdmittedKeys.h"

#include <zmq.hpp>

#include <memory>
#include <string>

namespace dsm
{

/// Decides who may connect to a CURVE server: the holders of admitted keys. ZeroMQ asks it for each
/// connection over an in-process socket (ZAP, RFC 27); without it CURVE admits any client that
/// knows the server's public key. What an admitted client sends carries its key: see KeyOf.
///
/// Belongs to the thread that polls it; make it before the server's socket binds.
class ZapHandler
{
public:
  ZapHandler(zmq::context_t& context, std::shared_ptr<const AdmittedKeys> keys);

  /// Answers the requests that have arrived.
  void Answer();

  zmq::pollitem_t PollItem() { return { this->Socket.handle(), 0, ZMQ_POLLIN, 0 }; }

  /// The public key, in Z85, that the sender of a message has proved to hold.
  static std::string KeyOf(const zmq::message_t& message);

  /// What a client whose key was withdrawn gets as the status of its handshake: RFC 27 has one for
  /// refused clients (400) and one that nothing else here makes use of.
  static constexpr int WithdrawnStatus = 500;

private:
  std::shared_ptr<const AdmittedKeys> Keys;
  zmq::socket_t Socket;
};

}
