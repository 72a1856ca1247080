// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/StrongType.h"
#include "Control/Channel.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

namespace dsm
{

/// A host's channel to the coordinator, which is made again when one of the two was silent for too
/// long: a process that was stopped (a debugger, a job that was suspended, a busy node) still has
/// its memory, and comes back as it was. Thread safe.
class HostLink
{
public:
  /// Connects. `secret` is what only the server's own processes know. The handler runs in the
  /// channel's thread. Throws as Channel::Request does.
  HostLink(const Contact& contact, const std::string& contactPath, HostIndex host,
    const std::string& secret, Channel::EventHandler handler);

  /// Sends without waiting for a reply; what is said while the channel is lost is lost.
  template <typename Message>
  void Notify(const Message& notification) noexcept
  {
    if (const auto channel = this->Current())
    {
      channel->Notify(notification);
    }
  }

  /// Connects again where the channel is lost and the server has not said that it stops; takes a
  /// few seconds at most. Never throws.
  void Restore() noexcept;

private:
  std::shared_ptr<Channel> Current() const;
  std::shared_ptr<Channel> Introduce(const Deadline& deadline);
  void Receive(const Envelope& event);

  const Contact Address;
  const std::string Path;
  const HostIndex Host;
  const std::string Secret;
  const Channel::EventHandler Handler;

  std::uint64_t Connections = 0; ///< counts those tried; the server tells old ones by it

  mutable std::mutex Guard;
  bool Stopped = false; ///< the server has said that it stops
  std::shared_ptr<Channel> Link;
};

}
