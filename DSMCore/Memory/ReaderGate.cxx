// SPDX-License-Identifier: BSD-3-Clause
#include "Memory/ReaderGate.h"

#include <chrono>

namespace dsm
{

namespace
{
// A slot's number: how many have entered, since when somebody has been there, in milliseconds of
// the clock that all processes of a machine share, and whether the slot is closed.
constexpr unsigned CountBits = 16;
constexpr std::uint64_t CountMask = (UINT64_C(1) << CountBits) - 1;
constexpr std::uint64_t ClosedBit = UINT64_C(1) << 63;

std::uint64_t Now()
{
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(
    std::chrono::steady_clock::now().time_since_epoch())
      .count());
}

std::uint64_t Encode(std::uint64_t count, std::uint64_t since)
{
  return since << CountBits | count;
}

std::uint64_t CountOf(std::uint64_t number, std::uint64_t now)
{
  const std::uint64_t since = (number & ~ClosedBit) >> CountBits;
  const bool isValid = since <= now && now - since < ReaderGate::ValidMilliseconds;
  return isValid ? number & CountMask : 0;
}
}

bool ReaderGate::Enter(SharedNumber slot) const
{
  const std::uint64_t now = Now();
  std::uint64_t found = slot.Load();
  for (;;)
  {
    const std::uint64_t count = CountOf(found, now);
    if (count == CountMask || (found & ClosedBit) != 0)
    {
      return false;
    }
    if (slot.Replace(found, Encode(count + 1, count == 0 ? now : found >> CountBits)))
    {
      break;
    }
  }
  if (this->Gate.Load() != 0)
  {
    Leave(slot);
    return false;
  }
  return true;
}

void ReaderGate::Leave(SharedNumber slot)
{
  std::uint64_t found = slot.Load();
  while ((found & CountMask) != 0 && !slot.Replace(found, found - 1))
  {
  }
}

void ReaderGate::CloseSlot(SharedNumber slot)
{
  std::uint64_t found = slot.Load();
  while (!slot.Replace(found, found | ClosedBit))
  {
  }
}

bool ReaderGate::HasReaders(SharedNumber slot)
{
  const std::uint64_t found = slot.Glance();
  return (found & CountMask) != 0 && CountOf(found, Now()) != 0;
}

}
