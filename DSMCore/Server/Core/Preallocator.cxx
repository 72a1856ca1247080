// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/Preallocator.h"

#include <algorithm>
#include <utility>

namespace dsm
{

namespace
{
// Hosts make so much at once, so that more urgent work is not held up.
constexpr std::uint64_t WarmPiece = UINT64_C(8) << 20;
}

Preallocator::Preallocator(
  ImageState& state, Evictor& evictor, MapChoice& maps, const GrantSizes& sizes)
  : State(state)
  , Evictions(evictor)
  , Maps(maps)
  , Sizes(sizes)
{
}

void Preallocator::NoteBegin(const BeginRequest& request)
{
  this->WritersClear = request.Clears;
}

std::optional<SlotWork> Preallocator::PrepareNext(const std::string& fileName)
{
  if (this->State.Streams.GoesOn(fileName))
  {
    return std::nullopt;
  }
  Ring& memory = this->State.Memory;
  const std::uint64_t expected = this->Sizes.Expected(fileName);
  const AddressMap& map = this->Maps.For({ .Size = expected });
  if (!memory.CouldEverFit(map, expected))
  {
    return std::nullopt; // the file continues on disk
  }
  while (memory.Room(map) < expected && this->Evictions.EvictAhead())
  {
  }
  const std::uint64_t grant = this->Sizes.ForNew(map, expected);
  if (auto ready = memory.Prepare(map, expected, grant, this->WritersClear))
  {
    return SlotWork{ ready->Slot, std::move(ready->Plan) };
  }
  return std::nullopt;
}

std::vector<CleaningPlan::Range> Preallocator::Warm(const std::string& fileName, bool untilHalf)
{
  if (this->State.Streams.GoesOn(fileName))
  {
    return {};
  }
  Ring& memory = this->State.Memory;
  const std::uint64_t known = this->Sizes.Expected(fileName);
  const AddressMap& map = this->Maps.For({ .Size = known });
  std::uint64_t expected = known > 0 ? GrantSizes::WithMargin(known) : this->Sizes.FirstReady();
  const std::uint64_t ready = known > 0 ? 0 : memory.Ready(map);
  if (ready >= expected && ready < std::min(this->Sizes.LargeFirstReady(), map.Capacity()))
  {
    expected = this->Sizes.LargeFirstReady();
  }
  return memory.Warm(map, { expected, memory.Budget(), WarmPiece, untilHalf });
}

bool Preallocator::IsNextReady(const std::string& fileName)
{
  const std::uint64_t expected = this->Sizes.Expected(fileName);
  return expected > 0 && this->State.Memory.Ready(this->Maps.For({ .Size = expected })) >= expected;
}

bool Preallocator::AreSmall(const std::vector<CleaningPlan::Range>& pages)
{
  return std::all_of(pages.begin(), pages.end(),
    [](const auto& range)
    {
      return std::all_of(
        range.End.begin(), range.End.end(), [](std::uint64_t end) { return end < WarmPiece; });
    });
}

void Preallocator::NoteWarm(const std::vector<CleaningPlan::Range>& pages)
{
  this->State.Memory.NoteWarm(pages);
}

std::vector<SlotWork> Preallocator::Cool(SlotIndex slot)
{
  return ReleaseWork(this->State.Memory.ForgetPages(slot));
}

}
