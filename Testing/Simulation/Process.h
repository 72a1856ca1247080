// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Error.h"
#include "Control/Envelope.h"
#include "Protocol/SessionMessages.h"
#include "World.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

namespace dsm::simulation
{

/// A simulated process with a connection to the server. It connects again when the server has given
/// it up. What it was doing then is forgotten, as are the answers that it waits for.
class Process
{
public:
  Process(World& world, std::string name, PeerDescription description, std::string key);
  virtual ~Process() = default;
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void Start();

  /// \name What befalls a process
  ///@{
  void Kill();
  void Stop();
  void Continue();
  void CutConnection();
  void RestoreConnection();
  /// The server has given it up.
  void Lost();
  ///@}

  const PeerId& Peer() const { return this->Id; }
  const std::string& Key() const { return this->KeyText; }
  bool IsAlive() const { return this->Alive; }
  bool IsStopped() const { return this->Stopped; }
  bool IsSilent() const { return this->Stopped || this->Parted; }
  bool HasFinished() const { return this->Finished; }

  /// The faults are over: it does what it must and ends.
  void ComeToAnEnd() { this->Ending = true; }

protected:
  using Failure = std::function<void(const Error&)>;

  /// It is connected, perhaps again.
  virtual void Run() = 0;
  virtual void Receive(const Envelope&) {}
  virtual void Prepare(Hello&) {}

  /// Asks the server. Without `otherwise` the process goes on with Again.
  template <typename Message, typename Then>
  void Ask(const Message& message, Then then, Failure otherwise = {})
  {
    const std::uint64_t id = this->Surroundings.NextRequest();
    this->Waiting[id] = { [then = std::move(then)](const Bytes& body)
      { then(Decode<typename Message::Reply>(body, "a reply")); },
      otherwise ? std::move(otherwise) : [this](const Error& error) { this->Again(error); } };
    this->Send(Message::Name, id, Encode(message));
  }

  template <typename Message>
  void Tell(const Message& message)
  {
    this->Send(Message::Name, 0, Encode(message));
  }

  /// Does something later, unless the process has ended or connected again by then.
  void Later(double seconds, std::function<void()> action);
  void Later(std::function<void()> action);

  /// Begins anew after an error. Connects again if the server has given it up.
  void Again(const Error& error);

  /// Says hello again over the same connection, as after a short interruption.
  void GreetAgain();

  /// Says goodbye.
  void Leave();

  /// Its number on its machine.
  std::uint64_t Number() const { return this->Description.Process; }

  /// Counts the connections.
  std::uint64_t Connection() const { return this->Epoch; }

  World& Surroundings;
  const std::string Name;
  bool Ending = false;

private:
  struct Question
  {
    std::function<void(const Bytes&)> Then;
    Failure Otherwise;
  };

  void Connect();
  void Greet();
  void Send(const char* name, std::uint64_t id, Bytes body);
  void Arrive(const Envelope& message);
  Hello Greeting();
  void Update();

  PeerDescription Description;
  const std::string KeyText;
  PeerId Id;
  std::uint64_t Epoch = 0;
  std::map<std::uint64_t, Question> Waiting;
  bool Alive = true;
  bool Stopped = false;
  bool Parted = false;
  bool Finished = false;
};

}
