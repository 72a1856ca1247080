// SPDX-License-Identifier: BSD-3-Clause
#include "Memory/Ring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace
{

using dsm::AddressMap;
using dsm::CleaningPlan;
using dsm::HostIndex;
using dsm::Ring;
using dsm::SlotIndex;

constexpr std::uint64_t Budget = 1000;

AddressMap Cyclic(std::uint64_t hosts)
{
  return AddressMap({ "block cyclic", hosts, Budget, 10 });
}

TEST(Ring, GivesAFreshSlotWithNothingToClean)
{
  Ring ring({ 2, Budget, 4 });
  const auto got = ring.Reserve(Cyclic(2), 100, 200);
  ASSERT_TRUE(got);
  EXPECT_TRUE(got->Plan.Zero.IsEmpty());
  EXPECT_EQ(got->Plan.Reserve.Begin, (std::vector<std::uint64_t>{ 0, 0 }));
  EXPECT_EQ(got->Plan.Reserve.End, (std::vector<std::uint64_t>{ 100, 100 }))
    << "what is granted exists";
  EXPECT_EQ(got->Plan.Populate.End, (std::vector<std::uint64_t>{ 50, 50 }));
  EXPECT_EQ(ring.Used(0), 100u);
  EXPECT_EQ(ring.Used(1), 100u);
}

TEST(Ring, ReusesPagesAfterZeroingThem)
{
  Ring ring({ 1, Budget, 4 });
  const auto map = Cyclic(1);
  const auto first = ring.Reserve(map, 0, 300);
  ring.Seal(first->Slot, map, 300);
  ring.Free(first->Slot, map, 300);
  const auto second = ring.Reserve(map, 300, 300);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->Slot, first->Slot);
  EXPECT_EQ(second->Plan.Zero.End, std::vector<std::uint64_t>{ 300 });
  EXPECT_TRUE(second->Plan.Reserve.IsEmpty());
  EXPECT_TRUE(second->Plan.Release.empty());
}

// Of a page that is kept for its beginning the rest keeps its old bytes: a file that grows there
// must not show them.
TEST(Ring, ClearsTheRestOfAPageWhenWhatIsBehindItIsGivenBack)
{
  constexpr std::uint64_t page = 4096;
  const AddressMap map({ "contiguous", 1, 100 * page, page });
  Ring ring({ 1, 100 * page, 1 });
  const auto first = ring.Reserve(map, 0, 50 * page);
  ring.Free(first->Slot, map, 50 * page);
  const auto second = ring.Reserve(map, 0, 10 * page + 1);
  ASSERT_EQ(second->Slot, first->Slot);
  ASSERT_EQ(second->Plan.Release.size(), 1u);
  EXPECT_EQ(second->Plan.Release.front().Begin, std::vector<std::uint64_t>{ 10 * page + 1 });
  EXPECT_GE(second->Plan.Zero.End.front(), 11 * page)
    << "the page that begins before what is given back stays";
}

TEST(Ring, WhatIsPutAsideNeedsNoZeroingAndItsOwnRoom)
{
  Ring ring({ 2, Budget, 4 });
  const auto map = Cyclic(2);
  const auto old = ring.Reserve(map, 0, 400);
  ring.Free(old->Slot, map, 400);
  const auto image = ring.Reserve(map, 0, 900);
  ASSERT_TRUE(ring.HasRoomAside({ 300, 100 }));
  const auto aside = ring.ReserveAside({ 300, 100 });
  ASSERT_TRUE(aside);
  EXPECT_NE(aside->Slot, image->Slot);
  EXPECT_EQ(ring.SlotState(aside->Slot), Ring::State::Sealed);
  EXPECT_TRUE(aside->Plan.Zero.IsEmpty());
  EXPECT_EQ(ring.Used(0), 750u);
  EXPECT_EQ(ring.Used(1), 550u);
  EXPECT_FALSE(ring.HasRoomAside({ 300, 0 }));
  EXPECT_FALSE(ring.ReserveAside({ 300, 0 })) << "host 0 has no room for another";
}

