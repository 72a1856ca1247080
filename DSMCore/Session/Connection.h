// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"
#include "Control/Channel.h"
#include "Control/Intake.h"
#include "Control/Messages.h"
#include "Transport/Transport.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace dsm
{

class MpiMembership;

/// One process's link to one server: the control channel, opened when first needed, and the
/// transport to the hosts' memory. Files and snapshots share it by shared_ptr. Thread safe but for
/// the transport.
class Connection
{
public:
  /// Talks to the server of a contact file: connects and says hello, within the deadline.
  /// `ranks` is the number of the program's ranks that work together, for people.
  /// Throws as ReadContact and Channel::Request do.
  static std::shared_ptr<Connection> Open(const std::string& contactPath, const std::string& role,
    std::uint64_t ranks, const Deadline& deadline);

  /// As a rank that was told of the server by another: opens no channel until one is needed.
  /// `role` is "rank" for a writer's other ranks, "viewer" for a host's.
  static std::shared_ptr<Connection> FromDescription(const std::string& contactPath,
    const Contact& contact, const ServerDescription& server, const std::string& role);

  const std::string& ContactPath() const { return this->Path; }
  const Contact& GetContact() const { return this->Address; }
  /// As the server last told us, which changes when its settings do: see Follow. The reference
  /// stays good.
  const ServerDescription& Server() const;

  /// From now on the server is as it says here: files that begin now go by its transport. Ranks
  /// that begin a file together follow what its rank 0 knows.
  void Follow(const ServerDescription& server);

  /// The control channel; connects and says hello at the first call.
  Channel& Control(const Deadline& deadline);

  /// Asks, with a limit of RequestTimeout().
  nlohmann::json Ask(const std::string& what, nlohmann::json arguments);

  /// Asks what the server may answer late, because the ring is full: the limit is the server's own
  /// for that, RequestTimeout() on top, and what the work itself may take.
  nlohmann::json AskForRoom(
    const std::string& what, nlohmann::json arguments, Seconds work = Seconds(0));

  /// Which files the server wants and when it shows them, as it said last.
  Intake GetIntake();

  /// Tells the server something that needs no answer; never throws, and says nothing when there is
  /// no channel yet.
  void Tell(const std::string& what, nlohmann::json arguments) noexcept;

  /// Transports that several processes made together, for Data to choose from. References that Data
  /// gave out before stay good.
  void AddJoined(std::vector<std::shared_ptr<Transport>> joined);

  /// True in a process that hosts the server: it was given its ways to the hosts.
  bool HasOwnWays() const;

  /// This process's part in a communicator with the hosts; null when there is none.
  std::shared_ptr<MpiMembership> Membership() const;
  void SetMembership(std::shared_ptr<MpiMembership> membership);

  /// Parts from the hosts where this process joined them. To be called by all that joined together;
  /// gives up after a while if they do not. Never throws.
  void LeaveHosts() noexcept;

  /// The transport to the hosts' memory; made at the first call. Throws Error(Unsupported) when no
  /// transport reaches a host from here.
  Transport& Data();

  /// False when the server is known to be gone.
  bool Alive() const;

  /// As Alive, but looks if it is not known: opens the channel when there is none. Takes a moment;
  /// never throws.
  bool CheckAlive() noexcept;

private:
  struct Told;

  Connection() = default;
  void Connect(const Deadline& deadline);
  void Learn(const nlohmann::json& reply);
  void Set(const ServerDescription& server);

  std::string Path;
  Contact Address;
  std::vector<std::unique_ptr<const ServerDescription>> Descriptions; ///< the last one counts
  std::string Role;
  std::uint64_t Ranks = 1;
  double FullRingSeconds = 0; ///< how long the server may make a writer wait for room
  mutable std::mutex Guard;
  std::shared_ptr<Told> Announced; ///< shared with the channel's thread
  std::unique_ptr<Channel> Link;
  std::shared_ptr<Transport> Mover;
  std::vector<std::shared_ptr<Transport>> Joined;
  std::vector<std::shared_ptr<Transport>> Retired;         ///< movers that somebody may still use
  std::vector<std::shared_ptr<MpiMembership>> Memberships; ///< the last one counts
};

/// How long a request to the server may take: DSM_TIMEOUT seconds, default 30.
Seconds RequestTimeout();

}
