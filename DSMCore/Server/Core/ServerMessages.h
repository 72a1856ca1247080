// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Right.h"
#include "Encoding/Fields.h"
#include "Protocol/Descriptions.h"
#include "Protocol/ImageMessages.h"
#include "Server/Core/ServerOptions.h"
#include "Server/Core/ServerStatus.h"
#include "Server/Core/SnapshotCounts.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What a viewer asks of a server whose hosts are in other processes than its own: ServerAccess, as
/// messages.
namespace dsm
{

/// The viewer's program takes care of the server from now on, until its channel ends. Refused by a
/// server that is part of another program, whose user would be surprised.
struct AttachViewer
{
  static constexpr const char* Name = "attach";
  static constexpr Right Needs = Right::Own;
  using Reply = ServerStatus;
};

/// The viewer's program shows what the server has, beside others, until its channel ends. It
/// changes nothing but what simulations let it steer. A server whose hosts end by themselves when
/// nobody is connected stays for it, unless it is a guest.
struct WatchServer
{
  static constexpr const char* Name = "watch";
  static constexpr Right Needs = Right::Look;
  using Reply = ServerStatus;
};

struct AskStatus
{
  static constexpr const char* Name = "status";
  static constexpr Right Needs = Right::Look;
  using Reply = ServerStatus;
};

/// How many messages of a name have come to a server, and how many of that name, or answers to it,
/// it has sent.
struct MessageCount
{
  std::string Message;
  std::uint64_t Received = 0;
  std::uint64_t Sent = 0;
};

struct ControlTraffic
{
  std::uint64_t Peers = 0; ///< that are connected, hosts among them
  std::vector<MessageCount> Messages;
};

/// What the control channel has carried since the server's start: to see what programs cost it.
struct AskTraffic
{
  static constexpr const char* Name = "traffic";
  static constexpr Right Needs = Right::Own;
  using Reply = ControlTraffic;
};

/// Kept until the lease is closed, which counts as having read it.
struct TakenSnapshot
{
  std::optional<LeasedSnapshot> Snapshot; ///< none came
  SnapshotCounts Counts;
};

/// As ServerAccess::WaitForSnapshot.
struct TakeSnapshot
{
  static constexpr const char* Name = "take";
  static constexpr Right Needs = Right::Look;
  using Reply = TakenSnapshot;

  SnapshotId After = 0;
  bool Next = true;
  double Seconds = 0; ///< how long to wait for one
};

/// Evicts a snapshot now, with all its parts. Refused if somebody reads it, it is pinned, or it is
/// the newest checkpoint.
struct DropSnapshot
{
  static constexpr const char* Name = "drop";
  static constexpr Right Needs = Right::Own;
  using Reply = Nothing;

  SnapshotId Number = 0;
};

struct ServerAdjusted
{
  ServerDescription Server;
};

/// As ServerAccess::Adjust.
struct AdjustServer
{
  static constexpr const char* Name = "adjust";
  static constexpr Right Needs = Right::Own;
  using Reply = ServerAdjusted;

  ServerOptions Options;
};

/// The hosts end.
struct StopServer
{
  static constexpr const char* Name = "stop";
  static constexpr Right Needs = Right::Own;
  using Reply = Nothing;
};

void Describe(Fields&, AttachViewer&);
void Describe(Fields&, WatchServer&);
void Describe(Fields&, AskStatus&);
void Describe(Fields&, MessageCount&);
void Describe(Fields&, ControlTraffic&);
void Describe(Fields&, AskTraffic&);
void Describe(Fields&, TakenSnapshot&);
void Describe(Fields&, TakeSnapshot&);
void Describe(Fields&, DropSnapshot&);
void Describe(Fields&, ServerAdjusted&);
void Describe(Fields&, AdjustServer&);
void Describe(Fields&, StopServer&);

}