TEST(Ring, MoreThatIsPutAsideIsAnotherGeneration)
{
  Ring ring({ 1, Budget, 4 });
  const auto aside = ring.ReserveAside({ 100 });
  const auto wider = ring.WidenAside(aside->Slot, { 300 });
  ASSERT_TRUE(wider);
  EXPECT_EQ(wider->Generation, aside->Generation + 1);
  ASSERT_EQ(wider->Plan.Raise.size(), 1u);
  EXPECT_EQ(wider->Plan.Reserve.Begin, std::vector<std::uint64_t>{ 100 });
  EXPECT_EQ(wider->Plan.Reserve.End, std::vector<std::uint64_t>{ 300 });
  EXPECT_EQ(ring.Used(0), 300u);
  EXPECT_FALSE(ring.WidenAside(aside->Slot, { Budget + 1 }));
  ring.FreeAside(aside->Slot);
  EXPECT_EQ(ring.Used(0), 0u);
  const auto told = ring.RaiseAll();
  ASSERT_EQ(told.Raise.size(), 1u) << "who still reads it finds out";
  EXPECT_EQ(told.Raise[0].Number, wider->Generation + 1);
  EXPECT_TRUE(ring.RaiseAll().Raise.empty()) << "once";
}

// A reader that the server has given up on looks at the generation of the snapshot's own slot, and
// reads most of its bytes where the image was.
TEST(Ring, WhoStillReadsWhatWasSharedFindsAnotherGeneration)
{
  Ring ring({ 1, Budget, 4 });
  const auto image = ring.Reserve(Cyclic(1), 400, 400);
  const auto aside = ring.ReserveAside({ 100 });
  ring.FreeAside(aside->Slot);
  ring.Free(image->Slot, Cyclic(1), 400);
  const auto next = ring.Reserve(Cyclic(1), 400, 400);
  ASSERT_EQ(next->Slot, image->Slot);
  std::map<std::uint64_t, std::uint64_t> told;
  for (const auto& raised : next->Plan.Raise)
  {
    told[raised.Slot] = raised.Number;
  }
  EXPECT_EQ(told[image->Slot], next->Generation);
  EXPECT_EQ(told[aside->Slot], aside->Generation + 1);
}

// A file that is flushed again and again: there may be thousands of slots, and all that were ever
// touched are gone through each time.
TEST(Ring, WhatIsPutAsideGoesWhereSuchWasBefore)
{
  Ring ring({ 1, Budget, 100 });
  const auto image = ring.Reserve(Cyclic(1), 100, 100);
  const auto first = ring.ReserveAside({ 100 });
  const auto second = ring.ReserveAside({ 100 });
  ring.FreeAside(first->Slot);
  const auto third = ring.ReserveAside({ 50 });
  EXPECT_EQ(third->Slot, first->Slot);
  EXPECT_EQ(third->Generation, first->Generation + 1);
  ring.FreeAside(second->Slot);
  ring.FreeAside(third->Slot);
  ring.Free(image->Slot, Cyclic(1), 100);
  EXPECT_EQ(ring.Reserve(Cyclic(1), 100, 100)->Slot, image->Slot) << "which has most pages";
  EXPECT_NE(ring.ReserveAside({ 0 })->Slot, image->Slot);
}

// Of the bytes it has, none changes hands; what is behind them is cleared.
TEST(Ring, ASealedSlotIsWrittenFurther)
{
  Ring ring({ 2, Budget, 4 });
  const auto map = Cyclic(2);
  const auto image = ring.Reserve(map, 0, 400);
  ring.Seal(image->Slot, map, 300); // 200 of which are the file
  const auto again = ring.Reopen(image->Slot, map, 200, 500);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->Slot, image->Slot);
  EXPECT_EQ(again->Generation, image->Generation + 1);
  ASSERT_EQ(again->Plan.Raise.size(), 1u) << "who reads there is to find out";
  EXPECT_EQ(again->Plan.Zero.Begin, (std::vector<std::uint64_t>{ 100, 100 }));
  EXPECT_EQ(again->Plan.Zero.End, (std::vector<std::uint64_t>{ 150, 150 }));
  EXPECT_EQ(again->Plan.Reserve.Begin, (std::vector<std::uint64_t>{ 200, 200 }));
  EXPECT_EQ(again->Plan.Reserve.End, (std::vector<std::uint64_t>{ 250, 250 }));
  EXPECT_TRUE(again->Plan.Release.empty());
  EXPECT_EQ(ring.SlotState(image->Slot), Ring::State::Writing);
  EXPECT_EQ(ring.Used(0), 250u);
  ring.Seal(image->Slot, map, 500);
  const auto plain = ring.Reopen(image->Slot, map, 500, 500);
  EXPECT_TRUE(plain->Plan.Zero.IsEmpty() && plain->Plan.Reserve.IsEmpty());
  EXPECT_EQ(plain->Generation, image->Generation + 2);
  ring.Seal(image->Slot, map, 500);
  ring.SetBudget(200);
  EXPECT_FALSE(ring.Reopen(image->Slot, map, 500, 500));
  EXPECT_EQ(ring.SlotState(image->Slot), Ring::State::Sealed);
}

