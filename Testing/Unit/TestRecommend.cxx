// SPDX-License-Identifier: BSD-3-Clause
// What dsm_bench recommends for rows whose best choice is known.
#include "../Benchmark/dsm_bench/Recommend.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace
{

using bench::Outcome;

constexpr std::uint64_t KiB = 1024;

// One cell, of 100 MB, that was written and read at these MB/s.
Outcome Row(const std::string& strategy, std::uint64_t block, const std::string& transport,
  int datasets, double writing, double reading)
{
  Outcome row;
  row.What.Strategy = strategy;
  row.What.BlockSize = block;
  row.What.Transport = transport;
  row.What.Datasets = datasets;
  row.Bytes = 100'000'000;
  row.Write.Driver.Seconds = { 100 / writing };
  row.Read.Driver.Seconds = { 100 / reading };
  return row;
}

std::string Chosen(const std::vector<Outcome>& rows)
{
  const auto found = bench::Recommend(rows);
  return found
    ? found->Strategy + "/" + std::to_string(found->BlockSize / KiB) + "/" + found->Transport
    : "nothing";
}

TEST(Recommend, TheTransportThatIsFastestWins)
{
  std::vector<Outcome> rows;
  for (const char* strategy : { "contiguous", "block cyclic" })
  {
    rows.push_back(Row(strategy, 64 * KiB, "fabric", 1, 90, 80));
    rows.push_back(Row(strategy, 64 * KiB, "mpi-rma", 1, 140, 80));
    rows.push_back(Row(strategy, 64 * KiB, "mpi-messages", 1, 100, 90));
  }
  rows.push_back(Row("block cyclic", 1024 * KiB, "mpi-rma", 1, 150, 95));
  EXPECT_EQ(Chosen(rows), "block cyclic/1024/mpi-rma");
  rows.push_back(Row("random block", 256 * KiB, "mpi-messages", 1, 160, 110));
  EXPECT_EQ(Chosen(rows), "random block/256/mpi-messages");
}

// The best in one situation may be bad in another: all count, and by ratios, so that the fast ones
// do not decide alone.
TEST(Recommend, AllSituationsCountAlike)
{
  const std::vector<Outcome> rows{
    Row("contiguous", 0, "fabric", 1, 1000, 1000),
    Row("block cyclic", 64 * KiB, "fabric", 1, 900, 900),
    Row("contiguous", 0, "fabric", 10, 10, 10),
    Row("block cyclic", 64 * KiB, "fabric", 10, 50, 50),
  };
  EXPECT_EQ(Chosen(rows), "block cyclic/64/fabric");
  const auto found = bench::Recommend(rows);
  EXPECT_EQ(found->Situations, 4);
  EXPECT_NEAR(found->Score, std::sqrt(0.9), 1e-9);
}

TEST(Recommend, ReadingCountsAsWritingDoes)
{
  EXPECT_EQ(Chosen({ Row("block cyclic", 64 * KiB, "fabric", 10, 82, 58),
              Row("block cyclic", 1024 * KiB, "fabric", 10, 70, 90) }),
    "block cyclic/1024/fabric");
}

TEST(Recommend, WhatCouldNotBeMeasuredEverywhereDoesNotWin)
{
  Outcome failed = Row("block cyclic", 64 * KiB, "mpi-rma", 10, 500, 500);
  failed.Trouble = "the hosts cannot be joined over MPI";
  EXPECT_EQ(Chosen({ Row("block cyclic", 64 * KiB, "fabric", 1, 50, 50),
              Row("block cyclic", 64 * KiB, "fabric", 10, 50, 50),
              Row("block cyclic", 64 * KiB, "mpi-rma", 1, 500, 500), failed }),
    "block cyclic/64/fabric");
  EXPECT_EQ(Chosen({ failed }), "nothing");
}

TEST(Recommend, TheFirstOfEqualsWins)
{
  EXPECT_EQ(Chosen({ Row("block cyclic", 1024 * KiB, "automatic", 1, 100, 100),
              Row("block cyclic", 64 * KiB, "fabric", 1, 102, 103) }),
    "block cyclic/1024/automatic");
}

}
