// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"
#include "Base/Timeouts.h"
#include "Control/ContactFile.h"
#include "Control/Envelope.h"
#include "Control/Mailbox.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace dsm
{

/// A peer's end of the control channel: requests and their replies, heartbeats, and events the
/// server sends by itself. A thread of its own owns the socket and makes no MPI call.
///
/// Heartbeats are the notification "ping", which the server answers with the event "pong". The
/// server counts a peer as lost after `PeerTimeout` without a message, and so does the channel the
/// server. The notification "bye" and the event "stopping" say that a side ends; the event
/// "forgotten" is sent to a peer that sends again after it was counted as lost. The event
/// "withdrawn" ends the channel of a guest whose invitation was withdrawn.
///
/// A connection that breaks is made again without a loss of identity; a channel that has failed
/// once stays failed, as another server has other keys. One that has failed by the server's silence
/// alone goes on with its heartbeats: a server that was only stopped still knows the peer when it
/// goes on. In a forked child it is unusable.
///
/// Thread safe: requests may come from several threads at once.
class Channel
{
public:
  using EventHandler = std::function<void(const Envelope& event)>;

  /// A notification that is encoded already.
  struct Notice
  {
    std::string Name;
    Bytes Body;

    template <typename Message>
    static Notice Of(const Message& message)
    {
      return { Message::Name, Encode(message) };
    }
  };

  /// Gives messages to send.
  using Composer = std::function<std::vector<Notice>()>;

  /// Connects; says nothing yet. `contactPath` serves messages only. The handler runs in the
  /// channel's thread and must not call Request on the same channel.
  Channel(const Contact& contact, const std::string& contactPath, EventHandler handler = {});

  /// Says "bye" if the server still answers, and ends the thread. Takes at most half a second.
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  /// Says "bye" as the destructor does, and waits for that at most so long. Nothing can be sent
  /// from then on. Calls nothing that a signal handler may not call.
  void Leave(Seconds limit) noexcept;

  /// Sends a request and waits for the reply. Throws what the server answered as Error with the
  /// server's fault and text; Error(NoServer) when nobody answers there (message: endpoint, contact
  /// file, since when the server was started and whether its process is gone); Error(Refused) when
  /// the keys do not fit, or the reply is not as it should be; Error(PeerLost) when the server was
  /// there and has gone; Error(TimedOut) at the deadline. Messages say what was waited for.
  ///
  /// A reply that comes after that goes to `late`, in the channel's thread, so that what it grants
  /// can be given back; as long as the channel lives.
  template <typename Message>
  typename Message::Reply Request(const Message& request, const Deadline& deadline,
    std::function<void(const typename Message::Reply&)> late = {})
  {
    const auto decode = [](const Bytes& reply)
    {
      return Decode<typename Message::Reply>(reply, "the reply to " + MessageText(Message::Name));
    };
    std::function<void(const Bytes&)> decoded;
    if (late)
    {
      decoded = [decode, late = std::move(late)](const Bytes& reply) { late(decode(reply)); };
    }
    return decode(this->Exchange(Message::Name, Encode(request), deadline, std::move(decoded)));
  }

  /// Sends without waiting for a reply; never throws. For a peer's notifications to the server. By
  /// a mailbox it returns when the server has handled the notification, or after some milliseconds.
  template <typename Message>
  void Notify(const Message& notification) noexcept
  {
    this->Notify(
      Message::Name, [&](Fields& fields) { Describe(fields, const_cast<Message&>(notification)); });
  }

  /// As Notify, for a thread that has no time: the channel's thread calls the composer. What was
  /// notified before is sent before.
  void NotifyLater(Composer compose) noexcept;

  /// As NotifyLater, for what may wait for some milliseconds: it does not wake the channel's thread
  /// where that will look by itself.
  void ComposeSoon(Composer compose) noexcept;

  /// From now on requests go by this mailbox, which the server has given by this number
  /// (Mailboxes): those that do not come behind something that was sent otherwise and is not known
  /// to have arrived. `keeps` keeps its memory.
  void UseMailbox(
    const Mailbox& box, std::uint64_t key, std::shared_ptr<const void> keeps) noexcept;

  /// By which the server knows this peer (RequestId::Peer).
  const std::string& Identity() const;

  /// False once the server has been silent for too long or has said it stops.
  bool Alive() const;

  /// True once the server has said that it counted this peer as lost, as it does if this process
  /// was suspended. The server itself is there.
  bool WasForgotten() const;

  /// Throws Error(Refused) once this peer's invitation was withdrawn. Takes no lock.
  void RequireInvitation() const;

  const std::string& ContactPath() const;

private:
  Bytes Exchange(
    const char* name, Bytes body, const Deadline& deadline, std::function<void(const Bytes&)> late);
  void Notify(const char* name, const FieldVisitor& visit) noexcept;
  void Post(Composer compose, bool mayWait) noexcept;

  class Implementation;
  std::unique_ptr<Implementation> Self;
};

}
