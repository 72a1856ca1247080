// SPDX-License-Identifier: BSD-3-Clause
// Address maps of any strategy with any parameters, as a server may send them: they are refused by
// Error alone; in a window of addresses every one has a place of its own within the hosts' memory
// and comes back, a run is consecutive, runs add up, and a file's part of a host covers its places.
#include "Fuzz.h"

#include "Mapping/AddressMap.h"

namespace
{

using namespace dsm;
using dsm::fuzz::Numbers;
using dsm::fuzz::Require;

constexpr std::uint64_t Window = 16;
// What a random block's part of a host is takes work in proportion to its cycle: servers ask for it
// once for a file, and a target a million times.
constexpr std::uint64_t LongestCycle = 1024;

MapParameters ParametersFrom(Numbers& numbers)
{
  MapParameters parameters;
  const std::uint64_t which = numbers.OfBytes(1);
  // Most inputs name a strategy that there is.
  parameters.Strategy = which == 255 ? "another" : Strategies()[which % Strategies().size()].Name;
  parameters.Hosts = numbers.OfAnySize();
  parameters.HostCapacity = numbers.OfAnySize();
  parameters.BlockSize = numbers.OfAnySize();
  parameters.BlocksPerCycle = numbers.OfAnySize();
  parameters.Seed = numbers.OfAnySize();
  parameters.ExpectedSize = numbers.OfAnySize();
  return parameters;
}

void RequirePlace(const AddressMap& map, std::uint64_t address, const Location& place)
{
  const MapParameters& parameters = map.Parameters();
  Require(place.Host < parameters.Hosts, "the host is one of them");
  Require(place.Offset < parameters.HostCapacity, "the offset is within the host's memory");
  Require(place.Run > 0, "a run has a byte at least");
  Require(place.Run <= parameters.HostCapacity - place.Offset, "a run is within the host's memory");
  Require(place.Run <= map.Capacity() - address, "a run ends with the file");
  Require(map.Address(place.Host, place.Offset) == address, "a place has the address it came from");
  const Location last = map.Locate(FileOffset(address + place.Run - 1));
  Require(
    last.Host == place.Host && last.Offset == place.Offset + place.Run - 1, "a run is consecutive");
}

void TryWindow(const AddressMap& map, std::uint64_t address)
{
  const MapParameters& parameters = map.Parameters();
  const std::uint64_t end = address + std::min(Window, map.Capacity() - address);
  const bool asksForParts = std::max(parameters.BlocksPerCycle, parameters.Hosts) <= LongestCycle;
  for (; address < end; ++address)
  {
    const Location place = map.Locate(FileOffset(address));
    RequirePlace(map, address, place);
    if (asksForParts)
    {
      const std::uint64_t part = map.LocalSize(place.Host, address + 1);
      Require(part > place.Offset, "a file's part of a host covers the file's last byte");
      Require(part <= parameters.HostCapacity, "a file's part of a host fits it");
      Require(part >= map.LocalSize(place.Host, address), "a file's part of a host grows with it");
    }
  }
}

void TryRuns(const AddressMap& map, std::uint64_t address, std::uint64_t size)
{
  std::uint64_t sum = 0;
  map.ForEachRun(FileOffset(address), size,
    [&](HostIndex host, std::uint64_t offset, std::uint64_t position, std::uint64_t length)
    {
      Require(position == sum, "runs follow one another");
      Require(length > 0, "no run is empty");
      Require(map.Address(host, offset) == address + position, "a run lies where it belongs");
      Require(map.Address(host, offset + length - 1) == address + position + length - 1,
        "a run ends where it belongs");
      sum += length;
    });
  Require(sum == size, "runs add up");
}

}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
  Numbers numbers(data, size);
  const MapParameters parameters = ParametersFrom(numbers);
  AddressMap map;
  if (!fuzz::Accepted([&] { map = AddressMap(parameters); }))
  {
    return 0;
  }
  Require(map.Capacity() > 0, "a map that was made has room");
  Require(map.Capacity() <= parameters.Hosts * parameters.HostCapacity,
    "a map has no more room than the hosts");
  const std::uint64_t address = numbers.OfAnySize() % map.Capacity();
  TryWindow(map, address);
  // A few runs, whatever their length.
  const std::uint64_t run = map.Locate(FileOffset(address)).Run;
  TryRuns(map, address,
    std::min(numbers.OfAnySize() % (run < UINT64_MAX / Window ? Window * run : run) + 1,
      map.Capacity() - address));
  TryWindow(map, map.Capacity() - std::min(map.Capacity(), Window / 2));
  return 0;
}
