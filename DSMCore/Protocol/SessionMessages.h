// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Right.h"
#include "Protocol/Descriptions.h"
#include "Protocol/FilePolicy.h"
#include "Protocol/Version.h"

#include <cstdint>
#include <optional>
#include <string>

/// How a peer introduces itself, and what the server tells it of itself, also later.
namespace dsm
{

/// A place in the memory of host 0 by which a peer that maps it can ask.
struct GivenMailbox
{
  std::uint64_t Number = 0;
  std::uint64_t Key = 0; ///< by which the server knows who asks
};

/// The reply to Hello.
struct HelloReply
{
  ServerDescription Server;
  double FullRingLimit = 0; ///< seconds a writer may have to wait for room
  FilePolicy Files;
  double Clock = 0;    ///< seconds by the server's clock: SteadySeconds
  std::string Trouble; ///< not empty while it can take no files: why
  std::optional<GivenMailbox> Mailbox;
};

/// Which host an agent speaks for.
struct HostSeat
{
  HostIndex Number = 0;
  std::string Secret; ///< that only the server's own processes know
  /// Counts the connections of the agent. The greeting of an earlier one may come late.
  std::uint64_t Connection = 0;
};

/// A peer's first request.
struct Hello
{
  static constexpr const char* Name = "hello";
  static constexpr Right Needs = Right::Look;
  using Reply = HelloReply;

  std::int64_t Protocol = ProtocolVersion();
  PeerDescription Peer;
  std::optional<HostSeat> Host; ///< of a host's agent
};

/// The part of Hello that every version of the protocol has.
struct HelloVersion
{
  std::int64_t Protocol = 0;
};

/// Event: which files the server wants, and when it shows them, has changed.
struct FilePolicyChanged
{
  static constexpr const char* Name = "file-policy";

  FilePolicy Files;
};

/// Event: the server's settings have changed; files that begin from now on follow them. Told to a
/// writer before the answer to its next request.
struct ServerChanged
{
  static constexpr const char* Name = "server";

  ServerDescription Server;
  double FullRingLimit = 0;
};

void Describe(Fields&, GivenMailbox&);
void Describe(Fields&, HelloReply&);
void Describe(Fields&, HostSeat&);
void Describe(Fields&, Hello&);
void Describe(Fields&, HelloVersion&);
void Describe(Fields&, FilePolicyChanged&);
void Describe(Fields&, ServerChanged&);

}
