// SPDX-License-Identifier: BSD-3-Clause
// Bytes that come over MPI when the wait for them has been given up: the caller has other things in
// that memory by then. MPI_Rget can be kept from bringing any until the test says so, by MPI's
// profiling interface.
#include "Base/Error.h"
#include "Memory/Segment.h"
#include "Mpi/Communicator.h"
#include "Mpi/MergedJobs.h"
#include "Transport/Mpi/MessageService.h"
#include "Transport/Mpi/MpiLink.h"
#include "Transport/Mpi/MpiMessages.h"
#include "Transport/Mpi/MpiRma.h"
#include "Transport/Mpi/MpiService.h"

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

namespace
{

/// A get that MPI has been asked for and has not done.
struct LateGet
{
  void* Memory;
  int Size;
  MPI_Request Request;
};

bool KeepsGets = false;
std::vector<LateGet> LateGets;

int QueryNothing(void*, MPI_Status* status)
{
  MPI_Status_set_elements(status, MPI_BYTE, 0);
  MPI_Status_set_cancelled(status, 0);
  return MPI_SUCCESS;
}

int FreeNothing(void*)
{
  return MPI_SUCCESS;
}

int CancelNothing(void*, int)
{
  return MPI_SUCCESS;
}

}

extern "C" int MPI_Rget(void* origin, int originCount, MPI_Datatype originType, int target,
  MPI_Aint displacement, int targetCount, MPI_Datatype targetType, MPI_Win window,
  MPI_Request* request)
{
  if (!KeepsGets)
  {
    return PMPI_Rget(origin, originCount, originType, target, displacement, targetCount, targetType,
      window, request);
  }
  MPI_Grequest_start(QueryNothing, FreeNothing, CancelNothing, nullptr, request);
  LateGets.push_back({ origin, originCount, *request });
  return MPI_SUCCESS;
}

namespace
{

using namespace dsm;

constexpr std::size_t SegmentSize = 2 * Transfers::LargestArrival;

char ByteAt(std::size_t place)
{
  return static_cast<char>('a' + place / 1000 % 26);
}

/// The first rank hosts, the second asks, and gives up before it is answered.
class LateBytes : public testing::Test
{
protected:
  static WaitPolicy Impatient()
  {
    WaitPolicy policy;
    policy.Limit = 0.1;
    return policy;
  }

  // Both ranks: one asks for bytes and gives up, then the other answers.
  void AskInVain(const std::function<void()>& ask)
  {
    if (this->IsHost)
    {
      this->World.Barrier();
      for (int i = 0; i < 10; ++i)
      {
        this->Service.Step();
      }
    }
    else
    {
      ask();
      this->World.Barrier();
    }
    this->World.Barrier();
    EXPECT_EQ(std::string(SegmentSize, '-'), this->Memory);
  }

  void ExpectGivenUp(Transport& transport)
  {
    EXPECT_THROW(transport.Flush(), Error);
    EXPECT_TRUE(this->Link->GivenUp());
  }

  const Communicator World = Communicator::Duplicate(MPI_COMM_WORLD);
  const bool IsHost = World.Rank() == 0;
  std::string Segment = std::string(IsHost ? SegmentSize : 0, '!');
  std::string Memory = std::string(SegmentSize, '-'); ///< the caller's
  std::byte* Place = reinterpret_cast<std::byte*>(this->Memory.data());
  std::shared_ptr<MpiLink> Link = std::make_shared<MpiLink>(MergedJobs::Alone(World), 1,
    reinterpret_cast<std::byte*>(this->Segment.data()), this->Segment.size(), true);
  MessageService Service{ *this->Link };
};

TEST_F(LateBytes, OfAMessageGoNowhere)
{
  MpiMessages transport(this->Link, Impatient());
  this->AskInVain(
    [&]
    {
      transport.Get(0, 0, this->Place, 64);
      this->ExpectGivenUp(transport);
    });
}

TEST_F(LateBytes, OfAListGoNowhere)
{
  MpiMessages transport(this->Link, Impatient());
  this->AskInVain(
    [&]
    {
      const std::vector<GetPiece> pieces{ { 0, this->Place, 8 }, { 16, this->Place + 32, 8 } };
      transport.GetPieces(0, pieces);
      this->ExpectGivenUp(transport);
    });
  if (!this->IsHost)
  {
    this->ExpectGivenUp(transport); // as all that others have had under way
    EXPECT_EQ(std::string(SegmentSize, '-'), this->Memory);
  }
}

TEST_F(LateBytes, OfAWindowGoNowhere)
{
  MpiRma transport(this->Link, Impatient());
  this->AskInVain(
    [&]
    {
      KeepsGets = true;
      transport.Get(0, 0, this->Place, SegmentSize);
      EXPECT_EQ(2u, LateGets.size());
      this->ExpectGivenUp(transport);
      KeepsGets = false;
      for (LateGet& get : LateGets)
      {
        std::memset(get.Memory, '!', static_cast<std::size_t>(get.Size));
        MPI_Grequest_complete(get.Request);
      }
    });
}

TEST_F(LateBytes, AreOthersThanThoseInTime)
{
  if (this->IsHost)
  {
    for (std::size_t i = 0; i < SegmentSize; ++i)
    {
      this->Segment[i] = ByteAt(i);
    }
    this->World.Barrier(); // written
    for (Request read = Request::Barrier(this->World); !read.Done();)
    {
      this->Service.Step();
    }
    return;
  }
  this->World.Barrier();
  MpiRma window(this->Link, {});
  MpiMessages messages(this->Link, {});
  for (Transport* transport : std::initializer_list<Transport*>{ &window, &messages })
  {
    this->Memory.assign(SegmentSize, '-');
    transport->Get(0, 1, this->Place, SegmentSize - 1); // in two pieces
    transport->Flush();
    for (std::size_t i = 0; i + 1 < SegmentSize; ++i)
    {
      ASSERT_EQ(ByteAt(i + 1), this->Memory[i]) << transport->Name() << " at " << i;
    }
  }
  for (Request read = Request::Barrier(this->World); !read.Done();)
  {
  }
}

// A host reads from another, as ParaView does, and gets no answer in time; then both stop.
TEST(HostsOwnWay, IsLeftBehindWhenItWasGivenUp)
{
  const Communicator world = Communicator::Duplicate(MPI_COMM_WORLD);
  const Segment segment = Segment::Create(Segment::PageSize());
  const LentSegment lent{ world, segment.Data(), segment.Size(), 0, segment.Name(),
    { "one node", "another" }, false, "" };
  MpiService service(lent, { "mpi-messages", "", 0, false });
  for (const int asking : { 0, 1 })
  {
    if (world.Rank() == asking)
    {
      setenv("DSM_TIMEOUT", "0.2", 1);
      const auto transport = service.OwnTransports().back();
      unsetenv("DSM_TIMEOUT");
      std::byte byte{};
      transport->Get(HostIndex(static_cast<std::uint64_t>(1 - asking)), 0, &byte, 1);
      EXPECT_THROW(transport->Flush(), Error);
      EXPECT_NO_THROW(service.Step()); // of the thread that serves the others
    }
    world.Barrier();
  }
  service.End();
  EXPECT_NO_THROW(service.Free());
}

}
