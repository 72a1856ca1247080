// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "CoreChecks.h"
#include "HostMemory.h"
#include "Journal.h"
#include "LeaseLedger.h"
#include "Mutant.h"
#include "NameHistory.h"
#include "Network.h"
#include "ObserverProbe.h"
#include "Random.h"
#include "RequestLedger.h"
#include "Server/Core/ServerCore.h"
#include "Timeline.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace dsm::simulation
{

class Process;
class Host;

/// One simulation: the core, the network, the hosts' memory and the processes, in virtual time.
class World
{
public:
  static constexpr const char* Owner = "owner's key";
  static constexpr const char* Secret = "hosts' secret";

  /// `events`: how many of the last ones are kept for people.
  World(std::uint64_t seed, Mutant mutant, std::size_t events = 60);
  ~World();

  /// Runs to the end, or to the first error. Returns false if something was wrong.
  bool Run();

  /// \name For processes
  ///@{
  std::uint64_t NextRequest() { return ++this->LastRequest; }
  /// The server has removed that peer.
  bool HasGivenUp(const PeerId& peer) const { return this->Gone.contains(peer); }
  void SaysGoodbye(const PeerId& peer);
  void Abandons(const PeerId& peer);
  void HasDied(std::uint64_t process);
  /// A process maps a snapshot, which must stay until it ends that, or has died.
  void BeginsMapping(std::uint64_t process, std::uint64_t number, SnapshotId snapshot);
  void EndsMapping(std::uint64_t process, std::uint64_t number);
  /// A rank without a channel asks in host 0's memory.
  void AskInMemory(const char* name, Bytes body, std::function<void(const Envelope&)> answered);
  /// The bytes that an image will have as its next snapshot.
  void Promise(ImageId image, HostMemory::Contents contents);
  /// What a snapshot must have.
  const HostMemory::Contents* Expected(SnapshotId snapshot) const;
  bool MemoryFails() const { return this->NoMemory; }
  double RequestLimit() const;
  /// All hosts can hear the server.
  bool HostsHear() const;
  /// The server's clocks.
  CoreTime Clocks() const;
  ///@}

  Random Chance;
  const ServerOptions Options;
  const ServerDescription Description;
  Timeline Time;
  Journal Notes;
  Network Channel;
  const bool ForcesRareChoices;
  HostMemory Memory;

private:
  class Answers;

  static ServerOptions OptionsFor(Random& chance);
  static ServerDescription DescriptionFor(Random& chance);
  bool MustBeRare();

  /// Does something in the core, as one event, and checks it.
  void Event(const std::function<void()>& work);
  void CheckAfterEvent();
  void Receive(const PeerId& peer, const std::string& key, const Envelope& message);
  void Answered(const RequestId& request, Envelope answer);
  void CheckLock(const std::string& file, ImageId image);
  void Record(const RequestLedger::Entry& entry, const PeerId& peer, const Envelope& answer);
  void RecordOpened(const RequestLedger::Entry& entry, const PeerId& peer, const Envelope& answer);
  void Note(
    NameEvent::Kind kind, const std::string& file, std::uint64_t number, std::uint64_t after = 0);
  void NoteParts(const SnapshotDescription& snapshot);
  double LimitOf(const Envelope& message) const;
  void PeerLeft(const PeerId& peer, bool isLost);
  void Tick();
  void LookInMemory();
  void Withdraw(const std::string& key);
  void TellLost(const PeerId& peer);

  /// \name Faults
  ///@{
  void Befall();
  void BefallProcess(Process& process);
  void Silence(Process& process, bool stops);
  void EndFaults();
  void WriteToDisk();
  void AwaitShares(const SnapshotDescription& snapshot, std::uint64_t ticket, double until);
  void DiskDone(const SnapshotDescription& snapshot, const DiskOutcome& outcome);
  void Adjust();
  ///@}

  /// \name Mutants
  ///@{
  void FreeUsedSlot();
  void MakeStale(const RequestLedger::Entry& entry, Envelope& answer);
  ///@}

  void AddProcesses();
  void StartOthers();
  void CheckEnd();

  const Mutant Planted;
  bool FaultsAreOver = false;
  double WallOffset = 1e9;
  SteeringService Steering;
  ServerCore Core;
  std::shared_ptr<Answers> Responses;
  RequestLedger Requests;
  LeaseLedger Leases;
  CoreChecks Checks;
  ObserverProbe First;
  ObserverProbe Second;
  NameHistory Names;
  std::vector<std::unique_ptr<Process>> Processes;
  std::set<PeerId> Gone;
  std::set<std::uint64_t> EndedProcesses;
  std::map<std::string, ImageId> Locks;                                   ///< images, by files
  std::map<ImageId, HostMemory::Contents> Promises;                       ///< by image
  std::map<SnapshotId, HostMemory::Contents> Contents;                    ///< by snapshot
  std::map<std::uint64_t, std::function<void(const Envelope&)>> InMemory; ///< questions of ranks
  std::uint64_t LastRequest = 0;
  std::uint64_t LastKey = 0;
  std::uint64_t Events = 0; ///< of the core
  bool NoMemory = false;    ///< hosts cannot reserve memory
  bool NoDisk = false;
  bool IsLooking = false; ///< the core looks in memory soon
};

}
