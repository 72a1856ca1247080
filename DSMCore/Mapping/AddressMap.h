// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mapping/Strategy.h"

#include <cstdint>
#include <memory>
#include <string>

namespace dsm
{

/// A strategy with its parameters, as one value.
class AddressMap
{
public:
  AddressMap() = default;

  /// Throws Error(Usage) when the strategy is unknown, there is no host, or a size is zero or does
  /// not fit (a block larger than a host's capacity).
  explicit AddressMap(const MapParameters& parameters);

  const MapParameters& Parameters() const { return this->Given; }
  std::uint64_t Capacity() const { return this->How->Capacity(); }
  Location Locate(std::uint64_t address) const { return this->How->Locate(address); }
  std::uint64_t Address(std::uint64_t host, std::uint64_t offset) const
  {
    return this->How->Address(host, offset);
  }
  std::uint64_t LocalSize(std::uint64_t host, std::uint64_t fileSize) const
  {
    return this->How->LocalSize(host, fileSize);
  }

  /// Calls visit(host, offset, position, length) for each run of [address, address + size) that is
  /// consecutive on one host, in file order; `position` counts from `address`. The range must lie
  /// below Capacity().
  template <typename Visitor>
  void ForEachRun(std::uint64_t address, std::uint64_t size, Visitor&& visit) const
  {
    for (std::uint64_t done = 0; done < size;)
    {
      const Location place = this->How->Locate(address + done);
      const std::uint64_t length = place.Run < size - done ? place.Run : size - done;
      visit(place.Host, place.Offset, done, length);
      done += length;
    }
  }

private:
  MapParameters Given;
  std::shared_ptr<const Strategy> How;
};

}
