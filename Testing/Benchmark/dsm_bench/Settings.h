// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Cell.h"

#include <cstdint>
#include <string>
#include <vector>

namespace CLI
{
class App;
}

namespace bench
{

/// The command line. Every list multiplies the cells.
struct Settings
{
  std::vector<int> Hosts{ 1 };
  std::vector<int> Writers{ 1 };
  std::vector<int> Datasets{ 1 };
  std::vector<std::uint64_t> Sizes{ UINT64_C(64) << 20 };
  std::vector<std::string> Strategies{ "block cyclic" };
  std::vector<std::uint64_t> BlockSizes{ 0 };
  std::vector<std::string> Transports{ "automatic" };
  std::vector<std::string> Modes{ "collective" };
  std::uint64_t BlocksPerCycle = 0;
  std::uint64_t Seed = 0;
  int Rounds = 5;
  int WarmUps = 2;
  std::uint64_t MemoryPerHost = 0; ///< 0: four files; see Fit
  bool Fit = false;                ///< exactly one file, as in the paper
  bool NoNodeMemory = false;
  bool WriteOnly = false;
  bool Unchecked = false;
  bool Acquaint = false;
  bool NoBaselines = false;
  double LinkRate = 0; ///< bits per second
  std::string ScratchFolder = "/dev/shm";
  std::string ContactFolder = ".";
  std::string Csv;
  bool Recommend = false;
  std::string RecommendTo; ///< empty: where servers look
  bool Puts = false;       ///< measure single puts and gets instead of files
  std::vector<std::uint64_t> PutSizes;
  double PutSeconds = 0.2;

  /// All options of the program.
  void Declare(CLI::App& app);

  /// After parsing: what --recommend measures when nothing else was said, and the default sizes.
  void Complete(const CLI::App& app);

  /// All combinations, those that need the same server next to each other. Strategies without
  /// blocks appear once for all block sizes.
  std::vector<Cell> Cells() const;

  /// Whether hosts on a writer's node are reached by the memory that they share, as in use. A
  /// transport that is named is measured: it carries everything.
  bool OverNodeMemory(const std::string& transport) const;

  /// l for a cell.
  std::uint64_t MemoryFor(const Cell& cell) const;

  int MostHosts() const { return *std::max_element(this->Hosts.begin(), this->Hosts.end()); }
  int MostWriters() const { return *std::max_element(this->Writers.begin(), this->Writers.end()); }
};

/// False for strategies that ignore the block size.
bool HasBlocks(const std::string& strategy);

}