TEST(Ring, WhatIsFrozenStaysAndTheRestGoes)
{
  Ring ring({ 1, Budget, 4 });
  const auto map = Cyclic(1);
  const auto image = ring.Reserve(map, 0, 900);
  const auto plan = ring.Freeze(image->Slot, map, 200);
  EXPECT_EQ(ring.Used(0), 200u);
  ASSERT_EQ(plan.Release.size(), 1u);
  EXPECT_EQ(plan.Release[0].Begin, std::vector<std::uint64_t>{ 200 });
  ASSERT_EQ(plan.Raise.size(), 1u) << "its writer is to find out";
  ring.Free(image->Slot, map, 200);
  EXPECT_EQ(ring.Used(0), 0u);
}

TEST(Ring, PreparedSlotNeedsNoMoreWork)
{
  Ring ring({ 1, Budget, 4 });
  const auto map = Cyclic(1);
  const auto first = ring.Reserve(map, 0, 300);
  ring.Free(first->Slot, map, 300);
  const auto prepared = ring.Prepare(map, 300, 310);
  ASSERT_TRUE(prepared);
  EXPECT_FALSE(prepared->Plan.IsClean());
  const auto second = ring.Reserve(map, 300, 310);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->Slot, prepared->Slot);
  EXPECT_TRUE(second->Plan.IsEmpty());
}

TEST(Ring, TakesPagesFromFreeSlotsOnlyWhenTheBudgetAsksForIt)
{
  Ring ring({ 1, Budget, 3 });
  const auto map = Cyclic(1);
  const auto a = ring.Reserve(map, 0, 400);
  const auto b = ring.Reserve(map, 0, 400);
  ASSERT_TRUE(a && b);
  ring.Seal(a->Slot, map, 400);
  ring.Seal(b->Slot, map, 400);
  EXPECT_FALSE(ring.Reserve(map, 0, 400)) << "800 of 1000 are held by snapshots";
  ring.Free(a->Slot, map, 400);
  const auto c = ring.Reserve(map, 600, 600);
  ASSERT_TRUE(c);
  EXPECT_EQ(c->Slot, a->Slot);
  ring.Seal(c->Slot, map, 600);
  ring.Free(b->Slot, map, 400);
  // The best slot has 400 pages; 1000 - 600 is exactly that.
  const auto d = ring.Reserve(map, 400, 400);
  ASSERT_TRUE(d);
  EXPECT_EQ(d->Slot, b->Slot);
}

TEST(Ring, ExtendsUpToTheBudgetAndNoFurther)
{
  Ring ring({ 2, Budget, 4 });
  const auto map = Cyclic(2);
  const auto image = ring.Reserve(map, 0, 200);
  CleaningPlan plan;
  EXPECT_EQ(ring.Room(map, image->Slot), 2 * Budget);
  EXPECT_FALSE(image->Plan.InWriting);
  EXPECT_TRUE(ring.Extend(image->Slot, map, 2 * Budget, plan));
  EXPECT_TRUE(plan.InWriting);
  EXPECT_EQ(plan.Reserve.Begin, (std::vector<std::uint64_t>{ 100, 100 }));
  EXPECT_EQ(plan.Reserve.End, (std::vector<std::uint64_t>{ Budget, Budget }));
  EXPECT_FALSE(ring.Extend(image->Slot, map, 2 * Budget + 1, plan));
  EXPECT_FALSE(ring.Reserve(map, 0, 10));
  ring.Seal(image->Slot, map, 100);
  EXPECT_EQ(ring.UsedByAll(), 100u) << "what was granted and not used is free again";
  const auto next = ring.Reserve(map, 0, 2 * Budget - 100);
  ASSERT_TRUE(next);
  ASSERT_EQ(next->Plan.Release.size(), 1u) << "its pages are taken where they are wanted";
  EXPECT_EQ(next->Plan.Release[0].Slot, image->Slot);
  EXPECT_EQ(next->Plan.Release[0].Begin, (std::vector<std::uint64_t>{ 50, 50 }));
  EXPECT_EQ(next->Plan.Release[0].End, (std::vector<std::uint64_t>{ Budget, Budget }));
}

