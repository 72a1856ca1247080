// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Control/Listener.h"
#include "Server/Core/Call.h"
#include "Server/Core/Messenger.h"

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace dsm
{

/// The core's end of the control channel. Sends nothing before Listen and after Close. Thread safe.
class ChannelEdge final
  : public Messenger
  , public Responder
{
public:
  /// Binds the socket and fills in the contact. `mailboxes`: as Listener's. Handlers may be called
  /// before this returns.
  void Listen(Contact& contact, Listener::Handler handler, std::byte* mailboxes);

  /// Notifies the peers and ends the threads. Not to be called by a handler, nor with a lock that
  /// handlers take.
  void Close();

  /// Requests a tick as Listener::TickBy does.
  void TickBy(Clock::time_point moment);

  /// \name See Messenger
  ///@{
  void SendBytes(const PeerId& peer, const char* name, Bytes event) override;
  std::optional<GivenMailbox> GiveMailbox(const RequestId& request, std::uint64_t spare) override;
  void Admit(const std::string& key) override;
  void Withdraw(const std::string& key) override;
  std::vector<MessageCount> Traffic() const override;
  ///@}

  /// \name See Responder
  ///@{
  void Reply(const RequestId& request, Bytes body) noexcept override;
  void Refuse(const RequestId& request, const std::exception& error) noexcept override;
  ///@}

private:
  template <typename Work>
  void WithListener(const Work& work) const;

  mutable std::mutex Guard;
  std::unique_ptr<Listener> Channel;
};

}
