// SPDX-License-Identifier: BSD-3-Clause
// What a host does with orders of another process: good ones are carried out, bad ones are refused
// and touch nothing.
#include "TestRanks.h"

#include "Base/Error.h"
#include "Mpi/Communicator.h"
#include "Mpi/MergedJobs.h"
#include "Transport/Mpi/MessageService.h"
#include "Transport/Mpi/MpiLink.h"
#include "Transport/Mpi/Wire.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

namespace
{

using namespace dsm;

constexpr std::size_t SegmentSize = 64;

/// One rank, which hosts and sends orders to itself.
class MessageOrders : public testing::Test
{
protected:
  void TearDown() override
  {
    while (!this->Link.TryFree())
    {
    }
  }

  void Send(const wire::Operation& operation, const std::vector<wire::Place>& places,
    const std::string& bytes = {})
  {
    std::vector<std::byte> order(
      sizeof operation + places.size() * sizeof(wire::Place) + bytes.size());
    std::byte* next = order.data();
    const auto add = [&next](const void* from, std::size_t size)
    {
      std::memcpy(next, from, size);
      next += size;
    };
    add(&operation, sizeof operation);
    add(places.data(), places.size() * sizeof(wire::Place));
    add(bytes.data(), bytes.size());
    MPI_Request sent = MPI_REQUEST_NULL;
    MPI_Isend(order.data(), static_cast<int>(order.size()), MPI_BYTE, 0, wire::OperationTag,
      this->Link.Ranks().Handle(), &sent);
    for (int done = 0; !done;)
    {
      this->Obey();
      MPI_Test(&sent, &done, MPI_STATUS_IGNORE);
    }
    this->Obey();
  }

  void Obey()
  {
    try
    {
      while (this->Service.Step())
      {
      }
    }
    catch (const Error& error)
    {
      this->Refusal = error.what();
    }
  }

  void ExpectRefused(const wire::Operation& operation, const std::vector<wire::Place>& places,
    const std::string& bytes, const std::string& why)
  {
    this->Refusal.clear();
    this->Send(operation, places, bytes);
    EXPECT_NE(this->Refusal.find(why), std::string::npos) << this->Refusal;
    EXPECT_EQ(std::string(SegmentSize, '.'), this->Segment);
  }

  std::string Segment = std::string(SegmentSize, '.');
  MpiLink Link{ MergedJobs::Alone(Communicator::Duplicate(MPI_COMM_SELF)), 1,
    reinterpret_cast<std::byte*>(this->Segment.data()), SegmentSize, false };
  MessageService Service{ this->Link };
  std::string Refusal;
};

TEST_F(MessageOrders, PiecesGoWhereTheyAreListed)
{
  this->Send({ wire::Kind::PutPieces, 0, 5, 2 }, { { 60, 3 }, { 1, 2 } }, "abcde");
  EXPECT_EQ("", this->Refusal);
  EXPECT_EQ("de", this->Segment.substr(1, 2));
  EXPECT_EQ("abc.", this->Segment.substr(60));
}

TEST_F(MessageOrders, ListsThatMakeNoSenseAreRefusedAsAWhole)
{
  const std::vector<wire::Place> good{ { 0, 3 }, { 8, 2 } };
  const std::string other = "does not list them";
  const std::string sizes = "for 2 pieces of";
  // More pieces, or bytes, than there are; sizes that do not add up; beyond the segment's end.
  this->ExpectRefused({ wire::Kind::PutPieces, 0, 5, 3 }, good, "abcde", "bytes for 3 pieces");
  this->ExpectRefused({ wire::Kind::PutPieces, 0, 6, 2 }, good, "abcde", sizes);
  this->ExpectRefused({ wire::Kind::PutPieces, 0, UINT64_MAX, 2 }, good, "abcde", sizes);
  this->ExpectRefused({ wire::Kind::PutPieces, 0, 5, UINT64_C(1) << 60 }, good, "abcde", "pieces");
  this->ExpectRefused({ wire::Kind::PutPieces, 0, 5, 2 }, { { 0, 3 }, { 8, 1 } }, "abcde", other);
  this->ExpectRefused({ wire::Kind::PutPieces, 0, 5, 2 }, { { 0, 3 }, { 63, 2 } }, "abcde",
    "asked for 2 bytes at 63");
  this->ExpectRefused({ wire::Kind::PutPieces, 0, 5, 2 }, { { 0, 3 }, { UINT64_MAX, 2 } }, "abcde",
    "of a segment of 64 bytes");
  this->ExpectRefused({ wire::Kind::GetPieces, 0, 5, 3 }, good, "", other);
  this->ExpectRefused({ wire::Kind::GetPieces, 0, 4, 2 }, good, "", other);
  this->ExpectRefused(
    { wire::Kind::GetPieces, 0, 70, 2 }, { { 0, 60 }, { 60, 10 } }, "", "asked for 10 bytes at 60");
  this->ExpectRefused({ static_cast<wire::Kind>(99), 0, 0, 0 }, {}, "", "an order nobody knows");
}

}
