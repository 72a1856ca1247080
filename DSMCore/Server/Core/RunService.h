// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Protocol/ImageMessages.h"
#include "Server/Core/ImageManager.h"
#include "Server/Core/PeerRegistry.h"
#include "Server/Core/RunTable.h"
#include "Server/Core/ServerStatus.h"
#include "Server/Core/StreamBook.h"
#include "Steering/SteeringService.h"

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace dsm
{

/// Assigns each file to a stream and a run.
class RunService
{
public:
  /// `began` hears of each new run. All must outlive this.
  RunService(const CoreState& state, PeerRegistry& peers, ImageManager& images,
    std::function<void(SteeringService::BegunRun)> began);

  /// Hears that snapshots in the ring belong to other streams than before.
  std::function<void()> Renamed = [] {};

  /// A peer has begun an image: its snapshots will be of that stream and run. `again`: of a file
  /// that was written before.
  void Enter(const Peer& writer, ImageId image, const std::string& fileName, bool again);

  /// A flush has shown another state of a file that a peer has open.
  void NoteShown(const Peer& writer, ImageId image);

  /// Which stream a file would be of, if the peer began it now.
  std::string StreamOf(const PeerDescription& writer, const std::string& fileName) const;

  /// A file has another name: its snapshots are of that stream and step from now on. NoteRenamed is
  /// to be called when they are.
  StreamBook::Known StreamOfRenamed(
    const StreamBook::EnteredFile& entered, const std::string& renamed);

  /// Gives all files the streams and steps that their names are known to mean by now.
  void NoteRenamed();

  /// The run that a process writes. 0: it has written nothing yet.
  std::uint64_t RunOf(const PeerDescription& process) const;

  /// A peer has opened a snapshot. What a program reads before it writes is what its run will have
  /// begun from.
  void NoteOpened(Peer& peer, const SnapshotDescription& snapshot) const;

  /// The simulations that are connected, by the time they came. A process that both writes and is
  /// steered is there once.
  std::vector<ConnectedWriter> Simulations() const;

  const RunTable& Runs() const { return this->Table; }

private:
  void Begin(std::uint64_t run, const PeerDescription& writer);

  const CoreState& State;
  PeerRegistry& Peers;
  ImageManager& Images;
  const std::function<void(SteeringService::BegunRun)> Began;
  StreamBook Streams;
  std::uint64_t Revision = 0; ///< of what the streams are called
  RunTable Table;
};

}
