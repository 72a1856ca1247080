// SPDX-License-Identifier: BSD-3-Clause
// Ranks exchange pieces before they are moved: with a file that each rank has for itself, so that
// what arrives where can be looked at, and anything can go wrong.
#include "../PlainFile.h"
#include "Driver/ReadExchange.h"
#include "Driver/WriteExchange.h"
#include "Mpi/Agreement.h"
#include "TestRanks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

namespace
{

using namespace dsm;

/// The bytes of a file in this rank's memory.
class LocalFile : public PlainFile
{
public:
  explicit LocalFile(std::uint64_t size)
    : Bytes(size, std::byte(0))
    , Map(Parameters(size))
  {
  }

  std::uint64_t InitialEnd() const override { return 0; }
  std::uint64_t Capacity() const override { return this->Map.Capacity(); }
  void Read(FileOffset address, void* destination, std::uint64_t size) override
  {
    this->Count(address, size);
    std::memcpy(destination, this->Bytes.data() + address, size);
  }
  void Write(FileOffset address, const void* source, std::uint64_t size) override
  {
    this->Count(address, size);
    std::memcpy(this->Bytes.data() + address, source, size);
  }
  const AddressMap* Mapping() const override { return &this->Map; }

  std::vector<std::byte> Bytes;
  std::uint64_t Transfers = 0;
  std::uint64_t Moved = 0;
  bool Fails = false;

private:
  static MapParameters Parameters(std::uint64_t size)
  {
    MapParameters parameters;
    parameters.Hosts = 2;
    parameters.HostCapacity = size;
    parameters.BlockSize = 64 << 10;
    return parameters;
  }

  void Count(std::uint64_t address, std::uint64_t size)
  {
    ASSERT_LE(address + size, this->Bytes.size());
    ++this->Transfers;
    this->Moved += size;
    if (this->Fails)
    {
      throw Error(Fault::PeerLost, "this rank reaches no host");
    }
  }

  AddressMap Map;
};

struct Piece
{
  std::uint64_t Address = 0;
  std::uint64_t Size = 0;
};

class PieceExchanges : public testing::Test
{
protected:
  std::byte ByteAt(std::uint64_t address) const
  {
    return static_cast<std::byte>((address * 2654435761U) >> 7 | 1);
  }

  enum class Order
  {
    Rising,
    Shuffled,
    Stretches ///< rising, but for some stretches
  };
  static constexpr std::array Orders{ Order::Rising, Order::Shuffled, Order::Stretches };

  // The pieces of each rank, the same on all: what lies in the file is dealt out in pieces of a few
  // sizes, some of it to nobody, and to some ranks more than to others, here these and there those.
  std::vector<std::vector<Piece>> Deal(unsigned seed, Order order) const
  {
    std::mt19937 random(seed);
    std::vector<std::vector<Piece>> dealt(static_cast<std::size_t>(this->Ranks.Size()));
    for (std::uint64_t address = 0; address < Size;)
    {
      const std::uint64_t most = random() % 200 == 0 ? 300000 : random() % 3 == 0 ? 100 : 8;
      const Piece piece{ address, std::min(1 + random() % most, Size - address) };
      const auto rank = random() % (dealt.size() + 1);
      const auto favoured = (address >> 22) % dealt.size();
      if (rank < dealt.size())
      {
        dealt[random() % 2 == 0 ? favoured : rank].push_back(piece);
      }
      address += piece.Size;
    }
    for (auto& pieces : dealt)
    {
      if (order == Order::Shuffled)
      {
        std::shuffle(pieces.begin(), pieces.end(), random);
      }
      for (std::size_t i = 0; order == Order::Stretches && i + 6000 < pieces.size(); i += 20000)
      {
        const auto begin = pieces.begin() + static_cast<std::ptrdiff_t>(i);
        std::shuffle(begin, begin + 6000, random);
      }
    }
    return dealt;
  }

  const std::vector<Piece>& Mine(const std::vector<std::vector<Piece>>& dealt) const
  {
    return dealt[static_cast<std::size_t>(this->Ranks.Rank())];
  }

