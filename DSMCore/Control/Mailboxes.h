// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Control/Mailbox.h"
#include "Control/RequestId.h"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace dsm
{

/// A server's mailboxes, in memory that its peers on the node map, and who has which. Thread safe.
class Mailboxes
{
public:
  static constexpr std::uint64_t Count = 32;
  /// Bytes of all; they lie at a multiple of Mailbox::Alignment and are 0 at first.
  static constexpr std::uint64_t Size = Mailbox::Alignment + Count * Mailbox::Size;

  /// One of those that are at `memory`.
  static Mailbox At(std::byte* memory, std::uint64_t number);

  /// Null memory: there are none.
  explicit Mailboxes(std::byte* memory);

  /// What a peer is told: which it has, and by which number it is known to be the one.
  struct Given
  {
    std::uint64_t Number = 0;
    std::uint64_t Key = 0;
  };

  /// Gives a box to who sent a request, if `spare` others are left then; none if they are not.
  std::optional<Given> Give(const RequestId& request, std::uint64_t spare = 0);

  /// The peer has gone. The box of one that was lost nobody gets any more: it may go on one day,
  /// and write there.
  void Gone(const PeerId& peer, bool lost);

  struct Request
  {
    PeerId Peer;
    std::string Key; ///< of the connection over which the peer came
    Mailbox Box;
  };

  /// The next request, which is taken; none where there is none.
  std::optional<Request> Take();

  /// Waits until there may be a request, for so long at most.
  void Await(Seconds limit);

  /// Ends Await.
  void Wake();

private:
  struct Box
  {
    bool Free = true;
    PeerId Peer; ///< empty: free, or nobody's any more
    std::string ConnectionKey;
    std::uint64_t Key = 0;
  };

  std::byte* const Memory;
  std::uint32_t Seen =
    0; ///< how often the bell was rung, when it was last looked at; of one thread
  std::uint64_t Next = 0; ///< where to look first, so that nobody waits for others only
  std::mutex Guard;
  std::vector<Box> Boxes;
};

}
