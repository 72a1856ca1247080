// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Control/Listener.h"
#include "Memory/QuestionBoard.h"
#include "Memory/Segment.h"
#include "Server/ChannelEdge.h"
#include "Server/Core/RenamedFiles.h"
#include "Server/Core/ServerCore.h"
#include "Server/GrantWatch.h"
#include "Server/PlaceholderTeller.h"
#include "Server/SlotBoard.h"
#include "Steering/SteeringService.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace dsm
{

/// Runs the core on host rank 0: gives it messages, questions, ticks and the time, and carries out
/// what it answers.
class CoreRunner
{
public:
  /// The options and properties with which the server starts.
  struct Start
  {
    ServerOptions Options;
    ServerDescription Description;
    std::uint64_t Lent = 0; ///< bytes per host; a slot's size is what it may grow to
    std::string HostSecret; ///< by which hosts prove that they are this server's
    TransportService::Mediators Mediators;
  };

  /// `memory`: that of host 0, which must outlive this.
  CoreRunner(Start start, const Segment& memory);
  ~CoreRunner();
  CoreRunner(const CoreRunner&) = delete;
  CoreRunner& operator=(const CoreRunner&) = delete;

  /// Binds the socket and begins to answer; fills in the contact.
  void Listen(Contact& contact);

  /// Notifies the peers and ends the threads.
  void Close();

  /// For use within an event: Router().Do, or a Visit.
  ServerCore& Core() { return this->Decisions; }
  RequestRouter& Router() { return this->Decisions.Router; }

  ServerStatus Status();

  /// Calls a function for each snapshot there is, and for each new one before its writer hears that
  /// it is one. An empty function ends that. It must not block, nor call the server.
  void OnSealed(std::function<void(const SnapshotDescription&)> call);

  /// Does what Server::TakeRenamed does.
  std::optional<SnapshotDescription> TakeRenamed(SnapshotId last);

  /// Has a lock of its own and sends under it: never to be called within an event.
  SteeringService& Steering() { return this->Steered; }

private:
  /// Tells whoever rescues snapshots of each.
  class Rescue;
  /// Tells placeholders on disk what became of their snapshots.
  class Placeholders;

  SteeringService::Callbacks SteeringCallbacks();
  Listener::Handler Handlers();
  bool LookInMemory();
  void Answer(const QuestionBoard::Question& question);
  void TellPlaceholder(const std::string& file, SnapshotId number, PlaceholderState state);

  std::byte* const Mailboxes; ///< in host 0's memory
  const std::shared_ptr<ChannelEdge> Channel;
  SlotBoard Slots;
  QuestionBoard Board;
  PlaceholderTeller Teller;
  SteeringService Steered;
  ServerCore Decisions;
  Rescue& Rescuing;
  RenamedFiles* Renamed = nullptr;   ///< null: nobody has asked
  std::string OwnKey;                ///< the public key by which placeholders name this server
  std::unique_ptr<GrantWatch> Watch; ///< its thread uses all the above
};

}
