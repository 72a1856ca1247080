// SPDX-License-Identifier: BSD-3-Clause
// dsm_map_bench: what the arithmetic of the redistribution strategies costs: one address, all the
// runs of a 512 MiB write in blocks of 64 KiB, and what part of such a write that is.
#include "Mapping/AddressMap.h"
#include "Transport/SharedMemory/StreamCopy.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace
{

using dsm::AddressMap;
using dsm::HostIndex;
using dsm::MapParameters;

constexpr std::uint64_t KiB = 1024;
constexpr std::uint64_t MiB = 1024 * KiB;
constexpr std::uint64_t FileSize = 512 * MiB;
constexpr std::uint64_t BlockSize = 64 * KiB;

struct Case
{
  std::string Name;
  MapParameters Parameters;
};

std::vector<Case> Cases()
{
  std::vector<Case> cases;
  for (const std::uint64_t hosts : { 2, 7 })
  {
    const std::uint64_t capacity = 1024 * MiB;
    const auto add = [&](
                       const std::string& name, const std::string& strategy, std::uint64_t perCycle)
    { cases.push_back({ name, { strategy, hosts, capacity, BlockSize, perCycle, 1, FileSize } }); };
    for (const dsm::StrategyKind& kind : dsm::Strategies())
    {
      std::string name = kind.Name;
      std::replace(name.begin(), name.end(), ' ', '_');
      add(name, kind.Name, 0);
      if (kind.HasBlocks)
      {
        add(name + "_uneven", kind.Name, 2 * hosts + 1);
        add(name + "_wide", kind.Name, 8 * hosts);
      }
    }
  }
  return cases;
}

std::uint64_t AllRuns(const AddressMap& map)
{
  std::uint64_t sum = 0;
  map.ForEachRun(0, FileSize,
    [&sum](HostIndex host, std::uint64_t offset, std::uint64_t, std::uint64_t length)
    { sum += host + offset + length; });
  return sum;
}

void Locate(benchmark::State& state, const MapParameters& parameters)
{
  const AddressMap map(parameters);
  std::uint64_t address = 0;
  for (auto _ : state)
  {
    benchmark::DoNotOptimize(map.Locate(dsm::FileOffset(address)));
    address = (address + 7919 * KiB) % FileSize;
  }
}

void Runs(benchmark::State& state, const MapParameters& parameters)
{
  const AddressMap map(parameters);
  for (auto _ : state)
  {
    benchmark::DoNotOptimize(AllRuns(map));
  }
}

// Every iteration does the arithmetic twice, once with the copies; memory is warm.
void Write(benchmark::State& state, const MapParameters& parameters)
{
  const AddressMap map(parameters);
  std::vector<char> source(FileSize, 1);
  std::vector<std::vector<char>> hosts;
  hosts.reserve(parameters.Hosts);
  for (HostIndex host = 0; host < parameters.Hosts; ++host)
  {
    hosts.emplace_back(map.LocalSize(host, FileSize), 0);
  }
  using Clock = std::chrono::steady_clock;
  Clock::duration arithmetic{ 0 };
  Clock::duration whole{ 0 };
  for (auto _ : state)
  {
    const auto begin = Clock::now();
    benchmark::DoNotOptimize(AllRuns(map));
    const auto between = Clock::now();
    map.ForEachRun(0, FileSize,
      [&](HostIndex host, std::uint64_t offset, std::uint64_t position, std::uint64_t length)
      { dsm::StreamCopy(hosts[host].data() + offset, source.data() + position, length); });
    arithmetic += between - begin;
    whole += Clock::now() - between;
  }
  state.counters["percent_of_write"] =
    100 * std::chrono::duration<double>(arithmetic) / std::chrono::duration<double>(whole);
}

}

int main(int argc, char** argv)
{
  benchmark::Initialize(&argc, argv);
  const std::pair<const char*, void (*)(benchmark::State&, const MapParameters&)> kinds[] = {
    { "locate", Locate }, { "runs", Runs }, { "write", Write }
  };
  for (const auto& [kind, function] : kinds)
  {
    for (const Case& one : Cases())
    {
      const auto name =
        std::string(kind) + "/" + one.Name + "/hosts:" + std::to_string(one.Parameters.Hosts);
      benchmark::RegisterBenchmark(name.c_str(), function, one.Parameters);
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
