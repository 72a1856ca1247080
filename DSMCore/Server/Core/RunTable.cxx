// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/RunTable.h"

#include <iterator>
#include <utility>

namespace dsm
{

namespace
{
constexpr std::size_t MostRuns = 1000;
}

void RunTable::Enter(RunDescription run)
{
  const std::uint64_t number = run.Number;
  this->Known.insert_or_assign(number, std::move(run));
  if (this->Known.size() > MostRuns)
  {
    this->Known.erase(this->Known.begin());
  }
}

std::vector<RunDescription> RunTable::WithOrigins(const std::set<std::uint64_t>& numbers) const
{
  // A run began from one that was there before: with a lower number.
  std::set<std::uint64_t> wanted = numbers;
  std::map<std::uint64_t, RunDescription> found;
  while (!wanted.empty())
  {
    const auto known = this->Known.find(*wanted.rbegin());
    wanted.erase(std::prev(wanted.end()));
    if (known == this->Known.end() || !found.insert(*known).second)
    {
      continue;
    }
    if (const auto& from = known->second.From)
    {
      wanted.insert(from->Run);
    }
  }
  std::vector<RunDescription> runs;
  runs.reserve(found.size());
  for (auto& [number, run] : found)
  {
    runs.push_back(std::move(run));
  }
  return runs;
}

void Describe(Fields& fields, RunDescription& run)
{
  fields("Number", run.Number);
  fields("Program", run.Program);
  fields("Node", run.Node);
  fields("Since", run.Since);
  fields("From", run.From);
  fields("Changed", run.Changed);
  fields("Restored", run.Restored);
}

}
