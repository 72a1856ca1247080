// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/StrongType.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace dsm
{

/// Where a file address lives: byte `Offset` of the image's slot on host `Host`, and how many bytes
/// from there on are consecutive in the file as well.
struct Location
{
  HostIndex Host = 0;
  std::uint64_t Offset = 0;
  std::uint64_t Run = 0;
};

/// The share of a file that the hosts' memory had no room for, which is on their disks.
struct DiskShare
{
  std::uint64_t From = 0;     ///< its first address; 0: all of the file is in memory
  std::uint64_t Offset = 0;   ///< where it begins on each host, behind the memory
  std::uint64_t Capacity = 0; ///< bytes that each host has for it

  bool operator==(const DiskShare&) const = default;
};

/// All that determines a map. Two maps made from equal parameters are equal on every rank, MPI
/// library and machine, so only these few numbers travel. A strategy ignores what it has no use
/// for.
struct MapParameters
{
  std::string Strategy = "block cyclic"; ///< the name of one of Strategies()
  std::uint64_t Hosts = 1;               ///< P
  std::uint64_t HostCapacity = 0;        ///< l, bytes each host has for one image
  std::uint64_t BlockSize = 1 << 20;     ///< s, bytes
  std::uint64_t BlocksPerCycle = 0;      ///< B_c; 0: as many as there are hosts
  std::uint64_t Seed = 0;                ///< of the random order of blocks
  std::uint64_t ExpectedSize = 0;        ///< bytes the file will likely have; 0: unknown
  DiskShare Disk{};                      ///< for the map as a whole: no strategy looks at it

  bool operator==(const MapParameters&) const = default;
};

/// One way to spread the addresses [0, Capacity) of a file over P hosts of l bytes each (Soumagne,
/// Biddiscombe, Esnard 2011, section 4). Pure arithmetic: no state changes, no MPI, thread safe.
///
/// Every strategy is a bijection between [0, Capacity) and the (host, offset) pairs it uses, and
/// fills each host from offset 0 upwards: a file of S bytes lies within the offsets
/// [0, LocalSize(host, S)) of each host, and no smaller range would do. It fills that range without
/// holes, but for random block: its last cycle may leave some.
class Strategy
{
public:
  virtual ~Strategy() = default;

  /// Bytes a file can have under this map; at most P * l.
  virtual std::uint64_t Capacity() const = 0;

  /// The place of `address`, which must be below Capacity().
  virtual Location Locate(FileOffset address) const = 0;

  /// The inverse of Locate.
  virtual FileOffset Address(HostIndex host, std::uint64_t offset) const = 0;

  /// The offset on `host` below which all bytes lie that a file of `fileSize` bytes has there: the
  /// memory it occupies. Grows with the file's size.
  virtual std::uint64_t LocalSize(HostIndex host, std::uint64_t fileSize) const = 0;
};

/// A strategy that can be chosen. Each stands in a folder of its own, which defines
///
///     StrategyKind FOLDERStrategy();
///
/// and is named in DSM_STRATEGIES in this room's CMakeLists.txt: that makes it known everywhere.
struct StrategyKind
{
  std::string Name;           ///< as people write it: "block cyclic"
  std::string Text;           ///< what it does, in a sentence that follows its name
  bool HasBlocks = false;     ///< the block size and the blocks per cycle count
  bool IsRandom = false;      ///< the seed counts
  bool NeedsExpected = false; ///< the expected file size counts

  /// Throws Error(Usage) when the parameters do not fit it.
  std::shared_ptr<const Strategy> (*Make)(const MapParameters& parameters) = nullptr;
};

/// All there are, in the order in which people are shown them.
const std::vector<StrategyKind>& Strategies();

/// "contiguous, mask, …", for messages.
std::string StrategyNames();

}
