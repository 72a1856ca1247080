// SPDX-License-Identifier: BSD-3-Clause
#include "SlotFixture.h"

#include "Memory/StaleChunks.h"
#include "Peer/StaleSlot.h"

#include <algorithm>

namespace
{

using namespace dsm;
using namespace dsm::testing;

constexpr std::uint64_t Chunk = StaleChunks::ChunkSize;
constexpr std::byte Old{ 0x55 };

class StaleSlotTest : public ImageTest
{
protected:
  // Each host's slot is stale up to there.
  void MakeStale(const std::vector<std::uint64_t>& ends)
  {
    this->Image.Stale = ends;
    for (HostIndex host = 0; host < ends.size(); ++host)
    {
      std::fill_n(this->At(host, 0), ends[host], Old);
      StaleChunks::Reset(this->Hosts[host].Data() + this->Layout.ChunksOf(SlotNumber), ends[host]);
    }
  }
  std::int64_t CountOld(HostIndex host) const
  {
    return std::count(this->At(host, 0), this->At(host, SlotSize), Old);
  }
};

TEST_F(StaleSlotTest, ClearsNothingOfACleanSlot)
{
  const ImageSlot slot = this->Slot();
  const StaleSlot stale(slot, {});
  EXPECT_FALSE(stale.MayConcern(0, 0));
  *this->At(1, 0) = Old;
  stale.Overwrite(1, { 1, 2 });
  stale.Clear(1, { 0, SlotSize });
  EXPECT_EQ(this->CountOld(1), 1);
}

TEST_F(StaleSlotTest, ClearsWhatIsWrittenInPartOrRead)
{
  this->MakeStale({ 2 * Chunk, 3 * Chunk });
  const ImageSlot slot = this->Slot();
  const StaleSlot stale(slot, this->Image.Stale);
  EXPECT_TRUE(stale.MayConcern(0, 2 * Chunk - 1));
  EXPECT_FALSE(stale.MayConcern(0, 2 * Chunk));
  stale.Overwrite(0, { 0, Chunk });
  EXPECT_EQ(this->CountOld(0), std::int64_t{ 2 * Chunk }) << "a whole chunk is left to the writer";
  stale.Overwrite(0, { Chunk + 10, Chunk + 20 });
  EXPECT_EQ(this->CountOld(0), std::int64_t{ Chunk });
  stale.Clear(1, { 0, 8 });
  EXPECT_EQ(this->CountOld(1), std::int64_t{ 2 * Chunk });
}

TEST_F(StaleSlotTest, ClearsWhatAReaderWouldTakeForTheFiles)
{
  this->MakeStale({ 4 * Chunk, 4 * Chunk });
  const ImageSlot slot = this->Slot();
  const StaleSlot stale(slot, this->Image.Stale);
  // In blocks of a page in turn: half of the file on each host.
  stale.ClearUnwritten(AddressMap(this->Image.Map), 2 * Chunk);
  EXPECT_EQ(this->CountOld(0), std::int64_t{ 3 * Chunk });
  EXPECT_EQ(this->CountOld(1), std::int64_t{ 3 * Chunk });
}

TEST_F(StaleSlotTest, TouchesNothingOfAnothersSlot)
{
  this->MakeStale({ Chunk, Chunk });
  const ImageSlot slot = this->Slot();
  const StaleSlot stale(slot, this->Image.Stale);
  this->RaiseGeneration(1, Generation + 1);
  TextOf(Fault::PeerLost, [&] { stale.Clear(1, { 0, 8 }); });
  EXPECT_EQ(this->CountOld(1), std::int64_t{ Chunk });
}

TEST_F(StaleSlotTest, PutsZerosIfNotAllHostsAreMapped)
{
  this->MakeStale({ Chunk + 8, Chunk });
  this->Route->IsMapped[1] = false;
  const ImageSlot slot = this->Slot();
  StaleSlot stale(slot, this->Image.Stale);
  EXPECT_FALSE(stale.MayConcern(0, 0)) << "its table cannot be shared";
  stale.PutZeros();
  EXPECT_EQ(this->CountOld(0), 0);
  EXPECT_EQ(this->CountOld(1), 0);
}

TEST_F(StaleSlotTest, ForgetsWhatAnotherHasCleared)
{
  this->MakeStale({ Chunk, Chunk });
  const ImageSlot slot = this->Slot();
  StaleSlot stale(slot, this->Image.Stale);
  stale.Forget();
  EXPECT_FALSE(stale.MayConcern(0, 0));
  stale.Clear(0, { 0, 8 });
  EXPECT_EQ(this->CountOld(0), std::int64_t{ Chunk });
}

}
