// SPDX-License-Identifier: BSD-3-Clause
// How a host's address space is divided: what is asked for, and how many slots of which size.
#include "Server/Host/LentMemory.h"

#include "Base/Error.h"
#include "Mapping/AddressMap.h"

#include <gtest/gtest.h>

namespace
{

constexpr std::uint64_t MiB = UINT64_C(1) << 20;
constexpr std::uint64_t GiB = UINT64_C(1) << 30;

struct Case
{
  std::uint64_t Lent;
  std::uint64_t Room;
  std::uint64_t Hosts; ///< on the node
  std::uint64_t Snapshots;
  std::uint64_t Count;
  std::uint64_t Size;
};

TEST(LentMemory, HasSlotsForManyFilesWhereAddressSpaceIsLeft)
{
  const Case cases[] = {
    // Small memory: as many slots as there ever are, and it can grow to four times as much.
    { 64 * MiB, 10 * GiB, 1, 0, 2048, 256 * MiB },
    { 6 * GiB, 100 * GiB, 1, 0, 2048, 16 * GiB },
    // What the machine does not have is not laid out.
    { 6 * GiB, 7 * GiB, 1, 0, 2048, 7 * GiB },
    // More memory, fewer slots: it can double.
    { 16 * GiB, 500 * GiB, 1, 0, 1024, 32 * GiB },
    { 4 * GiB, 500 * GiB, 4, 0, 1024, 8 * GiB },
    // But never fewer than it needs for the snapshots that may be asked for and what is written.
    { 64 * GiB, 100 * GiB, 1, 0, 320, 100 * GiB },
    // Who wants more snapshots than that gets them.
    { 64 * MiB, 10 * GiB, 1, 5000, 5256, 256 * MiB },
    // As far as the address space goes.
    { 1024 * GiB, 4096 * GiB, 1, 1000, 64, 1024 * GiB },
  };
  for (const Case& one : cases)
  {
    const auto slots = dsm::ComputeSlotLayout(one.Lent, one.Room, one.Hosts, one.Snapshots);
    EXPECT_EQ(slots.Count, one.Count) << one.Lent / MiB << " MiB";
    EXPECT_EQ(slots.Size / MiB, one.Size / MiB) << one.Lent / MiB << " MiB";
    EXPECT_LE(slots.Count * slots.Size * one.Hosts, UINT64_C(1) << 46);
    EXPECT_EQ(slots.Size % (2 * MiB), 0u) << "huge pages fit";
  }
}

TEST(LentMemory, ThatIsPinnedIsCutIntoSlotsThatAreThere)
{
  dsm::Redistribution map;
  map.BlockSize = MiB;
  // As many snapshots as are wanted, the file being written and the next.
  auto slots = dsm::ComputePinnedLayout(GiB, 2, map, 0, 6);
  EXPECT_EQ(slots.Count, 8u);
  EXPECT_EQ(slots.Size, 128 * MiB);
  slots = dsm::ComputePinnedLayout(GiB, 2, map, 0, 0);
  EXPECT_EQ(slots.Count, 8u);
  // Fewer than fit are wanted: then they are larger.
  slots = dsm::ComputePinnedLayout(GiB, 1, map, 10 * MiB, 2);
  EXPECT_EQ(slots.Count, 4u);
  EXPECT_EQ(slots.Size, 256 * MiB);
  EXPECT_THROW(dsm::ComputePinnedLayout(4096, 1, map, 0, 0), dsm::Error);
  EXPECT_THROW(dsm::ComputePinnedLayout(64 * MiB, 1, map, 60 * MiB, 0), dsm::Error)
    << "there must be one beside the snapshot that is read";
}

TEST(LentMemory, ThatIsPinnedHoldsTheExpectedFileHoweverItIsSpread)
{
  for (const dsm::StrategyKind& kind : dsm::Strategies())
  {
    for (const std::uint64_t hosts : { 1, 2, 3, 7 })
    {
      for (const std::uint64_t file : { UINT64_C(5000), MiB, 100 * MiB + 1 })
      {
        dsm::Redistribution map;
        map.Strategy = kind.Name;
        map.BlockSize = MiB;
        const auto slots = dsm::ComputePinnedLayout(GiB, hosts, map, file, 0);
        const dsm::AddressMap made(map.Over(hosts, slots.Size, file));
        EXPECT_GE(made.Capacity(), file + file / 8) << kind.Name << " over " << hosts;
        EXPECT_LE(slots.Count * slots.Size, GiB);
        EXPECT_GE(slots.Count, 2u);
        EXPECT_LE(slots.Size, (file + file / 8) / hosts * 17 / 16 + 2 * MiB)
          << kind.Name << " over " << hosts;
        EXPECT_EQ(slots.Size % 4096, 0u);
      }
    }
  }
}

TEST(LentMemory, ThatCannotBePinnedIsRefusedWithTheReason)
{
  EXPECT_NO_THROW(dsm::RequirePinnable(0, 1));
  EXPECT_THROW(dsm::RequirePinnable(UINT64_C(1) << 60, 2), dsm::Error);
}

}
