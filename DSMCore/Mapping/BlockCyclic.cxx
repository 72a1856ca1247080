// SPDX-License-Identifier: BSD-3-Clause
#include "Mapping/BlockCyclic.h"

#include "Base/Error.h"

#include <algorithm>

namespace dsm
{

BlockCyclic::BlockCyclic(std::uint64_t hosts, std::uint64_t hostCapacity, std::uint64_t blockSize)
  : Hosts(hosts)
  , BlockSize(blockSize)
{
  if (blockSize == 0 || blockSize > hostCapacity)
  {
    throw Error(Fault::Usage,
      "a block size of {} bytes does not fit hosts that have {} bytes for an image: choose one "
      "from 1 to {}",
      blockSize, hostCapacity, hostCapacity);
  }
  this->BlocksPerHost = hostCapacity / blockSize;
}

std::uint64_t BlockCyclic::Capacity() const
{
  return this->Hosts * this->BlocksPerHost * this->BlockSize;
}

Location BlockCyclic::Locate(std::uint64_t address) const
{
  const std::uint64_t block = address / this->BlockSize;
  const std::uint64_t inBlock = address % this->BlockSize;
  if (this->Hosts == 1)
  {
    // One host holds the blocks in order: they form one run.
    return { 0, address, this->Capacity() - address };
  }
  return { block % this->Hosts, block / this->Hosts * this->BlockSize + inBlock,
    this->BlockSize - inBlock };
}

std::uint64_t BlockCyclic::Address(std::uint64_t host, std::uint64_t offset) const
{
  const std::uint64_t localBlock = offset / this->BlockSize;
  return (localBlock * this->Hosts + host) * this->BlockSize + offset % this->BlockSize;
}

std::uint64_t BlockCyclic::LocalSize(std::uint64_t host, std::uint64_t fileSize) const
{
  fileSize = std::min(fileSize, this->Capacity());
  const std::uint64_t fullBlocks = fileSize / this->BlockSize;
  const std::uint64_t cycles = fullBlocks / this->Hosts;
  const std::uint64_t lastHost = fullBlocks % this->Hosts;
  std::uint64_t size = cycles * this->BlockSize;
  if (host < lastHost)
  {
    size += this->BlockSize;
  }
  else if (host == lastHost)
  {
    size += fileSize % this->BlockSize;
  }
  return size;
}

}