TEST(Ring, AGrantThatCouldNotBeReservedIsTakenBack)
{
  Ring ring({ 1, Budget, 4 });
  const auto map = Cyclic(1);
  const auto image = ring.Reserve(map, 0, 200);
  CleaningPlan plan;
  EXPECT_TRUE(ring.Extend(image->Slot, map, Budget, plan));
  EXPECT_FALSE(ring.Reserve(map, 0, 100));
  ring.Shrink(image->Slot, map, 200);
  EXPECT_EQ(ring.Used(0), 200u);
  EXPECT_TRUE(ring.Reserve(map, 0, 700));
  plan = {};
  EXPECT_TRUE(ring.Extend(image->Slot, map, 300, plan));
  EXPECT_EQ(plan.Reserve.Begin, std::vector<std::uint64_t>{ 200 }) << "nobody knows what exists";
  EXPECT_TRUE(plan.Release.empty()) << "its writer may have grown by itself meanwhile";
  plan = ring.Seal(image->Slot, map, 250);
  ASSERT_EQ(plan.Release.size(), 1u) << "the host may have got a part of what was taken back";
  EXPECT_EQ(plan.Release[0].Begin, std::vector<std::uint64_t>{ 300 });
}

TEST(Ring, WhatAWriterTookByItselfAndDidNotWriteIsGivenBack)
{
  Ring ring({ 1, Budget, 4 });
  const auto map = Cyclic(1);
  const auto image = ring.Reserve(map, 0, 200);
  const auto plan = ring.Seal(image->Slot, map, 210);
  ASSERT_EQ(plan.Release.size(), 1u);
  EXPECT_EQ(plan.Release[0].Begin, std::vector<std::uint64_t>{ 210 });
  EXPECT_GE(plan.Release[0].End[0], Budget);
  EXPECT_TRUE(ring.Free(image->Slot, map, 210).Release.empty());
}

TEST(Ring, ASmallImageLeavesWarmPagesToOthers)
{
  Ring ring({ 1, Budget, 4 });
  const auto map = Cyclic(1);
  const auto large = ring.Reserve(map, 0, 800);
  ring.Free(large->Slot, map, 800);
  const auto small = ring.Reserve(map, 0, 10);
  ASSERT_TRUE(small);
  EXPECT_NE(small->Slot, large->Slot);
  const auto other = ring.Reserve(map, 0, 900);
  ASSERT_TRUE(other);
  EXPECT_EQ(other->Slot, large->Slot);
}

TEST(Ring, NoPageIsTakenFromAnImageThatIsBeingWritten)
{
  Ring ring({ 1, Budget, 2 });
  const auto map = Cyclic(1);
  for (const std::uint64_t bytes : { 500, 500 })
  {
    ASSERT_TRUE(ring.Reserve(map, 0, bytes));
  }
  ring.Free(0, map, 500);
  ring.Free(1, map, 500);
  const auto small = ring.Reserve(map, 0, 10);
  ASSERT_TRUE(small);
  ASSERT_EQ(small->Plan.Release.size(), 1u) << "what it is not granted goes before it is written";
  EXPECT_EQ(small->Plan.Release[0].Slot, small->Slot);
  EXPECT_EQ(small->Plan.Release[0].Begin, std::vector<std::uint64_t>{ 10 });
  const auto other = ring.Reserve(map, 0, 990);
  ASSERT_TRUE(other);
  EXPECT_TRUE(other->Plan.Release.empty());
}

TEST(Ring, DiscardedSlotsAreTakenLast)
{
  Ring ring({ 1, Budget, 2 });
  const auto map = Cyclic(1);
  const auto lost = ring.Reserve(map, 0, 500);
  const auto plan = ring.Discard(lost->Slot);
  ASSERT_EQ(plan.Release.size(), 1u);
  EXPECT_GE(plan.Release[0].End[0], Budget) << "it may have grown beyond its grant by itself";
  ASSERT_EQ(plan.Raise.size(), 1u) << "a straggler must see that it is not its own any more";
  EXPECT_GT(plan.Raise[0].Number, lost->Generation);
  const auto next = ring.Reserve(map, 0, 100);
  EXPECT_NE(next->Slot, lost->Slot);
  const auto after = ring.Reserve(map, 0, 100);
  EXPECT_EQ(after->Slot, lost->Slot);
  ASSERT_EQ(after->Plan.Release.size(), 1u) << "the straggler may have written since";
  EXPECT_EQ(after->Plan.Release[0].Slot, lost->Slot);
  EXPECT_EQ(after->Plan.Release[0].Begin[0], 0u);
  EXPECT_GE(after->Plan.Release[0].End[0], Budget);
  ring.Free(after->Slot, map, 100);
  EXPECT_TRUE(ring.Reserve(map, 0, 100)->Plan.Release.empty());
}

