// SPDX-License-Identifier: BSD-3-Clause
// How the pieces of a transfer get to the hosts: what is chosen for which, and the words for it.
#include "Base/Error.h"
#include "ControlFixture.h"
#include "Driver/TransferMode.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace
{

using namespace dsm;
using dsm::testing::Contains;
using dsm::testing::TextOf;

FirstPieces Pieces(
  std::uint64_t count, std::uint64_t size, std::uint64_t stride, std::uint64_t begin = 0)
{
  FirstPieces pieces;
  for (std::uint64_t i = 0; i < count; ++i)
  {
    pieces.Add(FileOffset(begin + i * stride), size);
  }
  return pieces;
}

// As PieceTransfer adds up what ranks have seen.
AllFirstPieces Ranks(const std::vector<FirstPieces>& ranks)
{
  AllFirstPieces all;
  for (const FirstPieces& one : ranks)
  {
    all.Together.Count += one.Count;
    all.Together.Bytes += one.Bytes;
    all.Together.Begin = std::min(all.Together.Begin, one.Begin);
    all.Together.End = std::max(all.Together.End, one.End);
    all.Spans += one.Count > 0 ? one.End - one.Begin : 0;
  }
  return all;
}

TEST(TransferMode, FirstPiecesSayHowManyAndWhere)
{
  const FirstPieces pieces = Pieces(10, 8, 48, 1000);
  EXPECT_EQ(10u, pieces.Count);
  EXPECT_EQ(80u, pieces.Bytes);
  EXPECT_EQ(1000u, pieces.Begin);
  EXPECT_EQ(1000u + 9 * 48 + 8, pieces.End);
}

TEST(TransferMode, OneRankAloneSendsSmallPiecesTogether)
{
  EXPECT_EQ(TransferMode::Datatype, ChooseAlone(Pieces(256, 8, 48), false));
  EXPECT_EQ(TransferMode::Datatype, ChooseAlone(Pieces(2, 4096, 8192), false));
  EXPECT_EQ(TransferMode::Independent, ChooseAlone(Pieces(1, 8, 8), false));
  EXPECT_EQ(TransferMode::Independent, ChooseAlone(Pieces(256, 1 << 20, 2 << 20), false));
  EXPECT_EQ(TransferMode::Independent, ChooseAlone({}, false));
}

TEST(TransferMode, MappedMemoryIsCopiedTo)
{
  EXPECT_EQ(TransferMode::Independent, ChooseAlone(Pieces(256, 8, 48), true));
}

// A column for each rank of a tall array.
TEST(TransferMode, InterleavedSmallPiecesAreExchanged)
{
  for (const std::uint64_t ranks : { 2, 3, 6, 100 })
  {
    std::vector<FirstPieces> all;
    for (std::uint64_t rank = 0; rank < ranks; ++rank)
    {
      all.push_back(Pieces(256, 8, 8 * ranks, 8 * rank));
    }
    EXPECT_EQ(TransferMode::Collective, ChooseTogether(Ranks(all))) << ranks;
    // Others take part without a piece.
    all.resize(2 * ranks);
    EXPECT_EQ(TransferMode::Collective, ChooseTogether(Ranks(all))) << ranks;
  }
}

TEST(TransferMode, WhatLiesSideBySideIsNotExchanged)
{
  // Each rank has a part of the file for itself, with holes in it.
  EXPECT_EQ(TransferMode::Datatype,
    ChooseTogether(Ranks({ Pieces(256, 8, 48), Pieces(256, 8, 48, 256 * 48) })));
  // Nothing to write, one contiguous piece each, one rank alone.
  EXPECT_EQ(TransferMode::Independent, ChooseTogether(Ranks({ {}, {} })));
  EXPECT_EQ(TransferMode::Independent,
    ChooseTogether(Ranks({ Pieces(1, 1 << 20, 0), Pieces(1, 1 << 20, 0, 1 << 20) })));
  EXPECT_EQ(TransferMode::Datatype, ChooseTogether(Ranks({ Pieces(256, 8, 48), {} })));
}

TEST(TransferMode, FewOrLargePiecesAreNotExchanged)
{
  EXPECT_EQ(
    TransferMode::Datatype, ChooseTogether(Ranks({ Pieces(4, 8, 16), Pieces(4, 8, 16, 8) })));
  const std::uint64_t size = 1 << 16;
  EXPECT_EQ(TransferMode::Independent,
    ChooseTogether(Ranks({ Pieces(256, size, 2 * size), Pieces(256, size, 2 * size, size) })));
}

TEST(TransferMode, HasWords)
{
  for (const char* word : { "auto", "independent", "datatype", "collective" })
  {
    EXPECT_STREQ(word, TransferModeText(TransferModeFromText(word, "x")));
  }
  const std::string text =
    TextOf(Fault::Usage, [] { TransferModeFromText("fast", "DSM_TRANSFER"); });
  EXPECT_TRUE(Contains(text, "DSM_TRANSFER is \"fast\"")) << text;
  EXPECT_TRUE(Contains(text, "\"collective\"")) << text;
}

TEST(TransferMode, ComesFromTheEnvironment)
{
  unsetenv("DSM_TRANSFER");
  EXPECT_EQ(TransferMode::Automatic, TransferModeFromEnvironment());
  setenv("DSM_TRANSFER", "datatype", 1);
  EXPECT_EQ(TransferMode::Datatype, TransferModeFromEnvironment());
  setenv("DSM_TRANSFER", "Datatype", 1);
  EXPECT_THROW(TransferModeFromEnvironment(), Error);
  unsetenv("DSM_TRANSFER");
}

}