  void AddAll(WriteExchange& exchange, const std::vector<Piece>& pieces) const
  {
    for (const Piece& piece : pieces)
    {
      // Gone when the call returns.
      std::vector<std::byte> bytes(piece.Size);
      for (std::uint64_t i = 0; i < piece.Size; ++i)
      {
        bytes[i] = this->ByteAt(piece.Address + i);
      }
      exchange.Add(std::vector<PutPiece>{ { piece.Address, bytes.data(), piece.Size } });
    }
  }

  // What all ranks' files have, where one has it.
  std::vector<std::byte> Together(const LocalFile& file) const
  {
    std::vector<std::byte> all(file.Bytes.size());
    MPI_Allreduce(file.Bytes.data(), all.data(), static_cast<int>(all.size()), MPI_BYTE, MPI_BOR,
      this->Ranks.Handle());
    return all;
  }

  std::vector<std::byte> Expected(const std::vector<std::vector<Piece>>& dealt) const
  {
    std::vector<std::byte> expected(Size, std::byte(0));
    for (const auto& pieces : dealt)
    {
      for (const Piece& piece : pieces)
      {
        for (std::uint64_t i = piece.Address; i < piece.Address + piece.Size; ++i)
        {
          expected[i] = this->ByteAt(i);
        }
      }
    }
    return expected;
  }

  // More than one round's.
  static constexpr std::uint64_t Size = UINT64_C(20) << 20;

  const Communicator Ranks = Communicator::Duplicate(testranks::Comm());
};

TEST_F(PieceExchanges, WriteWhatAllHave)
{
  for (const Order order : Orders)
  {
    const auto dealt = this->Deal(1, order);
    LocalFile file(Size);
    WriteExchange exchange(this->Ranks, file);
    this->AddAll(exchange, this->Mine(dealt));
    exchange.Finish();
    EXPECT_TRUE(this->Together(file) == this->Expected(dealt)) << static_cast<int>(order);
  }
}

TEST_F(PieceExchanges, InterleavedPiecesBecomeFewTransfers)
{
  const auto ranks = static_cast<std::uint64_t>(this->Ranks.Size());
  const auto rank = static_cast<std::uint64_t>(this->Ranks.Rank());
  constexpr std::uint64_t rows = 100000;
  LocalFile file(8 * ranks * rows);
  std::vector<std::uint64_t> column(rows);
  {
    WriteExchange exchange(this->Ranks, file);
    for (std::uint64_t row = 0; row < rows; ++row)
    {
      column[row] = row * ranks + rank + 1;
      exchange.Add(std::vector<PutPiece>{
        { 8 * (row * ranks + rank), reinterpret_cast<const std::byte*>(&column[row]), 8 } });
    }
    exchange.Finish();
  }
  const auto all = this->Together(file);
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < ranks * rows; ++i)
  {
    std::uint64_t found = 0;
    std::memcpy(&found, all.data() + 8 * i, 8);
    wrong += found == i + 1 ? 0 : 1;
  }
  EXPECT_EQ(0u, wrong);
  // Blocks of the map, and some more where a round ends.
  EXPECT_LE(this->Ranks.Sum(file.Transfers), 2 * (8 * ranks * rows / (64 << 10) + 1) + 8 * ranks);
}

// Columns are dealt out, so that some ranks have more of a row than others, and fill a round with
// fewer rows.
TEST_F(PieceExchanges, UnequalSharesBecomeFewTransfers)
{
  const auto ranks = static_cast<std::uint64_t>(this->Ranks.Size());
  const auto rank = static_cast<std::uint64_t>(this->Ranks.Rank());
  const std::uint64_t columns = ranks + 2;
  constexpr std::uint64_t rows = 150000;
  // Blocks of the map, and some more where a round ends.
  const std::uint64_t few = 2 * (8 * columns * rows / (64 << 10) + 1) + 64 * ranks;
  LocalFile file(8 * columns * rows);
  std::vector<std::uint64_t> numbers(columns * rows); // those of this rank's columns
  {
    WriteExchange exchange(this->Ranks, file);
    for (std::uint64_t row = 0; row < rows; ++row)
    {
      for (std::uint64_t column = rank; column < columns; column += ranks)
      {
        const std::uint64_t place = row * columns + column;
        numbers[place] = place + 1;
        exchange.Add(std::vector<PutPiece>{
          { 8 * place, reinterpret_cast<const std::byte*>(&numbers[place]), 8 } });
      }
    }
    exchange.Finish();
  }
  EXPECT_LE(this->Ranks.Sum(file.Transfers), few);
  file.Bytes = this->Together(file);
  file.Transfers = 0;
  std::vector<std::uint64_t> found(columns * rows);
  {
    ReadExchange exchange(this->Ranks, file);
    for (std::uint64_t place = 0; place < columns * rows; ++place)
    {
      if (place % columns % ranks == rank)
      {
        exchange.Add(
          std::vector<GetPiece>{ { 8 * place, reinterpret_cast<std::byte*>(&found[place]), 8 } });
      }
    }
    exchange.Finish();
  }
  EXPECT_LE(this->Ranks.Sum(file.Transfers), few);
  EXPECT_TRUE(numbers == found);
}

