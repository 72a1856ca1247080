// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Control/ContactFile.h"
#include "Control/Envelope.h"
#include "Control/Mailboxes.h"
#include "Control/RequestId.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dsm
{

/// The server's end of the control channel. One thread owns the socket, accepts only peers that
/// hold an admitted key (CURVE): the contact file's or a guest's; decodes messages and calls the
/// handler; it makes no MPI call. Answers may come later and from other threads: Reply and Send are
/// thread safe.
class Listener
{
public:
  /// All are called in the listener's threads, one at a time, and must not block. They may be
  /// called before the constructor returns: what they use of the listener needs a lock.
  struct Handler
  {
    /// A request or notification. An exception becomes the reply.
    std::function<void(const RequestId&, const Envelope& message)> Received;
    /// A peer that Received knows said "bye" (lost = false), was silent for PeerTimeout(), or its
    /// connection was closed and it does not come back (lost = true). It is not heard again.
    std::function<void(const PeerId&, bool lost)> Gone;
    /// Is called several times a second, for limits of pending answers. It may be empty: the thread
    /// of the listener then wakes up more rarely.
    std::function<void()> Tick = {};
    /// Whether the process of a peer whose connection is closed has ended, where one can tell:
    /// then it does not come back. May be empty.
    std::function<bool(const PeerId&)> HasEnded = {};
  };

  /// How many messages of a name came, and how many of that name, or answers to it, were sent.
  struct MessageCount
  {
    std::string Name;
    std::uint64_t Received = 0;
    std::uint64_t Sent = 0;
  };

  /// Binds to a free TCP port and starts to listen. Fills in what it owns of the contact:
  /// endpoints (loopback first, then the machine's other addresses) and keys. `mailboxes`: memory
  /// for them (Mailboxes::Size), which outlives the listener; null: there are none.
  /// Throws Error(System) when it cannot.
  Listener(Contact& contact, Handler handler, std::byte* mailboxes = nullptr);

  /// Tells every peer that it stops, then ends.
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// Answers a request with its reply.
  template <typename Record>
  void Reply(const RequestId& request, const Record& reply)
  {
    this->ReplyBytes(request, Encode(reply));
  }
  void ReplyBytes(const RequestId& request, Bytes reply);

  /// Answers with an error.
  void Refuse(const RequestId& request, const std::exception& error);

  /// Sends an event.
  template <typename Message>
  void Send(const PeerId& peer, const Message& event)
  {
    this->SendBytes(peer, Message::Name, Encode(event));
  }
  void SendBytes(const PeerId& peer, const char* name, Bytes event);

  /// Gives the peer that has sent a request a mailbox (Mailboxes::Give). For the contact file's
  /// owner only: what comes by it is not encrypted.
  std::optional<Mailboxes::Given> GiveMailbox(const RequestId& request, std::uint64_t spare);
  /// Requests a tick no later than a moment: ticks come ten times a second otherwise.
  void TickBy(Clock::time_point moment);

  /// All messages since it began to listen, by name.
  std::vector<MessageCount> Traffic() const;

  /// Admits the holder of another key. Throws as AdmittedKeys::Admit does.
  void Admit(const std::string& key);

  /// Hears the holder of a key no more: its peers get the event "withdrawn" and are Gone (lost),
  /// and its new connections are refused.
  void Withdraw(const std::string& key);

private:
  class Implementation;
  std::unique_ptr<Implementation> Self;
};

}
