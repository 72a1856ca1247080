// SPDX-License-Identifier: BSD-3-Clause
#include "Settings.h"

#include "Base/Environment.h"
#include "Mapping/Redistribution.h"
#include "Mapping/Strategy.h"
#include "Transport/ChooseTransport.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <functional>

namespace bench
{

namespace
{
constexpr std::uint64_t MiB = UINT64_C(1) << 20;
constexpr std::uint64_t Page = 4096;
// HDF5's own bytes beside the datasets, generously.
constexpr std::uint64_t Metadata = 64 << 10;

// How a number of bytes is read; the second text names what it is of.
using Parser = std::uint64_t (*)(const std::string&, const std::string&);

std::uint64_t Bytes(
  const std::string& text, const char* option, Parser parse = dsm::environment::ParseBytes)
{
  try
  {
    return parse(text, option);
  }
  catch (const std::exception& error)
  {
    throw CLI::ValidationError(error.what());
  }
}

void AddSizes(CLI::App& app, const char* option, std::vector<std::uint64_t>& target,
  const std::string& what, Parser parse = dsm::environment::ParseBytes)
{
  app
    .add_option_function<std::vector<std::string>>(
      option,
      [&target, option, parse](const std::vector<std::string>& texts)
      {
        target.clear();
        for (const auto& text : texts)
        {
          target.push_back(Bytes(text, option, parse));
        }
      },
      what)
    ->delimiter(',');
}

// 100mbit as 1e8, as tc writes it.
double ParseRate(const std::string& text)
{
  std::size_t used = 0;
  const double number = std::stod(text, &used);
  const std::string unit = text.substr(used);
  const double factor = unit == "gbit" ? 1e9 : unit == "mbit" ? 1e6 : unit == "kbit" ? 1e3 : 0;
  if (number <= 0 || factor == 0)
  {
    throw CLI::ValidationError("--link-rate is like 100mbit or 10gbit, not " + text);
  }
  return number * factor;
}

std::vector<std::string> AllStrategies()
{
  std::vector<std::string> names;
  for (const dsm::StrategyKind& kind : dsm::Strategies())
  {
    names.push_back(kind.Name);
  }
  return names;
}
}

bool HasBlocks(const std::string& strategy)
{
  const auto& kinds = dsm::Strategies();
  return std::any_of(kinds.begin(), kinds.end(),
    [&](const dsm::StrategyKind& kind) { return kind.Name == strategy && kind.HasBlocks; });
}

void Settings::Declare(CLI::App& app)
{
  const auto counts = [&app](const char* option, std::vector<int>& target, const char* what)
  {
    app.add_option(option, target, what)
      ->delimiter(',')
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  };
  counts("--hosts", this->Hosts, "hosts that lend memory");
  counts("--writers", this->Writers, "ranks of the simulation");
  counts("--datasets", this->Datasets, "datasets in each file");
  AddSizes(app, "--size", this->Sizes, "all datasets of a file together, such as \"64 MiB\"");
  AddSizes(app, "--block-size", this->BlockSizes, "such as \"64 KiB\", or automatic, the default",
    dsm::ParseBlockSize);
  app
    .add_option_function<std::vector<std::string>>(
      "--strategy", [this](const std::vector<std::string>& given)
      { this->Strategies = given == std::vector<std::string>{ "all" } ? AllStrategies() : given; },
      "such as contiguous,block cyclic; all: each there is")
    ->delimiter(',')
    ->default_str(this->Strategies.front());
  // A choice of two transports holds a comma itself: these are separated by blanks.
  app
    .add_option("--transport", this->Transports,
      "as dsm-serve's, several separated by blanks. One that is named carries all bytes, also "
      "between processes on one node")
    ->capture_default_str();
  app.add_option("--mode", this->Modes, "collective, independent or both")
    ->delimiter(',')
    ->check(CLI::IsMember({ "collective", "independent" }))
    ->capture_default_str();
  app.add_option("--blocks-per-cycle", this->BlocksPerCycle, "0: as many as hosts");
  app.add_option("--seed", this->Seed, "of random blocks");
  app.add_option("--rounds", this->Rounds, "measured rounds")
    ->check(CLI::PositiveNumber)
    ->capture_default_str();
  app.add_option("--warm-ups", this->WarmUps, "rounds before that")->capture_default_str();
  app.add_option_function<std::string>(
    "--memory-per-host",
    [this](const std::string& text)
    {
      this->Fit = text == "fit";
      this->MemoryPerHost = this->Fit ? 0 : Bytes(text, "--memory-per-host");
    },
    "bytes; \"fit\": as one file needs; default: four files");
  app.add_flag(
    "--no-node-memory", this->NoNodeMemory, "automatic: as between nodes, also within one");
  app.add_flag("--write-only", this->WriteOnly, "do not read the files back in every round");
  app.add_flag("--unchecked", this->Unchecked,
    "with --write-only: nor the last one, to see whether its data are right");
  app.add_flag("--acquaint", this->Acquaint,
    "a small file before each cell, so that every writer is connected to every host");
  app.add_flag("--no-baselines", this->NoBaselines, "neither memcpy nor tmpfs");
  app.add_option_function<std::string>(
    "--link-rate", [this](const std::string& text) { this->LinkRate = ParseRate(text); },
    "what a node's network link carries (100mbit): rates are compared to the sum of the links");
  app.add_option("--tmpfs", this->ScratchFolder, "folder on tmpfs")->capture_default_str();
  app.add_option("--contact-folder", this->ContactFolder, "folder that all nodes see")
    ->capture_default_str();
  app.add_option("--csv", this->Csv, "file for the results, beside the table");
  app
    .add_option("--recommend", this->RecommendTo,
      "name the best strategy, block size and transport, and write them to this file (default: "
      "where servers on this machine look for their defaults)")
    ->expected(0, 1)
    ->trigger_on_parse(false);
  app.add_flag("--put", this->Puts, "single puts and gets by message size, instead of files");
  AddSizes(app, "--put-size", this->PutSizes, "message sizes; default: 8 B to 4 MiB");
  app.add_option("--put-seconds", this->PutSeconds, "for each of them")->capture_default_str();
}

void Settings::Complete(const CLI::App& app)
{
  this->Recommend = app.count("--recommend") > 0;
  const auto unless = [&app, this](const char* option, auto&& set)
  {
    if (this->Recommend && app.count(option) == 0)
    {
      set();
    }
  };
  // What is built in comes first, so that it stays unless something is better.
  unless("--hosts", [this] { this->Hosts = { 2 }; });
  unless("--writers", [this] { this->Writers = { 2 }; });
  unless("--datasets", [this] { this->Datasets = { 1, 10 }; });
  unless("--strategy", [this] { this->Strategies = AllStrategies(); });
  // By name, shared memory would be no choice for hosts on several nodes; automatic takes it where
  // it can.
  unless("--transport",
    [this]
    {
      this->Transports = dsm::TransportNames();
      std::erase(this->Transports, "shared-memory");
    });
  unless("--block-size", [this] { this->BlockSizes = { 0, MiB, MiB / 4, MiB / 16, 4 * MiB }; });
  if (this->PutSizes.empty())
  {
    for (std::uint64_t size = 8; size <= 4 * MiB; size *= 2)
    {
      this->PutSizes.push_back(size);
    }
  }
}

std::vector<Cell> Settings::Cells() const
{
  std::vector<Cell> cells;
  for (const auto& transport : this->Transports)
  {
    for (const int hosts : this->Hosts)
    {
      for (const auto size : this->Sizes)
      {
        for (const auto& strategy : this->Strategies)
        {
          for (std::size_t block = 0; block < (HasBlocks(strategy) ? this->BlockSizes.size() : 1);
            ++block)
          {
            for (const int datasets : this->Datasets)
            {
              for (const int writers : this->Writers)
              {
                for (const auto& mode : this->Modes)
                {
                  cells.push_back({ hosts, writers, datasets, size, strategy,
                    HasBlocks(strategy) ? this->BlockSizes[block] : 0, transport,
                    mode == "collective" });
                }
              }
            }
          }
        }
      }
    }
  }
  return cells;
}

bool Settings::OverNodeMemory(const std::string& transport) const
{
  return !this->NoNodeMemory && (transport == "automatic" || transport == "auto");
}

std::uint64_t Settings::MemoryFor(const Cell& cell) const
{
  if (this->MemoryPerHost > 0)
  {
    return this->MemoryPerHost;
  }
  const auto hosts = static_cast<std::uint64_t>(cell.Hosts);
  const std::uint64_t largestBlock =
    HasBlocks(cell.Strategy) && cell.BlockSize == 0 ? MiB : cell.BlockSize;
  const std::uint64_t unit = std::max(Page, largestBlock);
  const std::uint64_t least = (cell.Size + Metadata + hosts - 1) / hosts;
  const std::uint64_t fitting = (least + unit - 1) / unit * unit;
  return this->Fit ? fitting : 4 * fitting;
}

}
