// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Control/Envelope.h"
#include "Journal.h"
#include "Random.h"
#include "Server/Core/Messenger.h"
#include "Timeline.h"

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dsm::simulation
{

/// The control channel: connections that delay messages. Messages of one connection stay in their
/// order in each direction; those of different connections overtake each other. What is sent over
/// a connection that is cut arrives when it is restored.
class Network final : public Messenger
{
public:
  /// A message at the server, with the key of its connection.
  using Arrival = std::function<void(const PeerId&, const std::string& key, const Envelope&)>;
  /// A message at a process.
  using Delivery = std::function<void(const Envelope&)>;

  Network(Random& chance, Timeline& time, Journal& journal, Arrival arrival);

  void Connect(const PeerId& peer, std::string key, Delivery delivery);
  /// The process hears nothing more. What it has sent arrives.
  void Hang(const PeerId& peer);
  void Cut(const PeerId& peer);
  void Restore(const PeerId& peer);
  bool IsCut(const PeerId& peer) const;
  /// The connections with a key that are not closed.
  std::vector<PeerId> WithKey(const std::string& key) const;

  void SendToServer(const PeerId& peer, Envelope message);
  void SendToPeer(const PeerId& peer, Envelope message);

  void SendBytes(const PeerId& peer, const char* name, Bytes event) override;
  std::optional<GivenMailbox> GiveMailbox(const RequestId&, std::uint64_t) override
  {
    return std::nullopt;
  }
  void Admit(const std::string&) override {}
  void Withdraw(const std::string& key) override { this->Withdrawn(key); }
  std::vector<MessageCount> Traffic() const override { return {}; }

  /// Hears that the holder of a key may not come any more.
  std::function<void(const std::string& key)> Withdrawn = [](const std::string&) {};

private:
  struct Connection
  {
    std::string Key;
    Delivery ToProcess;
    std::deque<Envelope> Up;
    std::deque<Envelope> Down;
    bool IsCut = false;
  };

  double Delay();
  void PumpUp(const PeerId& peer);
  void PumpDown(const PeerId& peer);

  Random& Chance;
  Timeline& Time;
  Journal& Notes;
  const Arrival Arrived;
  std::map<PeerId, Connection> Connections;
};

}
