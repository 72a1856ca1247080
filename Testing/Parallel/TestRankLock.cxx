// SPDX-License-Identifier: BSD-3-Clause
// The lock of ranks: who writes is alone, readers are together, and a wait ends.
#include "TestRanks.h"

#include "Base/Deadline.h"
#include "Base/Error.h"
#include "Mpi/RankLock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace
{

using namespace dsm;

class RankLocks : public testing::TestWithParam<RankLock::Way>
{
protected:
  // Two numbers that all ranks see; they are all on this machine.
  struct Numbers
  {
    std::atomic<long> One;
    std::atomic<long> Other;
    std::atomic<long> Inside; ///< ranks that read
    std::atomic<long> Most;
  };

  void SetUp() override
  {
    void* mine = nullptr;
    MPI_Win_allocate_shared(this->Comm.Rank() == 0 ? sizeof(Numbers) : 0, 1, MPI_INFO_NULL,
      this->Comm.Handle(), static_cast<void*>(&mine), &this->Window);
    MPI_Aint size = 0;
    int unit = 0;
    MPI_Win_shared_query(this->Window, 0, &size, &unit, static_cast<void*>(&mine));
    this->Shared = static_cast<Numbers*>(mine);
    if (this->Comm.Rank() == 0)
    {
      new (this->Shared) Numbers{};
    }
    this->Comm.Barrier();
  }
  void TearDown() override { MPI_Win_free(&this->Window); }

  const Communicator Comm = Communicator::Duplicate(testranks::Comm());
  MPI_Win Window = MPI_WIN_NULL;
  Numbers* Shared = nullptr;
};

TEST_P(RankLocks, WritersAreAloneAndReadersSeeAllOrNothing)
{
  constexpr long Times = 200;
  RankLock lock(this->Comm, this->GetParam());
  EXPECT_STREQ(this->GetParam() == RankLock::Way::Messages ? "MPI" : "shared memory", lock.Where());
  long torn = 0;
  for (long i = 0; i < Times; ++i)
  {
    lock.Lock(true, Seconds(30));
    // No atomic additions: who is not alone loses some.
    this->Shared->One = this->Shared->One + 1;
    std::this_thread::yield();
    this->Shared->Other = this->Shared->Other + 1;
    lock.Unlock(true);
    lock.Lock(false, Seconds(30));
    const long one = this->Shared->One;
    std::this_thread::yield();
    torn += one != this->Shared->Other ? 1 : 0;
    lock.Unlock(false);
  }
  this->Comm.Barrier();
  EXPECT_EQ(0, torn);
  EXPECT_EQ(Times * this->Comm.Size(), this->Shared->One);
  EXPECT_EQ(Times * this->Comm.Size(), this->Shared->Other);
  lock.Free();
}

TEST_P(RankLocks, ReadersAreTogether)
{
  RankLock lock(this->Comm, this->GetParam());
  lock.Lock(false, Seconds(30));
  ++this->Shared->Inside;
  // Nobody leaves before all are here. Meanwhile MPI serves those who still come.
  const Deadline deadline{ Seconds(30) };
  while (this->Shared->Inside < this->Comm.Size() && !deadline.Expired())
  {
    int waiting = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, this->Comm.Handle(), &waiting, MPI_STATUS_IGNORE);
    std::this_thread::yield();
  }
  EXPECT_EQ(this->Comm.Size(), this->Shared->Inside);
  this->Comm.Barrier();
  lock.Unlock(false);
  lock.Free();
}

TEST_P(RankLocks, AWaitEnds)
{
  if (this->Comm.Size() == 1)
  {
    GTEST_SKIP() << "nobody to wait for";
  }
  RankLock lock(this->Comm, this->GetParam());
  const int last = this->Comm.Size() - 1;
  if (this->Comm.Rank() == last)
  {
    lock.Lock(true, Seconds(30));
  }
  this->Comm.Barrier();
  if (this->Comm.Rank() == 0)
  {
    try
    {
      lock.Lock(false, Seconds(0.2));
      ADD_FAILURE() << "somebody else has it";
    }
    catch (const Error& error)
    {
      EXPECT_EQ(Fault::TimedOut, error.GetFault());
      EXPECT_NE(std::string::npos, std::string(error.what()).find("atomic mode")) << error.what();
    }
  }
  this->Comm.Barrier();
  lock.Free();
}

INSTANTIATE_TEST_SUITE_P(Both, RankLocks,
  testing::Values(RankLock::Way::Automatic, RankLock::Way::Messages), [](const auto& info)
  { return info.param == RankLock::Way::Automatic ? "SharedMemory" : "Messages"; });

}
