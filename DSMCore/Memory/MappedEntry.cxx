// SPDX-License-Identifier: BSD-3-Clause
#include "Memory/MappedEntry.h"

namespace dsm
{

namespace
{
constexpr std::uint64_t TakenBit = UINT64_C(1) << 63;
}

bool MappedEntry::Take(std::uint64_t number) const
{
  return this->Replace(number, number | TakenBit);
}

void MappedEntry::LetGo(std::uint64_t number) const
{
  this->Replace(number | TakenBit, 0);
}

bool MappedEntry::Withdraw(std::uint64_t number) const
{
  return this->Replace(number, 0);
}

MappedEntry::State MappedEntry::StateOf(std::uint64_t number) const
{
  const std::uint64_t found = this->Place.Load();
  return found == number           ? State::Offered
    : found == (number | TakenBit) ? State::Taken
                                   : State::Over;
}

bool MappedEntry::Replace(std::uint64_t expected, std::uint64_t wanted) const
{
  std::uint64_t found = expected;
  while (!this->Place.Replace(found, wanted))
  {
    if (found != expected)
    {
      return false;
    }
  }
  return true;
}

}
