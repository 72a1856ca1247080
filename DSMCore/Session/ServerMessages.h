// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Encoding/Fields.h"
#include "Protocol/Descriptions.h"
#include "Protocol/ImageMessages.h"
#include "Session/ServerOptions.h"
#include "Session/ServerStatus.h"

#include <cstdint>
#include <optional>

/// What a viewer asks of a server whose hosts are in other processes than its own: ServerAccess, as
/// messages.
namespace dsm
{

/// The viewer's program takes care of the server from now on, until its channel ends. Refused by a
/// server that is part of another program, whose user would be surprised.
struct AttachViewer
{
  static constexpr const char* Name = "attach";
  using Reply = ServerStatus;
};

struct AskStatus
{
  static constexpr const char* Name = "status";
  using Reply = ServerStatus;
};

/// Kept until the lease is closed, which counts as having read it.
struct TakenSnapshot
{
  std::optional<LeasedSnapshot> Snapshot; ///< none came
};

/// As ServerAccess::WaitForSnapshot.
struct TakeSnapshot
{
  static constexpr const char* Name = "take";
  using Reply = TakenSnapshot;

  std::uint64_t After = 0;
  bool Next = true;
  double Seconds = 0; ///< how long to wait for one
};

struct ServerAdjusted
{
  ServerDescription Server;
};

/// As ServerAccess::Adjust.
struct AdjustServer
{
  static constexpr const char* Name = "adjust";
  using Reply = ServerAdjusted;

  ServerOptions Options;
};

/// The hosts end.
struct StopServer
{
  static constexpr const char* Name = "stop";
  using Reply = Nothing;
};

void Describe(Fields&, AttachViewer&);
void Describe(Fields&, AskStatus&);
void Describe(Fields&, TakenSnapshot&);
void Describe(Fields&, TakeSnapshot&);
void Describe(Fields&, ServerAdjusted&);
void Describe(Fields&, AdjustServer&);
void Describe(Fields&, StopServer&);

}