TEST(Ring, ReopenedSlotOfALostWriterIsReleasedBehindWhatStays)
{
  Ring ring({ 1, Budget, 2 });
  const auto map = Cyclic(1);
  const auto lost = ring.Reserve(map, 0, 500);
  ring.Freeze(lost->Slot, map, 100);
  const auto again = ring.Reopen(lost->Slot, map, 100, 400);
  ASSERT_TRUE(again);
  ASSERT_EQ(again->Plan.Release.size(), 1u);
  EXPECT_EQ(again->Plan.Release[0].Begin[0], 100u);
  EXPECT_GE(again->Plan.Release[0].End[0], Budget);
}

TEST(Ring, AHostThatIsBackKeepsThePagesOfImagesBeingWritten)
{
  Ring ring({ 2, Budget, 3 });
  const auto map = Cyclic(2);
  const auto writing = ring.Reserve(map, 0, 100);
  ASSERT_TRUE(writing);
  const auto spare = ring.ReleaseAllSpare(1);
  for (const auto& range : spare.Release)
  {
    EXPECT_NE(range.Slot, writing->Slot) << "its writer may have grown beyond its grant";
  }
  EXPECT_EQ(spare.Release.size(), 2U);
  EXPECT_EQ(spare.Raise.size(), 3U);
  const auto again = ring.ReserveAgain(writing->Slot, 1);
  EXPECT_EQ(again.Reserve.Slot, writing->Slot);
  EXPECT_EQ(again.Reserve.End, (std::vector<std::uint64_t>{ 0, map.LocalSize(1, 100) }));
  EXPECT_TRUE(again.Release.empty());
}

TEST(Ring, KnowsWhatCanNeverFit)
{
  Ring ring({ 2, Budget, 4 });
  EXPECT_TRUE(ring.CouldEverFit(Cyclic(2), 2 * Budget));
  EXPECT_FALSE(ring.CouldEverFit(Cyclic(2), 2 * Budget + 1));
}

// A long random life: pages, as the plans would make and release them, never exceed the budget, no
// image ever begins on bytes that are not zero, and whoever writes or reads finds pages that exist.
TEST(Ring, OfPinnedMemoryHasSlotsOfOneSizeWhosePagesStay)
{
  Ring ring = Ring::Pinned(2, Budget, 3);
  const auto map = Cyclic(2);
  EXPECT_EQ(ring.Budget(), 3 * Budget);
  EXPECT_EQ(ring.Resident(0), 3 * Budget);
  EXPECT_TRUE(ring.CouldEverFit(map, 2 * Budget));
  EXPECT_EQ(ring.Room(map), 2 * Budget) << "a file has one slot, whatever is free besides";
  const auto first = ring.Reserve(map, 100, 200);
  ASSERT_TRUE(first);
  EXPECT_TRUE(first->Plan.IsEmpty());
  CleaningPlan plan;
  EXPECT_TRUE(ring.Extend(first->Slot, map, 2 * Budget, plan));
  EXPECT_TRUE(plan.IsEmpty());
  EXPECT_TRUE(ring.Seal(first->Slot, map, 1500).Release.empty());
  const auto second = ring.Reserve(map, 0, 2 * Budget);
  const auto third = ring.Reserve(map, 0, 2 * Budget);
  ASSERT_TRUE(second && third);
  EXPECT_EQ(ring.Room(map), 0u) << "no slot is left";
  EXPECT_FALSE(ring.Reserve(map, 0, 10));

  // A lost writer may have been anywhere in its slot; a clean slot is taken before that.
  EXPECT_TRUE(ring.Discard(second->Slot).Release.empty());
  ring.Free(first->Slot, map, 1500);
  const auto next = ring.Reserve(map, 0, 100);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->Slot, first->Slot);
  EXPECT_EQ(next->Plan.Zero.End, (std::vector<std::uint64_t>{ 750, 750 }));
  const auto last = ring.Reserve(map, 0, 100);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->Slot, second->Slot);
  EXPECT_EQ(last->Plan.Zero.End, (std::vector<std::uint64_t>{ Budget, Budget }));
  EXPECT_TRUE(ring.Warm(map, { 100, Budget, 10 }).empty()) << "there is nothing to make ready";
}

