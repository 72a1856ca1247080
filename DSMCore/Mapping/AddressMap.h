// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace dsm
{

/// Where a file address lives: byte `Offset` of the image's slot on host `Host`, and how many bytes
/// from there on are consecutive in the file as well.
struct Location
{
  std::uint64_t Host = 0;
  std::uint64_t Offset = 0;
  std::uint64_t Run = 0;
};

/// All that determines a map. Two maps made from equal parameters are equal on every rank, MPI
/// library and machine, so only these few numbers travel. A strategy ignores what it has no use
/// for.
struct MapParameters
{
  std::string Strategy = "block cyclic"; ///< one of StrategyNames()
  std::uint64_t Hosts = 1;               ///< P
  std::uint64_t HostCapacity = 0;        ///< l, bytes each host has for one image
  std::uint64_t BlockSize = 1 << 20;     ///< s, bytes
  std::uint64_t BlocksPerCycle = 0;      ///< B_c; 0: as many as there are hosts
  std::uint64_t Seed = 0;                ///< of the random order of blocks
  std::uint64_t ExpectedSize = 0;        ///< bytes the file will likely have; 0: unknown

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
  virtual Location Locate(std::uint64_t address) const = 0;

  /// The inverse of Locate.
  virtual std::uint64_t Address(std::uint64_t host, std::uint64_t offset) const = 0;

  /// The offset on `host` below which all bytes lie that a file of `fileSize` bytes has there: the
  /// memory it occupies. Grows with the file's size.
  virtual std::uint64_t LocalSize(std::uint64_t host, std::uint64_t fileSize) const = 0;
};

/// A strategy with its parameters, as one value.
class AddressMap
{
public:
  AddressMap() = default;

  /// Throws Error(Usage) when the strategy is unknown, there is no host, or a size is zero or does
  /// not fit (a block larger than a host's capacity).
  explicit AddressMap(const MapParameters& parameters);

  const MapParameters& Parameters() const { return this->Given; }
  std::uint64_t Capacity() const { return this->Way->Capacity(); }
  Location Locate(std::uint64_t address) const { return this->Way->Locate(address); }
  std::uint64_t Address(std::uint64_t host, std::uint64_t offset) const
  {
    return this->Way->Address(host, offset);
  }
  std::uint64_t LocalSize(std::uint64_t host, std::uint64_t fileSize) const
  {
    return this->Way->LocalSize(host, fileSize);
  }

  /// Calls visit(host, offset, position, length) for each run of [address, address + size) that is
  /// consecutive on one host, in file order; `position` counts from `address`. The range must lie
  /// below Capacity().
  template <typename Visitor>
  void ForEachRun(std::uint64_t address, std::uint64_t size, Visitor&& visit) const
  {
    for (std::uint64_t done = 0; done < size;)
    {
      const Location place = this->Way->Locate(address + done);
      const std::uint64_t length = place.Run < size - done ? place.Run : size - done;
      visit(place.Host, place.Offset, done, length);
      done += length;
    }
  }

private:
  MapParameters Given;
  std::shared_ptr<const Strategy> Way;
};

/// "contiguous, mask, …": what a user can choose from, for messages and menus.
std::string StrategyNames();

}
