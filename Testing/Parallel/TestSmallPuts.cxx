// SPDX-License-Identifier: BSD-3-Clause
// Small puts over mpi-rma: how many MPI has under way. MPI_Put and MPI_Win_flush are counted here,
// by MPI's profiling interface.
//
// Usage: dsmSmallPutsTests HOSTS
#include "SessionFixture.h"

#include "Transport/ChooseTransport.h"

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>

namespace
{

std::uint64_t UnderWay = 0; // since the last flush
std::uint64_t Most = 0;

}

extern "C" int MPI_Put(const void* origin, int originCount, MPI_Datatype originType, int target,
  MPI_Aint displacement, int targetCount, MPI_Datatype targetType, MPI_Win window)
{
  Most = std::max(Most, ++UnderWay);
  return PMPI_Put(
    origin, originCount, originType, target, displacement, targetCount, targetType, window);
}

extern "C" int MPI_Win_flush(int target, MPI_Win window)
{
  UnderWay = 0;
  return PMPI_Win_flush(target, window);
}

namespace
{

using sessiontests::ByteAt;
using namespace dsm;

using SmallPuts = sessiontests::Session;

TEST_F(SmallPuts, AreNotAllUnderWayAtOnce)
{
  constexpr std::uint64_t puts = 5000;
  constexpr std::uint64_t piece = 8;
  this->Options.Transport = TransportFromText("mpi-rma");
  this->Options.Transport.NodeMemory = false;
  const std::string name = this->Folder + "/small.h5";
  const auto writers = static_cast<std::uint64_t>(this->World->Size() - 1);
  const std::uint64_t size = puts * writers * piece;
  this->Couple(
    [&](LocalServer& server)
    {
      this->World->Barrier(); // written
      const SnapshotView view(server.GetConnection(), name);
      ExpectContents(view, size, 1);
    },
    [&]
    {
      std::vector<std::byte> bytes(size);
      for (std::uint64_t i = 0; i < size; ++i)
      {
        bytes[i] = ByteAt(i, 1);
      }
      auto image = this->Begin(name);
      for (std::uint64_t i = 0; i < puts; ++i)
      {
        const std::uint64_t address =
          (i * writers + static_cast<std::uint64_t>(this->Part->Rank())) * piece;
        image->Write(FileOffset(address), &bytes[address], piece);
      }
      image->Flush();
      image->Seal(size, {});
      this->World->Barrier();
      EXPECT_GT(Most, 1u) << "they are counted";
      EXPECT_LE(Most, 1024u);
    });
}

}
