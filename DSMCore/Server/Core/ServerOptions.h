// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Clock.h"
#include "Mapping/Redistribution.h"
#include "Protocol/FilePolicy.h"
#include "Protocol/TransportChoice.h"

#include <cstdint>
#include <string>

namespace dsm
{

class Fields;

/// What to do when the ring has no room for a new image.
enum class FullRing
{
  DropOldest, ///< the oldest snapshot that is not open is evicted, read or not: a simulation never
              ///< waits
  Block,      ///< only snapshots that were read go: the simulation waits for its viewer
  DropNewest  ///< only snapshots that were read go, and a new one that leaves no room for the next
              ///< goes itself, unseen: what is in the ring comes to be read without gaps
};

/// "drop oldest", "block", "drop newest"; the inverse throws Error(Usage).
const char* FullRingName(FullRing policy);
FullRing FullRingFromName(const std::string& name);

/// How the pages of the memory that hosts lend come and go.
enum class Lending
{
  Automatic, ///< pinned where the network that the transport is for asks for it, else sparse
  Sparse,    ///< pages exist while something needs them, and any file may have all that is lent
  Pinned     ///< all pages exist from Start to Stop, in slots of one size; as networks need it that
             ///< remember a page by its place in the machine (InfiniBand, Slingshot, EFA)
};

/// "automatic", "sparse", "pinned"; the inverse throws Error(Usage).
const char* LendingName(Lending lending);
Lending LendingFromName(const std::string& name);

/// As the environment changes it, while it leaves the choice to us: DSM_LENDING. Throws
/// Error(Usage).
Lending LendingWithEnvironment(Lending lending);

struct ServerOptions
{
  std::string ContactFile = "run.dsm";
  Redistribution Map; ///< how files spread over the hosts, until SetMap says otherwise
  /// l: bytes each host lends, for all images in the ring together. 0: a quarter of the node's
  /// available memory, shared by the hosts on it.
  std::uint64_t MemoryPerHost = 0;
  Lending Memory = Lending::Automatic; ///< of these bytes; see LendingWithEnvironment
  /// Most snapshots kept at once, whatever memory is left. 0: as many as there is memory for.
  std::uint64_t MaximumSnapshots = 0;
  FullRing WhenFull = FullRing::DropOldest;
  Seconds FullRingLimit{ 60 }; ///< the longest a writer waits for room
  /// While it leaves the choice to us ("automatic"), the environment may make it: see
  /// WithEnvironment.
  TransportChoice Transport;
  FilePolicy
    Files; ///< which files it wants and when it shows them, until SetFilePolicy says otherwise
  /// Which files are put on disk as well, under the names that simulations gave them, as
  /// KeepRule::FromText has it.
  std::string AlsoOnDisk = "none";
  /// Which files are checkpoints, as SnapshotTable::SetCheckpoints has it: the newest of each kind
  /// stays in memory whatever else comes, also when its simulation has died.
  std::string Checkpoints = "none";
  /// A file's size in bytes, until a stream's own files tell it: to touch memory for at Start, and
  /// for strategies that depend on it. 0: unknown.
  std::uint64_t ExpectedFileSize = 0;
};

void Describe(Fields&, Redistribution&);
void Describe(Fields&, ServerOptions&);

}
