// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/RunService.h"

#include "Base/Log.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace dsm
{

namespace
{
StreamBook::Writer StreamWriterOf(const PeerDescription& peer)
{
  return { IdentityOf(peer), peer.Program, fmt::format("{} {}", peer.Machine, peer.Process),
    peer.Launch, PeerRoleOf(peer) == PeerRole::Archive };
}
}

RunService::RunService(const CoreState& state, PeerRegistry& peers, ImageManager& images,
  std::function<void(SteeringService::BegunRun)> began)
  : State(state)
  , Peers(peers)
  , Images(images)
  , Began(std::move(began))
{
}

void RunService::Enter(const Peer& writer, ImageId image, const std::string& fileName, bool again)
{
  const PeerDescription& process = writer.Process;
  const StreamBook::Writer who = StreamWriterOf(process);
  const auto place = this->Streams.Enter(
    fileName, who, [this](const std::string& identity) { return this->Peers.IsWriting(identity); },
    again);
  this->Images.EnterStream(image, place, process);
  if (!this->Table.Has(place.Run))
  {
    this->Begin(place.Run, process);
  }
  this->NoteRenamed();
}

void RunService::NoteShown(const Peer& writer, ImageId image)
{
  const auto& shown = this->Images.Image(image);
  this->Streams.NoteShown(shown.FileName, shown.Place.Stream, StreamWriterOf(writer.Process));
  this->NoteRenamed();
}

StreamBook::Known RunService::StreamOfRenamed(
  const StreamBook::EnteredFile& entered, const std::string& renamed)
{
  return this->Streams.Rename(entered, renamed);
}

// The last file may have taught something about the files before it.
void RunService::NoteRenamed()
{
  if (std::exchange(this->Revision, this->Streams.Revision()) == this->Streams.Revision())
  {
    return;
  }
  bool renames = false;
  this->Images.Rename(
    [&](const std::string& fileName, std::string& stream, std::optional<double>& step)
    {
      if (auto known = this->Streams.KnownAs(fileName, stream))
      {
        renames = renames || stream != known->Stream;
        stream = std::move(known->Stream);
        step = known->Step;
      }
    });
  if (renames)
  {
    this->Renamed();
  }
}

std::string RunService::StreamOf(const PeerDescription& writer, const std::string& fileName) const
{
  return this->Streams.StreamOf(fileName, StreamWriterOf(writer),
    [this](const std::string& identity) { return this->Peers.IsWriting(identity); });
}

std::uint64_t RunService::RunOf(const PeerDescription& process) const
{
  return this->Streams.RunOf(IdentityOf(process));
}

void RunService::NoteOpened(Peer& peer, const SnapshotDescription& snapshot) const
{
  if (!peer.Host && !peer.Watching && this->RunOf(peer.Process) == 0)
  {
    peer.Opened = { snapshot.Run, snapshot.Program, snapshot.Stream, snapshot.Number,
      snapshot.FileName, snapshot.Step, snapshot.SealedAt };
  }
}

// A run begins with its program's first file. Each process of a job may have opened snapshots, and
// each may be steered.
void RunService::Begin(std::uint64_t run, const PeerDescription& writer)
{
  SteeringService::BegunRun begun{ run, writer.Program, {}, {} };
  const bool restores = PeerRoleOf(writer) == PeerRole::Archive;
  for (const auto& entry : this->Peers.All())
  {
    Peer& peer = this->Peers.Known(entry.first);
    if (IdentityOf(peer.Process) != IdentityOf(writer))
    {
      continue;
    }
    begun.Channels.insert(entry.first);
    if (restores)
    {
      continue; // a viewer that restores a file has opened others, too
    }
    const auto opened = std::exchange(peer.Opened, std::nullopt);
    if (opened && (!begun.From || opened->Snapshot > begun.From->Snapshot))
    {
      begun.From = opened;
    }
  }
  if (begun.From)
  {
    Log().info("{} began from {} (snapshot {}, step {} of {})", writer.Program,
      begun.From->FileName, begun.From->Snapshot, begun.From->Step, begun.From->Program);
  }
  this->Table.Enter(
    { run, writer.Program, writer.Node, this->State.Time.Wall, begun.From, {}, restores });
  this->Began(std::move(begun));
}

std::vector<ConnectedWriter> RunService::Simulations() const
{
  std::vector<ConnectedWriter> found;
  for (const PeerRole role : { PeerRole::Writer, PeerRole::Steering })
  {
    for (const auto& [id, peer] : this->Peers.All())
    {
      const auto same = [&](const PeerDescription& known)
      { return known.Node == peer.Process.Node && known.Process == peer.Process.Process; };
      if (peer.Role() == role && std::none_of(found.begin(), found.end(), same))
      {
        found.push_back({ peer.Process, peer.Since, this->RunOf(peer.Process) });
      }
    }
  }
  std::sort(found.begin(), found.end(),
    [](const auto& one, const auto& other) { return one.Since < other.Since; });
  return found;
}

}
