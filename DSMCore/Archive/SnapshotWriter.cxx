// SPDX-License-Identifier: BSD-3-Clause
#include "Archive/SnapshotWriter.h"

#include "Archive/ArchivePath.h"
#include "Archive/NewSubfiles.h"
#include "Archive/SaveSnapshot.h"
#include "Base/Error.h"
#include "Base/Log.h"
#include "Base/NodeIdentity.h"
#include "Base/Timeouts.h"
#include "Peer/Connection.h"
#include "Protocol/SnapshotMessages.h"
#include "Server/Server.h"

#include <algorithm>
#include <filesystem>

namespace dsm
{

namespace
{
// For less, the hosts are not asked: one process has written it before they have heard of it.
constexpr std::uint64_t WorthAsking = UINT64_C(1) << 20;
// Of what a simulation goes on with so much is written at a time: what has moved meanwhile is
// written again.
constexpr std::uint64_t MovingPiece = UINT64_C(64) << 20;

// A server that has ended meanwhile needs to know no more, nor whom it does not believe.
void Tell(Connection& server, SnapshotId number) noexcept
{
  try
  {
    server.Request(NoteSaved{ number });
  }
  catch (const std::exception& error)
  {
    Log().info("snapshot {} is saved, and the server not told: {}", number, error.what());
  }
}

bool AreHere(const std::vector<HostDescription>& hosts)
{
  return std::all_of(hosts.begin(), hosts.end(),
    [here = NodeIdentity()](const HostDescription& host) { return host.Node == here; });
}
}

// False where that is left to this process.
bool SnapshotWriter::WriteByHosts(
  const SnapshotView& snapshot, const StripedFiles& files, const Progress& wrote)
{
  const SnapshotDescription& what = snapshot.Description();
  const bool isBetter = what.FileSize >= WorthAsking && !what.Shared;
  if (!this->Hosts || (!isBetter && snapshot.IsInReach()))
  {
    return false;
  }
  files.Reserve(what.FileSize);
  WriteShare share = files.ForOthers(AreHere(this->Hosts->Description()->Hosts));
  share.Snapshot = what;
  try
  {
    this->WriteShares(snapshot, share, wrote ? wrote : [](std::uint64_t) {});
    return true;
  }
  catch (const Error& error)
  {
    const bool isAlone = error.GetFault() == Fault::Unsupported;
    if (!isAlone || !snapshot.IsInReach())
    {
      throw Error(isAlone ? Fault::System : error.GetFault(), "cannot save snapshot {} ({}): {}{}",
        what.Number, what.FileName, error.what(),
        isAlone
          ? ", and no transport brings what is in its memory to host 0: choose a folder that "
            "all hosts' machines have, or a transport that reaches from one to another (fabric)"
          : "");
    }
    if (!std::exchange(this->SaidAlone, true))
    {
      Log().warn("snapshots are written to disk by host 0 alone, which is slower: {}. Choose a "
                 "folder that all hosts' machines have",
        error.what());
    }
    return false;
  }
}

// All of it; what the simulation moves meanwhile is written from where it is then.
void SnapshotWriter::WriteShares(
  const SnapshotView& snapshot, WriteShare& share, const Progress& wrote)
{
  const std::uint64_t size = snapshot.Description().FileSize;
  Deadline deadline(RequestTimeout());
  while (share.Begin < size)
  {
    share.End = share.Snapshot.Shared ? std::min(size, share.Begin + MovingPiece) : size;
    if (this->Hosts->Archive().WriteByHosts(share, wrote))
    {
      share.Begin = share.End;
      deadline = Deadline(RequestTimeout());
      continue;
    }
    share.Snapshot = snapshot.FindAgain(deadline);
  }
}

void SnapshotWriter::Write(
  const SnapshotView& snapshot, const StripedFiles& files, const Progress& wrote)
{
  if (!this->WriteByHosts(snapshot, files, wrote))
  {
    CopySnapshot(snapshot, files, wrote);
  }
}

void SnapshotWriter::SaveOne(const SnapshotView& snapshot, const std::string& path,
  const FileForm& form, const Progress& wrote)
{
  if (form.IsSingle())
  {
    NewFile file(path, snapshot.Description().Access);
    this->Write(snapshot, file, wrote);
    file.Finish();
    return;
  }
  const MapParameters& map = snapshot.Description().Map;
  NewSubfiles file(path, form.Subfiles(map), form.StripeSize(map), snapshot.Description().Access);
  this->Write(snapshot, file.Files(), wrote);
  file.Finish();
}

void SnapshotWriter::Save(const std::shared_ptr<Connection>& server,
  const SnapshotDescription& snapshot, const std::string& path, const FileForm& form,
  const Progress& wrote)
{
  if (snapshot.Parts.empty())
  {
    this->SaveOne(SnapshotView(server, snapshot.Number), path, form, wrote);
    Tell(*server, snapshot.Number);
    return;
  }
  SaveParts(server, snapshot, path, [&](const SnapshotView& part, const std::string& place)
    { this->SaveOne(part, place, form, wrote); });
  Tell(*server, snapshot.Number);
}

}