TEST_F(PieceExchanges, ReadWhatAllWant)
{
  for (const Order order : Orders)
  {
    const auto dealt = this->Deal(3, order);
    LocalFile file(Size);
    file.Bytes = this->Expected(dealt);
    std::vector<std::byte> found(Size, std::byte(0));
    ReadExchange exchange(this->Ranks, file);
    for (const Piece& piece : this->Mine(dealt))
    {
      exchange.Add(
        std::vector<GetPiece>{ { piece.Address, found.data() + piece.Address, piece.Size } });
    }
    exchange.Finish();
    std::vector<std::vector<Piece>> mine{ this->Mine(dealt) };
    EXPECT_TRUE(found == this->Expected(mine)) << static_cast<int>(order);
    EXPECT_LE(this->Ranks.Sum(file.Moved), Size) << "no byte twice, and none that nobody wants";
  }
}

TEST_F(PieceExchanges, FetchOnceWhatManyRead)
{
  LocalFile file(1 << 20);
  std::fill(file.Bytes.begin(), file.Bytes.end(), std::byte(7));
  std::vector<std::byte> found(1 << 20);
  ReadExchange exchange(this->Ranks, file);
  exchange.Add(
    std::vector<GetPiece>{ { 0, found.data(), 1000 }, { 500, found.data() + 1000, 1000 } });
  exchange.Finish();
  EXPECT_EQ(2000, std::count(found.begin(), found.end(), std::byte(7)));
  EXPECT_EQ(1500u, this->Ranks.Sum(file.Moved));
}

// Nobody waits for a rank that cannot go on: it is in all rounds that others still have.
TEST_F(PieceExchanges, ARankThatCannotWriteHoldsNobodyUp)
{
  const auto dealt = this->Deal(5, Order::Rising);
  const int last = this->Ranks.Size() - 1;
  LocalFile file(Size);
  file.Fails = this->Ranks.Rank() == last;
  WriteExchange exchange(this->Ranks, file);
  this->AddAll(exchange, this->Mine(dealt));
  if (file.Fails)
  {
    EXPECT_THROW(exchange.Finish(), Error);
  }
  else
  {
    EXPECT_NO_THROW(exchange.Finish());
  }
}

TEST_F(PieceExchanges, ARankThatGivesUpHoldsNobodyUp)
{
  const auto dealt = this->Deal(6, Order::Rising);
  const bool givesUp = this->Ranks.Rank() == this->Ranks.Size() - 1;
  LocalFile file(Size);
  WriteExchange exchange(this->Ranks, file);
  this->AddAll(exchange, givesUp ? std::vector<Piece>() : this->Mine(dealt));
  if (givesUp)
  {
    EXPECT_THROW(exchange.Finish(std::make_exception_ptr(Error(Fault::System, "mine"))), Error);
  }
  else
  {
    EXPECT_NO_THROW(exchange.Finish());
  }
}

TEST_F(PieceExchanges, WhatOneCannotReadAllHearOf)
{
  LocalFile file(Size);
  file.Fails = this->Ranks.Rank() == this->Ranks.Size() - 1;
  std::vector<std::byte> found(Size);
  ReadExchange exchange(this->Ranks, file);
  exchange.Add(std::vector<GetPiece>{ { 0, found.data(), Size } });
  try
  {
    exchange.Finish();
    ADD_FAILURE() << "it was read";
  }
  catch (const AgreedError& error)
  {
    EXPECT_NE(std::string::npos, std::string(error.what()).find("reaches no host")) << error.what();
  }
}

}
