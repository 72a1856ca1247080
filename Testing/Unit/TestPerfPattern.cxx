// SPDX-License-Identifier: BSD-3-Clause
#include "Base/Error.h"
#include "Tools/Perf/PerfPattern.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace
{

using dsm::perf::PerfPattern;
using dsm::perf::PerfSettings;

// How often each byte of a dataset is moved by all processes together, as digits.
std::string Moved(const PerfSettings& settings, std::uint64_t transfer, int processes)
{
  std::string digits(settings.BytesPerProcess * static_cast<std::uint64_t>(processes), '.');
  for (int process = 0; process < processes; ++process)
  {
    const PerfPattern pattern(settings, transfer, processes, process);
    EXPECT_EQ(pattern.DatasetSize(), digits.size());
    for (std::uint64_t call = 0; call < pattern.Calls(); ++call)
    {
      const auto blocks = pattern.At(call);
      EXPECT_EQ(blocks.Bytes(), transfer);
      for (std::uint64_t block = 0; block < blocks.Count; ++block)
      {
        for (std::uint64_t byte = 0; byte < blocks.Size; ++byte)
        {
          char& digit = digits.at(blocks.BeginOf(block) + byte);
          digit = digit == '.' ? static_cast<char>('0' + process) : '!';
        }
      }
    }
  }
  return digits;
}

TEST(PerfPattern, MovesEachByteOnce)
{
  PerfSettings settings;
  settings.BytesPerProcess = 8;
  EXPECT_EQ(Moved(settings, 2, 3), "000000001111111122222222");
  settings.Interleaved = true;
  EXPECT_EQ(Moved(settings, 4, 3), "001122001122001122001122");
  settings.Block = 1;
  EXPECT_EQ(Moved(settings, 8, 2), "0101010101010101");
  settings.Block = 4;
  EXPECT_EQ(Moved(settings, 4, 2), "0000111100001111");
}

TEST(PerfSettings, HaveSizesAndProcessesLikeH5perf)
{
  PerfSettings settings;
  settings.BytesPerProcess = 1024;
  EXPECT_EQ(settings.Transfers(), (std::vector<std::uint64_t>{ 512, 1024 }));
  settings.SmallestTransfer = 64;
  settings.LargestTransfer = 300;
  EXPECT_EQ(settings.Transfers(), (std::vector<std::uint64_t>{ 64, 128, 256 }));
  EXPECT_EQ(settings.Processes(6), (std::vector<int>{ 6, 3, 1 }));
  settings.LeastProcesses = 2;
  settings.MostProcesses = 4;
  EXPECT_EQ(settings.Processes(6), (std::vector<int>{ 4, 2 }));
  EXPECT_NO_THROW(settings.Check(6));
}

TEST(PerfSettings, ThatContradictEachOtherAreRefused)
{
  const auto refused = [](const auto& change)
  {
    PerfSettings settings;
    settings.BytesPerProcess = 1024;
    change(settings);
    try
    {
      settings.Check(4);
    }
    catch (const dsm::Error& error)
    {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refused([](auto&) {}), "accepted");
  EXPECT_NE(refused([](auto& s) { s.SmallestTransfer = 300; }).find("no multiple of transfers"),
    std::string::npos);
  EXPECT_NE(
    refused([](auto& s) { s.SmallestTransfer = 2048; }).find("(-x) is larger"), std::string::npos);
  EXPECT_NE(refused(
              [](auto& s)
              {
                s.Interleaved = true;
                s.Block = 100;
              })
              .find("no multiple of blocks"),
    std::string::npos);
  EXPECT_NE(refused([](auto& s) { s.MostProcesses = 5; }).find("has started 4"), std::string::npos);
  EXPECT_NE(
    refused([](auto& s) { s.LeastProcesses = 5; }).find("fewer processes"), std::string::npos);
}

}
