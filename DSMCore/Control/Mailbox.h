// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Doorbell.h"
#include "Encoding/Encoding.h"

#include <cstddef>
#include <cstdint>

namespace dsm
{

/// A place in memory that a server shares with a peer on its node, by which the peer's requests and
/// their answers go without a socket: a few microseconds instead of some hundred, which the threads
/// on the way take to wake up. One request at a time:
///
///             Ask            Take             Answer            TakeAnswer
///     Idle  ------->  Asked  ----->  Taken  ---------> Answered -----------> Idle
///       ^               |              |'--- Defer --> Deferred -----------> Idle
///       '-- Withdraw ---'              '--- Withdraw -> GivenUp -- Answer or Defer --> Idle
///
/// What is deferred, or was given up when it had been taken, is answered over the control channel.
/// Who comes with another number than the box was given with is not heard.
///
/// Any of the two may be stopped or ended by force at any moment: the other sees a state that does
/// not change, and uses the channel. Both ends are views of the same bytes.
class Mailbox
{
public:
  /// Bytes of one, and what it must lie at a multiple of.
  static constexpr std::uint64_t Size = 4096;
  static constexpr std::uint64_t Alignment = 64;
  /// Bytes of the longest message.
  static constexpr std::uint64_t Capacity = Size - 24;

  enum class State : std::uint32_t
  {
    Idle,
    Asked,
    Taken,
    Answered,
    Deferred,
    GivenUp
  };

  /// `bell`: that all boxes of a server share.
  Mailbox(std::byte* place, Doorbell bell)
    : Place(place)
    , Bell(bell)
  {
  }

  State Now() const;

  /// \name The peer
  ///@{
  /// False when the message is too long, or what was asked before is not over.
  bool Ask(std::uint64_t key, const Bytes& message) const;

  /// Sleeps until the state is another, for so long at most; may return for no reason.
  void SleepWhile(State state, Seconds limit) const;

  /// Of an answer that is there.
  Bytes TakeAnswer() const;

  /// A deferred request's box can be used again.
  void Reset() const;

  /// Gives up waiting. Idle: nobody has heard the request, or will. GivenUp: it is answered over
  /// the channel. Else it is answered or deferred already.
  State Withdraw() const;
  ///@}

  /// \name The server
  ///@{
  /// Whether there is a request of whom the box was given to: then that is its own from now on.
  bool Take(std::uint64_t key) const;

  /// The request that was taken.
  Bytes Request() const;

  /// False when the peer has given up, or the answer is too long: it goes over the channel.
  bool Answer(const Bytes& message) const;

  /// The answer will come over the channel.
  void Defer() const;
  ///@}

private:
  bool Change(State from, State to) const;
  void Put(const Bytes& message) const;
  Bytes Get() const;

  std::byte* Place;
  Doorbell Bell;
};

}
