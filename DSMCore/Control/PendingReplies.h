// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"
#include "Base/Error.h"
#include "Control/Envelope.h"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace dsm
{

/// The requests of one channel that have no reply yet, by number. Thread safe.
class PendingReplies
{
public:
  /// Enters a request and gives it a number; each must be waited for or withdrawn. Throws the
  /// channel's failure when there was one.
  std::uint64_t Begin();

  /// A request that was not sent after all.
  void Withdraw(std::uint64_t number);

  /// Gets the body of a reply that comes when nobody waits for it any more.
  using Late = std::function<void(const Bytes& reply)>;

  /// The reply's body, or none when the deadline passes first. Throws what the server refused with,
  /// or the channel's failure. A later reply goes to `late`, by the thread that brings it, or is
  /// ignored.
  std::optional<Bytes> Wait(std::uint64_t number, const Deadline& deadline, Late late = {});

  /// Brings a reply or refusal to whoever waits for it.
  void Complete(Envelope answer);

  /// Ends all waits, and all later ones, with an error. Only the first failure counts.
  void Fail(Fault fault, const std::string& text);
  bool Failed() const;

private:
  struct Failure
  {
    Fault Kind;
    std::string Text;
  };

  struct Entry
  {
    std::condition_variable Changed;
    std::optional<Bytes> Reply;
    std::optional<Failure> Refusal;
  };

  mutable std::mutex Guard;
  std::map<std::uint64_t, Entry> Entries; // a node does not move while others come and go
  std::map<std::uint64_t, Late> GivenUp;
  std::uint64_t Last = 0;
  std::optional<Failure> Broken;
};

}
