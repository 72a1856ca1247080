// SPDX-License-Identifier: BSD-3-Clause
#include "Steering/CommandedFiles.h"

#include <utility>

namespace dsm
{

namespace
{
// How long an outcome waits for its file. A program may not write this step after all.
constexpr Seconds LongestFile(2);

// One whose outcome never comes is not kept for ever.
constexpr std::size_t MaximumResults = 10000;
}

void CommandedFiles::Ordered(std::uint64_t transaction)
{
  if (transaction > 0 && !this->Waiting.contains(transaction))
  {
    this->FileResults[transaction].reset();
    if (this->FileResults.size() > MaximumResults)
    {
      this->FileResults.erase(this->FileResults.begin());
    }
  }
}

std::optional<Outcome> CommandedFiles::Finished(std::uint64_t transaction, const FileResult& result)
{
  const auto waiting = this->Waiting.find(transaction);
  if (waiting == this->Waiting.end())
  {
    this->Ordered(transaction);
    if (const auto ordered = this->FileResults.find(transaction);
      ordered != this->FileResults.end())
    {
      ordered->second = result;
    }
    return std::nullopt;
  }
  Outcome complete = std::move(waiting->second.Result);
  this->Waiting.erase(waiting);
  complete.Detail = result;
  return complete;
}

std::optional<Outcome> CommandedFiles::Pass(const std::string& instance, Outcome outcome)
{
  const auto found = this->FileResults.find(outcome.Number);
  if (found == this->FileResults.end())
  {
    return outcome;
  }
  auto result = std::move(found->second);
  this->FileResults.erase(found);
  if (outcome.Detail)
  {
    return outcome;
  }
  if (!result)
  {
    const std::uint64_t number = outcome.Number;
    this->Waiting.insert_or_assign(
      number, Entry{ instance, std::move(outcome), Deadline(LongestFile) });
    return std::nullopt;
  }
  outcome.Detail = std::move(result);
  return outcome;
}

std::vector<std::uint64_t> CommandedFiles::WaitingOf(const std::string& instance) const
{
  std::vector<std::uint64_t> transactions;
  for (const auto& [transaction, entry] : this->Waiting)
  {
    if (entry.Instance == instance)
    {
      transactions.push_back(transaction);
    }
  }
  return transactions;
}

template <typename Predicate>
std::vector<Outcome> CommandedFiles::Take(const Predicate& which, const char* note)
{
  std::vector<Outcome> taken;
  for (auto waiting = this->Waiting.begin(); waiting != this->Waiting.end();)
  {
    if (!which(waiting->second))
    {
      ++waiting;
      continue;
    }
    Outcome& complete = taken.emplace_back(std::move(waiting->second.Result));
    complete.Detail.emplace().Note = note;
    waiting = this->Waiting.erase(waiting);
  }
  return taken;
}

std::vector<Outcome> CommandedFiles::TakeExpired()
{
  return this->Take([](const Entry& entry) { return entry.Until.Expired(); },
    "the file will be there when the snapshot is complete");
}

std::vector<Outcome> CommandedFiles::TakeOf(const std::string& instance)
{
  return this->Take([&](const Entry& entry) { return entry.Instance == instance; },
    "not written to disk yet: the simulation has gone before");
}

}
