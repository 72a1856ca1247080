// SPDX-License-Identifier: BSD-3-Clause
#include "Mapping/AddressMap.h"

#include "Base/Error.h"

namespace dsm
{

namespace
{
// What is on disk goes there in large pieces, and all hosts have some of it soon.
constexpr std::uint64_t DiskBlock = UINT64_C(1) << 20;

std::shared_ptr<const Strategy> Make(const MapParameters& parameters)
{
  for (const StrategyKind& kind : Strategies())
  {
    if (kind.Name == parameters.Strategy)
    {
      return kind.Make(parameters);
    }
  }
  throw Error(Fault::Usage, "there is no redistribution strategy \"{}\": choose one of {}",
    parameters.Strategy, StrategyNames());
}
}

AddressMap::AddressMap(const MapParameters& parameters)
  : Given(parameters)
{
  if (parameters.Hosts == 0 || parameters.HostCapacity == 0)
  {
    throw Error(Fault::Usage,
      "an address map needs at least one host with some memory; it was given {} hosts of {} bytes",
      parameters.Hosts, parameters.HostCapacity);
  }
  if (parameters.HostCapacity > (UINT64_C(1) << 62) / parameters.Hosts)
  {
    throw Error(Fault::Usage, "{} hosts of {} bytes exceed the largest HDF5 file (2^62 bytes)",
      parameters.Hosts, parameters.HostCapacity);
  }
  this->How = Make(parameters);
  const DiskShare& disk = parameters.Disk;
  if (disk.From == 0)
  {
    return;
  }
  constexpr std::uint64_t largest = UINT64_C(1) << 62;
  if (disk.From > this->How->Capacity() || disk.Offset < parameters.HostCapacity ||
    disk.Offset > largest || disk.Capacity > largest / parameters.Hosts)
  {
    throw Error(Fault::Usage,
      "an address map's share on disk begins at address {} and at offset {}, and the memory has {} "
      "bytes of the file, {} on each host",
      disk.From, disk.Offset, this->How->Capacity(), parameters.HostCapacity);
  }
  MapParameters blocks;
  blocks.Strategy = "block cyclic";
  blocks.Hosts = parameters.Hosts;
  blocks.HostCapacity = disk.Capacity;
  blocks.BlockSize = DiskBlock;
  this->OnDisk = Make(blocks);
  this->MemoryEnd = disk.From;
}

std::uint64_t AddressMap::Capacity() const
{
  return this->OnDisk ? this->MemoryEnd + this->OnDisk->Capacity() : this->How->Capacity();
}

Location AddressMap::LocateOnDisk(FileOffset address) const
{
  Location place = this->OnDisk->Locate(FileOffset(address - this->MemoryEnd));
  place.Offset += this->Given.Disk.Offset;
  return place;
}

FileOffset AddressMap::Address(HostIndex host, std::uint64_t offset) const
{
  return this->OnDisk && offset >= this->Given.Disk.Offset
    ? this->OnDisk->Address(host, offset - this->Given.Disk.Offset) + this->MemoryEnd
    : this->How->Address(host, offset);
}

std::uint64_t AddressMap::DiskSize(HostIndex host, std::uint64_t fileSize) const
{
  return fileSize > this->MemoryEnd ? this->OnDisk->LocalSize(host, fileSize - this->MemoryEnd) : 0;
}

std::uint64_t AddressMap::LocalSize(HostIndex host, std::uint64_t fileSize) const
{
  const std::uint64_t onDisk = this->DiskSize(host, fileSize);
  return onDisk > 0 ? this->Given.Disk.Offset + onDisk : this->MemorySize(host, fileSize);
}

ByteRange AddressMap::Held(HostIndex host, std::uint64_t offset, std::uint64_t fileSize) const
{
  const std::uint64_t disk = this->Given.Disk.Offset;
  return this->OnDisk && offset >= disk ? ByteRange{ disk, disk + this->DiskSize(host, fileSize) }
                                        : ByteRange{ 0, this->MemorySize(host, fileSize) };
}

AddressMap AddressMap::InMemory() const
{
  AddressMap made = *this;
  made.Given.Disk = {};
  made.OnDisk.reset();
  made.MemoryEnd = std::numeric_limits<std::uint64_t>::max();
  return made;
}

std::string StrategyNames()
{
  std::string names;
  for (const StrategyKind& kind : Strategies())
  {
    names += (names.empty() ? "" : ", ") + kind.Name;
  }
  return names;
}

}
