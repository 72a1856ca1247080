// SPDX-License-Identifier: BSD-3-Clause
#include "Memory/MemoryLook.h"

#include <algorithm>
#include <utility>

namespace dsm
{

namespace
{
constexpr std::uint64_t Share = 8;
}

MemoryLook::MemoryLook(std::function<std::uint64_t()> look)
  : Look(std::move(look))
{
}

bool MemoryLook::Take(std::uint64_t bytes)
{
  const std::lock_guard lock(this->Guard);
  const auto now = Clock::now();
  if (bytes > this->Left || now - this->At > Good)
  {
    this->Found = this->Look();
    this->At = now;
    this->Left = std::min(this->Found, std::max(std::min(Believed, this->Found / Share), bytes));
  }
  if (bytes > this->Left)
  {
    return false;
  }
  this->Left -= bytes;
  return true;
}

std::uint64_t MemoryLook::Seen() const
{
  const std::lock_guard lock(this->Guard);
  return this->Found;
}

}
