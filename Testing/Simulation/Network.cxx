// SPDX-License-Identifier: BSD-3-Clause
#include "Network.h"

#include <utility>

namespace dsm::simulation
{

Network::Network(Random& chance, Timeline& time, Journal& journal, Arrival arrival)
  : Chance(chance)
  , Time(time)
  , Notes(journal)
  , Arrived(std::move(arrival))
{
}

void Network::Connect(const PeerId& peer, std::string key, Delivery delivery)
{
  this->Connections[peer] = { std::move(key), std::move(delivery), {}, {}, false };
}

void Network::Hang(const PeerId& peer)
{
  this->Connections[peer].ToProcess = nullptr;
}

void Network::Cut(const PeerId& peer)
{
  this->Connections[peer].IsCut = true;
}

void Network::Restore(const PeerId& peer)
{
  Connection& connection = this->Connections[peer];
  connection.IsCut = false;
  for (std::size_t waiting = 0; waiting < connection.Up.size(); ++waiting)
  {
    this->Time.After(this->Delay(), [this, peer] { this->PumpUp(peer); });
  }
  for (std::size_t waiting = 0; waiting < connection.Down.size(); ++waiting)
  {
    this->Time.After(this->Delay(), [this, peer] { this->PumpDown(peer); });
  }
}

bool Network::IsCut(const PeerId& peer) const
{
  const auto found = this->Connections.find(peer);
  return found != this->Connections.end() && found->second.IsCut;
}

std::vector<PeerId> Network::WithKey(const std::string& key) const
{
  std::vector<PeerId> peers;
  for (const auto& [peer, connection] : this->Connections)
  {
    if (connection.Key == key && connection.ToProcess)
    {
      peers.push_back(peer);
    }
  }
  return peers;
}

// Mostly fast; some messages are late.
double Network::Delay()
{
  return this->Chance.Chance(0.05) ? this->Chance.Between(0.0, 1.0)
                                   : this->Chance.Between(0.0001, 0.01);
}

void Network::SendToServer(const PeerId& peer, Envelope message)
{
  this->Connections[peer].Up.push_back(std::move(message));
  this->Time.After(this->Delay(), [this, peer] { this->PumpUp(peer); });
}

void Network::SendToPeer(const PeerId& peer, Envelope message)
{
  this->Connections[peer].Down.push_back(std::move(message));
  this->Time.After(this->Delay(), [this, peer] { this->PumpDown(peer); });
}

void Network::SendBytes(const PeerId& peer, const char* name, Bytes event)
{
  this->SendToPeer(peer, { Envelope::Kind::Event, name, 0, std::move(event), {}, {} });
}

// Delivers one message. Each that was sent has a pump of its own, so the first of them all takes
// the first message.
void Network::PumpUp(const PeerId& peer)
{
  Connection& connection = this->Connections[peer];
  if (connection.IsCut || connection.Up.empty())
  {
    return;
  }
  const Envelope message = std::move(connection.Up.front());
  connection.Up.pop_front();
  this->Notes.Note("{} -> server: {} {}", peer, message.Name, message.Id);
  this->Arrived(peer, connection.Key, message);
}

void Network::PumpDown(const PeerId& peer)
{
  Connection& connection = this->Connections[peer];
  if (connection.IsCut || connection.Down.empty())
  {
    return;
  }
  const Envelope message = std::move(connection.Down.front());
  connection.Down.pop_front();
  if (connection.ToProcess)
  {
    this->Notes.Note("server -> {}: {} {}{}", peer,
      message.What == Envelope::Kind::Event ? "event " + message.Name
        : message.What == Envelope::Kind::Reply
        ? std::string("reply")
        : std::string("refusal (") + FaultName(message.Reason) + ")",
      message.Id, message.Text.empty() ? "" : ": " + message.Text.substr(0, 100));
    const Delivery deliver = connection.ToProcess;
    deliver(message);
  }
}

}