// An order to the hosts costs the cores that the writers want.
TEST(Ring, SlotsOfSmallImagesAreMadeReadyTogetherAndNotForEachImageAnew)
{
  Ring ring({ 2, Budget, 40 });
  const auto map = Cyclic(2);
  const std::uint64_t size = 20; // half of it on each host
  const auto warm = [&] { return ring.Warm(map, { size, 250, 80 }); };
  const auto isOf = [](const auto& pages, SlotIndex slot)
  {
    return std::any_of(
      pages.begin(), pages.end(), [slot](const auto& range) { return range.Slot == slot; });
  };
  const auto takes = [&](const auto& pages)
  {
    const auto taken = ring.Reserve(map, size, size);
    return taken && isOf(pages, taken->Slot) && taken->Plan.Reserve.IsEmpty();
  };
  const auto first = warm();
  EXPECT_EQ(first.size(), 1u) << "the next image does not wait for others' slots";
  const auto more = warm();
  EXPECT_EQ(more.size(), 8u) << "a piece";
  EXPECT_TRUE(warm().empty()) << "more than half of what is wanted are there";
  // Those that do not exist yet are taken last.
  ring.NoteWarm(first);
  EXPECT_TRUE(takes(first));
  const auto last = warm();
  EXPECT_EQ(last.size(), 8u);
  ring.NoteWarm(more);
  for (std::size_t image = 0; image < more.size(); ++image)
  {
    EXPECT_TRUE(warm().empty()) << "after " << image << " images";
    EXPECT_TRUE(takes(more));
  }
  EXPECT_EQ(warm().size(), 8u);
  EXPECT_TRUE(takes(last)) << "there is no other";
}

// One that is larger than a piece is worth an order of its own.
TEST(Ring, SlotsOfLargeImagesAreAllMadeReadyAsSoonAsOneIsTaken)
{
  Ring ring({ 1, Budget, 40 });
  const auto map = Cyclic(1);
  const auto warm = [&]
  {
    std::uint64_t pieces = 0;
    for (auto pages = ring.Warm(map, { 50, 250, 25 }); !pages.empty();
      pages = ring.Warm(map, { 50, 250, 25 }))
    {
      ring.NoteWarm(pages);
      ++pieces;
    }
    return pieces;
  };
  EXPECT_EQ(warm(), 10u) << "five slots of two pieces";
  EXPECT_EQ(ring.Resident(0), 250u);
  ASSERT_TRUE(ring.Reserve(map, 50, 50)->Plan.Reserve.IsEmpty());
  EXPECT_EQ(warm(), 2u);
}

// Where images come one right after the other, making more would take the cores of their writers.
TEST(Ring, HalfOfWhatIsEnoughCanDoForNow)
{
  Ring ring({ 1, Budget, 40 });
  const auto map = Cyclic(1);
  const auto warm = [&](bool untilHalf)
  {
    std::uint64_t pieces = 0;
    for (auto pages = ring.Warm(map, { 50, 250, 25, untilHalf }); !pages.empty();
      pages = ring.Warm(map, { 50, 250, 25, untilHalf }))
    {
      ring.NoteWarm(pages);
      ++pieces;
    }
    return pieces;
  };
  EXPECT_EQ(warm(true), 6u) << "three slots of five, of two pieces each";
  EXPECT_EQ(warm(false), 4u);
  ASSERT_TRUE(ring.Reserve(map, 50, 50));
  ASSERT_TRUE(ring.Reserve(map, 50, 50));
  EXPECT_EQ(warm(true), 0u) << "three are left";
}

TEST(Ring, OfPinnedMemoryGivesNothingBackWhenAHostIsBack)
{
  Ring ring = Ring::Pinned(1, Budget, 2);
  const auto map = Cyclic(1);
  const auto writing = ring.Reserve(map, 0, 100);
  const auto plan = ring.ReleaseAllSpare(0);
  EXPECT_TRUE(plan.Release.empty());
  EXPECT_EQ(plan.Raise.size(), 2u);
  const auto next = ring.Reserve(map, 0, 100);
  ASSERT_TRUE(writing && next);
  EXPECT_EQ(next->Plan.Zero.End, std::vector<std::uint64_t>{ Budget })
    << "it is not known what is in it";
}

