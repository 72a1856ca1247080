// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/ServerStatus.h"

#include "Base/Error.h"
#include "Encoding/Fields.h"

#include <array>
#include <utility>

namespace dsm
{

namespace
{
constexpr std::array<std::pair<ServerState, const char*>, 7> Names{ { { ServerState::Idle, "idle" },
  { ServerState::Listening, "listening" }, { ServerState::Connected, "connected" },
  { ServerState::Receiving, "receiving" }, { ServerState::Paused, "paused" },
  { ServerState::ClientLost, "simulation lost" }, { ServerState::HostsLost, "hosts lost" } } };
}

const char* ServerStateName(ServerState state)
{
  for (const auto& [known, name] : Names)
  {
    if (known == state)
    {
      return name;
    }
  }
  return "unknown";
}

ServerState ServerStateFromName(const std::string& name)
{
  for (const auto& [state, known] : Names)
  {
    if (name == known)
    {
      return state;
    }
  }
  throw Error(Fault::Refused, "there is no state \"{}\" of a server", name);
}

void Describe(Fields& fields, ConnectedWriter& writer)
{
  Describe(fields, static_cast<PeerDescription&>(writer));
  fields("Since", writer.Since);
  fields("Run", writer.Run);
}

void Describe(Fields& fields, FileBeingSaved& file)
{
  fields("Number", file.Number);
  fields("FileName", file.FileName);
  fields("FileSize", file.FileSize);
  fields("Bytes", file.Bytes);
}

void Describe(Fields& fields, ServerStatus& status)
{
  fields.AsText("State", status.State, ServerStateName, ServerStateFromName);
  fields("Writers", status.Writers);
  fields("Receiving", status.Receiving);
  fields("Snapshots", status.Snapshots);
  fields("Runs", status.Runs);
  fields("Saved", status.Saved);
  fields("WaitingForDisk", status.WaitingForDisk);
  fields("WaitingForDiskBytes", status.WaitingForDiskBytes);
  fields("DiskTrouble", status.DiskTrouble);
  fields("NeverOnDisk", status.NeverOnDisk);
  fields("Standing", status.Standing);
  fields("SavingNow", status.SavingNow);
  fields("WritersSeen", status.WritersSeen);
  fields("Viewers", status.Viewers);
  fields("SnapshotsSealed", status.SnapshotsSealed);
  fields("SnapshotsDropped", status.SnapshotsDropped);
  fields("SnapshotsSkipped", status.SnapshotsSkipped);
  fields("ImagesAbandoned", status.ImagesAbandoned);
  fields("BytesReceived", status.BytesReceived);
  fields("BlockedSeconds", status.BlockedSeconds);
  fields("WaitingSeconds", status.WaitingSeconds);
  fields("HostBytes", status.HostBytes);
  fields("HostMemoryUsed", status.HostMemoryUsed);
  fields("MemoryUsed", status.MemoryUsed);
  fields("MemoryBudget", status.MemoryBudget);
  fields("OutgrownBytes", status.OutgrownBytes);
  fields("MemoryReady", status.MemoryReady);
  fields("Transports", status.Transports);
  fields("LastError", status.LastError);
  fields("LastErrorAt", status.LastErrorAt);
  fields("Options", status.Options);
  fields("Pending", status.Pending);
}

}
