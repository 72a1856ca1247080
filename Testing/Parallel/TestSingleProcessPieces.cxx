// SPDX-License-Identifier: BSD-3-Clause
// How many operations a transfer by one process takes: with a file that each rank has for itself,
// so that they can be counted.
#include "../PlainFile.h"
#include "Driver/SingleProcess.h"
#include "TestRanks.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <vector>

namespace
{

using namespace dsm;

constexpr std::uint64_t Pieces = 20000;
constexpr std::uint64_t PieceSize = 8;
constexpr std::uint64_t Apart = 24; ///< from one to the next

/// Bytes in this rank's memory that are not mapped, as those of hosts elsewhere.
class CountingFile : public PlainFile
{
public:
  std::uint64_t InitialEnd() const override { return this->Bytes.size(); }
  std::uint64_t Capacity() const override { return this->Bytes.size(); }
  const AddressMap* Mapping() const override { return &this->Map; }
  bool IsMapped() const override { return false; }
  void Read(FileOffset address, void* destination, std::uint64_t size) override
  {
    ++this->Single;
    std::memcpy(destination, this->Bytes.data() + address, size);
  }
  void Write(FileOffset address, const void* source, std::uint64_t size) override
  {
    ++this->Single;
    std::memcpy(this->Bytes.data() + address, source, size);
  }
  void ReadPieces(std::span<const GetPiece> pieces, bool together) override
  {
    this->Note(pieces.size(), together);
    for (const GetPiece& piece : pieces)
    {
      std::memcpy(piece.Memory, this->Bytes.data() + piece.Place, piece.Size);
    }
  }
  void WritePieces(std::span<const PutPiece> pieces, bool together) override
  {
    this->Note(pieces.size(), together);
    for (const PutPiece& piece : pieces)
    {
      std::memcpy(this->Bytes.data() + piece.Place, piece.Memory, piece.Size);
    }
  }

  std::vector<std::byte> Bytes{ Pieces * Apart };
  std::uint64_t Single = 0;   ///< operations of one piece
  std::uint64_t Together = 0; ///< of many
  std::uint64_t Moved = 0;    ///< pieces in these

private:
  void Note(std::size_t pieces, bool together)
  {
    this->Single += together ? 0 : pieces;
    this->Together += together ? 1 : 0;
    this->Moved += together ? pieces : 0;
  }

  static MapParameters Parameters()
  {
    MapParameters parameters;
    parameters.HostCapacity = Pieces * Apart;
    parameters.BlockSize = 64 << 10;
    return parameters;
  }

  AddressMap Map{ Parameters() };
};

class SingleProcessPieces : public testing::Test
{
protected:
  SingleProcessPieces()
  {
    this->Opened.Shared = Communicator::Duplicate(testranks::Comm());
    this->Opened.Parallel = true;
    this->Opened.Name = "counted.h5";
    auto file = std::make_unique<CountingFile>();
    this->File = file.get();
    this->Opened.File = std::move(file);
  }

  /// All pieces, of a buffer that has them one after the other.
  template <typename Byte>
  static SingleProcess::Pieces<Byte> All(Byte* buffer)
  {
    return [buffer](const auto& visit)
    {
      for (std::uint64_t i = 0; i < Pieces; ++i)
      {
        visit(i * Apart, buffer + i * PieceSize, PieceSize);
      }
    };
  }

  static std::vector<std::byte> Values(int rank)
  {
    std::vector<std::byte> values(Pieces * PieceSize);
    for (std::size_t i = 0; i < values.size(); ++i)
    {
      values[i] = static_cast<std::byte>(i * 7 + i / PieceSize + static_cast<std::size_t>(rank));
    }
    return values;
  }

  /// Rank 0 has moved all of them in a few operations, the others none.
  void ExpectFewOperations() const
  {
    const bool moves = this->Opened.Shared.Rank() == 0;
    EXPECT_EQ(0u, this->File->Single);
    EXPECT_EQ(moves ? Pieces : 0, this->File->Moved);
    EXPECT_LE(this->File->Together, 10u);
  }

  OpenMemoryFile Opened;
  CountingFile* File = nullptr;
};

TEST_F(SingleProcessPieces, AreReadTogether)
{
  // Only rank 0's file has something.
  const auto values = Values(0);
  for (std::uint64_t i = 0; i < Pieces && this->Opened.Shared.Rank() == 0; ++i)
  {
    std::memcpy(&this->File->Bytes[i * Apart], &values[i * PieceSize], PieceSize);
  }
  std::vector<std::byte> found(values.size());
  EXPECT_TRUE(SingleProcess::Read(
    this->Opened, H5P_DATASET_XFER_DEFAULT, SingleProcess::Check::Required, All(found.data())));
  EXPECT_TRUE(found == values);
  this->ExpectFewOperations();
}

TEST_F(SingleProcessPieces, AreWrittenTogether)
{
  const auto values = Values(this->Opened.Shared.Rank());
  EXPECT_TRUE(SingleProcess::Write(
    this->Opened, H5P_DATASET_XFER_DEFAULT, SingleProcess::Check::Required, All(values.data())));
  this->ExpectFewOperations();
  std::vector<std::byte> expected(this->File->Bytes.size());
  for (std::uint64_t i = 0; i < Pieces && this->Opened.Shared.Rank() == 0; ++i)
  {
    std::memcpy(&expected[i * Apart], &values[i * PieceSize], PieceSize);
  }
  EXPECT_TRUE(this->File->Bytes == expected);
}

/// Of metadata that never changes, this rank reads what lies beside a piece as well.
class ReadOnlyCountingFile : public CountingFile
{
public:
  bool IsReadOnly() const override { return true; }
};

TEST_F(SingleProcessPieces, MetadataIsReadWithItsNeighbours)
{
  for (const bool readOnly : { false, true })
  {
    SCOPED_TRACE(readOnly);
    OpenMemoryFile opened;
    std::unique_ptr<CountingFile> file =
      readOnly ? std::make_unique<ReadOnlyCountingFile>() : std::make_unique<CountingFile>();
    for (std::size_t i = 0; i < file->Bytes.size(); ++i)
    {
      file->Bytes[i] = static_cast<std::byte>(i * 31 + i / 251);
    }
    const CountingFile& counted = *file;
    opened.File = std::move(file);
    bool same = true;
    for (std::uint64_t i = 0; i < Pieces; ++i)
    {
      std::array<std::byte, PieceSize> found{};
      opened.ReadMetadata(FileOffset(i * Apart), found.data(), PieceSize);
      same = same && std::memcmp(found.data(), &counted.Bytes[i * Apart], PieceSize) == 0;
    }
    EXPECT_TRUE(same);
    EXPECT_EQ(readOnly, counted.Single <= 10) << counted.Single;
  }
}

}