TEST(Ring, RandomOperationsKeepTheInvariants)
{
  std::mt19937_64 random(7);
  for (int life = 0; life < 80; ++life)
  {
    const bool pinned = life % 3 == 2;
    const std::uint64_t page = life % 2 == 0 ? 1 : 16;
    const auto pagesEnd = [&](std::uint64_t bytes) { return (bytes + page - 1) / page * page; };
    const std::uint64_t hosts = 1 + random() % 4;
    const std::uint64_t slots = 2 + random() % 6;
    const std::vector<AddressMap> maps{ Cyclic(hosts),
      AddressMap({ "contiguous", hosts, Budget, 1 }),
      AddressMap({ "random block", hosts, Budget, 10, 3 * hosts + 1, 5 }) };
    Ring ring = pinned ? Ring::Pinned(hosts, Budget, slots) : Ring({ hosts, Budget, slots, page });
    // The model: per slot and host, bytes that exist for sure and bytes that are dirty, from the
    // beginning.
    std::vector<std::vector<std::uint64_t>> dirty(slots, std::vector<std::uint64_t>(hosts, 0));
    std::vector<std::vector<std::uint64_t>> pages(
      slots, std::vector<std::uint64_t>(hosts, pinned ? Budget : 0));
    struct Image
    {
      AddressMap Map;
      std::uint64_t Grant, Reach, Generation;
    };
    std::map<SlotIndex, Image> writing, sealed;
    // How much the hosts have noted as stale, as long as nobody has written since.
    std::vector<std::vector<std::uint64_t>> noted(slots, std::vector<std::uint64_t>(hosts, 0));
    // What the hosts know, and what the last that had a slot may still believe to have.
    std::vector<std::uint64_t> raised(slots, 0);
    std::map<std::uint64_t, std::uint64_t> gone;
    const auto carry = [&](const CleaningPlan& plan)
    {
      ASSERT_TRUE(!pinned || (plan.Release.empty() && plan.Reserve.IsEmpty()));
      for (const auto& one : plan.Raise)
      {
        raised[one.Slot] = std::max(raised[one.Slot], one.Number);
      }
      const auto changes = [&](const CleaningPlan::Range& range)
      {
        if (!range.IsEmpty() && !writing.contains(range.Slot) && !sealed.contains(range.Slot) &&
          gone.contains(range.Slot))
        {
          ASSERT_GT(raised[range.Slot], gone[range.Slot]) << "whoever had the slot does not see it";
        }
      };
      for (const auto& range : plan.Release)
      {
        changes(range);
        ASSERT_TRUE(range.IsEmpty() || !writing.contains(range.Slot))
          << "its writer may have grown beyond its grant";
      }
      changes(plan.Zero);
      for (HostIndex host = 0; host < hosts; ++host)
      {
        for (const auto& range : plan.Release)
        {
          const std::uint64_t begin = range.Begin.empty() ? 0 : range.Begin[host];
          ASSERT_GE(range.End[host], pages[range.Slot][host]);
          pages[range.Slot][host] = std::min(pages[range.Slot][host], begin);
          dirty[range.Slot][host] = std::min(dirty[range.Slot][host], pagesEnd(begin));
        }
        if (!plan.Reserve.End.empty())
        {
          auto& count = pages[plan.Reserve.Slot][host];
          ASSERT_LE(plan.Reserve.Begin[host], count) << "pages exist from the beginning on";
          count = std::max(count, plan.Reserve.End[host]);
        }
        if (!plan.Zero.End.empty() && plan.Zero.End[host] >= dirty[plan.Zero.Slot][host])
        {
          ASSERT_LE(plan.Zero.End[host], pagesEnd(pages[plan.Zero.Slot][host]));
          auto& bytes = dirty[plan.Zero.Slot][host];
          bytes = plan.Zero.Begin.empty() ? 0 : std::min(bytes, plan.Zero.Begin[host]);
        }
        if (!plan.Stale.End.empty())
        {
          noted[plan.Stale.Slot][host] = plan.Stale.End[host];
        }
        if (!plan.Populate.End.empty())
        {
          ASSERT_LE(plan.Populate.End[host], pages[plan.Populate.Slot][host]);
        }
      }
    };
    for (int step = 0; step < 400; ++step)
    {
      const auto& map = maps[random() % maps.size()];
      const auto pick = [&](auto& from)
      { return std::next(from.begin(), static_cast<long>(random() % from.size())); };
      switch (random() % 8)
      {
        case 0:
        {
          const std::uint64_t expected = random() % 600;
          const std::uint64_t grant = expected + random() % 600;
          if (const auto got = ring.Reserve(map, expected, grant, random() % 2 == 0))
          {
            carry(got->Plan);
            for (HostIndex host = 0; host < hosts; ++host)
            {
              const std::uint64_t stale = got->Stale.empty() ? 0 : got->Stale[host];
              ASSERT_LE(dirty[got->Slot][host], stale) << "an image must begin on zeros, or know";
              ASSERT_LE(stale, noted[got->Slot][host]) << "its writers see what is stale";
              ASSERT_LE(stale, pagesEnd(pages[got->Slot][host])) << "and clear pages that exist";
              noted[got->Slot][host] = 0;
            }
            ASSERT_EQ(raised[got->Slot], got->Generation) << "its own writer must not be shut out";
            writing.insert({ got->Slot, { map, std::max(grant, expected), 0, got->Generation } });
          }
          break;
        }
        case 1:
          if (!writing.empty())
          {
            auto& [slot, image] = *pick(writing);
            CleaningPlan plan;
            const std::uint64_t bytes = image.Grant + random() % 300;
            if (ring.Extend(slot, image.Map, bytes, plan))
            {
              carry(plan);
              image.Grant = bytes;
            }
          }
          break;
        case 2:
          if (!writing.empty())
          {
            const auto it = pick(writing);
            auto& [slot, image] = *it;
            image.Reach = random() % (image.Grant + 1);
            for (HostIndex host = 0; host < hosts; ++host)
            {
              const auto touched = image.Map.LocalSize(host, image.Reach);
              ASSERT_LE(touched, pages[slot][host]) << "a writer met a page that does not exist";
              dirty[slot][host] = std::max(dirty[slot][host], touched);
            }
            ring.Seal(slot, image.Map, image.Reach);
            sealed.insert(*it);
            writing.erase(it);
          }
          break;
        case 3:
          if (!sealed.empty())
          {
            const auto it = pick(sealed);
            gone[it->first] = it->second.Generation;
            ring.Free(it->first, it->second.Map, it->second.Reach);
            sealed.erase(it);
          }
          break;
        case 4:
          if (!writing.empty())
          {
            const auto it = pick(writing);
            for (HostIndex host = 0; host < hosts; ++host)
            {
              const auto touched = it->second.Map.LocalSize(host, it->second.Grant);
              ASSERT_LE(touched, pages[it->first][host]);
              dirty[it->first][host] = pages[it->first][host];
            }
            gone[it->first] = it->second.Generation;
            const SlotIndex slot = it->first;
            writing.erase(it);
            carry(ring.Discard(slot));
          }
          break;
        case 5:
          if (!sealed.empty())
          {
            const auto it = pick(sealed);
            auto& [slot, image] = *it;
            const std::uint64_t bytes = random() % (image.Reach + 1);
            const std::uint64_t grant = bytes + random() % 300;
            if (const auto got = ring.Reopen(slot, image.Map, bytes, grant))
            {
              carry(got->Plan);
              for (HostIndex host = 0; host < hosts; ++host)
              {
                ASSERT_LE(dirty[slot][host], image.Map.LocalSize(host, bytes))
                  << "a file must go on with zeros";
              }
              ASSERT_GT(got->Generation, image.Generation);
              ASSERT_EQ(raised[slot], got->Generation);
              writing.insert({ slot, { image.Map, grant, 0, got->Generation } });
              sealed.erase(it);
            }
          }
          break;
        case 6:
          for (const auto& range :
            ring.Warm(map, { random() % 300, random() % 900, 1 + random() % 100 }))
          {
            CleaningPlan plan;
            plan.Reserve = range;
            carry(plan);
          }
          break;
        default:
          if (const auto got = ring.Prepare(map, random() % 500, random() % 500, random() % 2 == 0))
          {
            carry(got->Plan);
          }
      }
      for (HostIndex host = 0; host < hosts; ++host)
      {
        std::uint64_t sum = 0;
        for (SlotIndex slot = 0; slot < slots; ++slot)
        {
          sum += pages[slot][host];
        }
        ASSERT_LE(sum, ring.Budget())
          << "host " << host << " at step " << step << " of life " << life;
        ASSERT_LE(ring.Used(host), ring.Budget());
        for (const auto& [slot, image] : sealed)
        {
          ASSERT_EQ(raised[slot], image.Generation) << "its readers must not be shut out";
          ASSERT_LE(image.Map.LocalSize(host, image.Reach), pages[slot][host])
            << "a snapshot has lost pages";
        }
      }
    }
  }
}

}
