// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Encoding/Encoding.h"
#include "Server/Core/ServerCore.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dsm::testing
{

/// Numbers that would be in host 0's memory.
class RecordedSlots final : public SlotSignals
{
public:
  bool DecideSealed(std::uint64_t slot, std::uint64_t generation) override;
  bool WentAlone(std::uint64_t slot, std::uint64_t generation) const override;
  void RaiseGeneration(std::uint64_t slot, std::uint64_t generation) override;
  std::uint64_t Wanted(std::uint64_t slot, std::uint64_t generation) const override;
  std::uint64_t Reached(std::uint64_t slot, std::uint64_t generation) const override;
  void TellGrant(std::uint64_t slot, std::uint64_t bytes, const DiskShare& disk) override;
  void TellRefusal(std::uint64_t slot, std::uint64_t generation, std::uint64_t bytes,
    const Error& why, const std::string& file) override;
  void Beat() override {}

  using Place = std::pair<std::uint64_t, std::uint64_t>; ///< slot and generation
  std::map<Place, bool> GivenUp;
  std::map<Place, bool> Alone;
  std::map<Place, std::uint64_t> Wants;
  std::map<Place, std::uint64_t> Reaches;
  std::map<std::uint64_t, std::uint64_t> Grants; ///< by slot
  std::map<std::uint64_t, std::string> Refusals; ///< by slot
  std::map<std::uint64_t, std::uint64_t> Generations;
};

/// Events that would go over the control channel.
class RecordedChannel final : public Messenger
{
public:
  struct Event
  {
    PeerId Peer;
    std::string Name;
    Bytes Body;
  };

  void SendBytes(const PeerId& peer, const char* name, Bytes event) override;
  std::optional<GivenMailbox> GiveMailbox(const RequestId&) override { return std::nullopt; }
  void Admit(const std::string&) override {}
  void Withdraw(const std::string&) override {}
  std::vector<MessageCount> Traffic() const override { return {}; }

  /// The events of a type that a peer was sent, in order. They are removed.
  template <typename Message>
  std::vector<Message> Take(const PeerId& peer)
  {
    std::vector<Message> taken;
    std::erase_if(this->Events,
      [&](const Event& event)
      {
        const bool isMeant = event.Peer == peer && event.Name == Message::Name;
        if (isMeant)
        {
          taken.push_back(Decode<Message>(event.Body, "an event"));
        }
        return isMeant;
      });
    return taken;
  }

  std::vector<Event> Events;
};

/// Answers that a test looks at.
class RecordedAnswers final : public Responder
{
public:
  void Reply(const RequestId& request, Bytes body) noexcept override;
  void Refuse(const RequestId& request, const std::exception& error) noexcept override;

  struct Answer
  {
    std::optional<Bytes> Body;    ///< of a reply
    std::optional<Error> Refusal; ///< or why there is none
  };
  std::map<std::uint64_t, std::vector<Answer>> ById;
};

/// The server's core without a socket, thread or clock: a test sends requests, does the hosts'
/// work, and moves the time.
class SimulatedServer
{
public:
  static constexpr const char* Owner = "owner's key";
  static constexpr const char* Secret = "hosts' secret";

  /// `hosts` hosts that lend so many bytes each.
  explicit SimulatedServer(
    std::uint64_t hosts = 2, std::uint64_t lent = 1 << 20, ServerOptions options = Options());

  static ServerOptions Options();

  /// Sends a request of the owner's, and returns its number.
  template <typename Message>
  std::uint64_t Send(const PeerId& peer, const Message& message)
  {
    return this->SendEnvelope(
      peer, { Envelope::Kind::Request, Message::Name, ++this->Last, Encode(message), {}, {} });
  }

  /// Returns true if a request has been answered.
  bool IsAnswered(std::uint64_t request) const;

  /// The reply to a request. Throws the refusal, or std::runtime_error if there is no answer yet.
  template <typename Message>
  typename Message::Reply ReplyTo(std::uint64_t request)
  {
    return Decode<typename Message::Reply>(this->BodyOf(request), "a reply");
  }

  /// Sends a request, lets the hosts do their work, and returns the reply.
  template <typename Message>
  typename Message::Reply Ask(const PeerId& peer, const Message& message)
  {
    const std::uint64_t request = this->Send(peer, message);
    this->HostsWork();
    return this->ReplyTo<Message>(request);
  }

  /// A peer says hello. `job`: of several processes.
  HelloReply Connect(const PeerId& peer, const std::string& role, std::uint64_t ranks = 1);

  /// The hosts report all tasks that they have been given. Returns how many these were.
  std::size_t HostsWork();

  /// The time goes on, and the core ticks.
  void Wait(Seconds time);

  void Leave(const PeerId& peer, bool isLost);

  /// Writes a file: begins an image and seals it. Returns the snapshot's number.
  std::uint64_t WriteFile(const PeerId& peer, const std::string& name, std::uint64_t size = 4096);

  CoreTime Time{ Clock::time_point(std::chrono::hours(1)), 1e9 };
  RecordedSlots Slots;
  RecordedChannel Channel;
  const std::shared_ptr<RecordedAnswers> Answers = std::make_shared<RecordedAnswers>();
  std::map<std::uint64_t, bool> EndedProcesses; ///< by their numbers
  SteeringService Steering;
  ServerCore Core;

private:
  static ServerDescription DescriptionOf(std::uint64_t hosts, std::uint64_t lent);
  std::uint64_t SendEnvelope(const PeerId& peer, const Envelope& message);
  Bytes BodyOf(std::uint64_t request) const;
  PeerId HostPeer(std::uint64_t host) const { return "host " + std::to_string(host); }

  std::uint64_t Last = 0;
  std::uint64_t LastKey = 0;
};

}
