// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/DiscardedFile.h"

#include <algorithm>
#include <cstring>

namespace dsm
{

namespace
{
constexpr std::uint64_t BlockSize = UINT64_C(64) << 10;
}

// visit(number of the block, offset in it, position from `address`, bytes)
template <typename Visitor>
void DiscardedFile::ForEachPiece(FileOffset address, std::uint64_t size, const Visitor& visit)
{
  for (std::uint64_t done = 0; done < size;)
  {
    const std::uint64_t offset = (address + done) % BlockSize;
    const std::uint64_t length = std::min(BlockSize - offset, size - done);
    visit((address + done) / BlockSize, offset, done, length);
    done += length;
  }
}

void DiscardedFile::Read(FileOffset address, void* destination, std::uint64_t size)
{
  auto* target = static_cast<std::byte*>(destination);
  ForEachPiece(address, size,
    [&](std::uint64_t number, std::uint64_t offset, std::uint64_t position, std::uint64_t length)
    {
      const auto block = this->Blocks.find(number);
      if (block == this->Blocks.end())
      {
        std::memset(target + position, 0, length);
      }
      else
      {
        std::memcpy(target + position, block->second.data() + offset, length);
      }
    });
}

void DiscardedFile::Write(FileOffset address, const void* source, std::uint64_t size)
{
  const auto* bytes = static_cast<const std::byte*>(source);
  ForEachPiece(address, size,
    [&](std::uint64_t number, std::uint64_t offset, std::uint64_t position, std::uint64_t length)
    {
      auto& block = this->Blocks[number];
      block.resize(BlockSize);
      std::memcpy(block.data() + offset, bytes + position, length);
    });
}

}
