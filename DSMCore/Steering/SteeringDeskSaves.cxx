// SPDX-License-Identifier: BSD-3-Clause
// The steering desk's part in "write to disk now": an order has a transaction's number, and its
// outcome is waited for in the same way. A simulation that was commanded to have it done orders it
// for that command's transaction ("for"), whose outcome then tells what became of the file.
#include "Steering/SteeringDesk.h"

#include <utility>
#include <vector>

namespace dsm
{

namespace
{
// How long an outcome waits for its file. A program may not write this step after all.
constexpr Seconds LongestFile(2);
}

SteeringDesk::Json SteeringDesk::Save(const Json& request, const std::string& who)
{
  Outcome outcome;
  outcome.Number = ++this->LastNumber;
  outcome.Who = request.value("who", who);
  const auto commanded = request.value("for", std::uint64_t(0));
  const std::string refused = this->Post.Save
    ? this->Post.Save(outcome.Number, request)
    : std::string("is not possible: this server writes no files");
  if (refused.empty())
  {
    this->Saves[outcome.Number] = { outcome.Who, commanded };
    this->FileDone(commanded, nullptr);
    return this->Found(outcome.Number);
  }
  this->FileDone(commanded, { { "note", "not written to disk: it " + refused } });
  outcome.Refusals.push_back({ "write to disk", refused });
  Json answer = outcome;
  this->Settle(std::move(outcome));
  return answer;
}

void SteeringDesk::Saved(Outcome outcome)
{
  const std::lock_guard lock(this->Guard);
  const auto order = this->Saves.find(outcome.Number);
  if (order == this->Saves.end())
  {
    return;
  }
  const SaveAsked asked = std::move(order->second);
  this->Saves.erase(order);
  outcome.Who = asked.Who;
  Json detail = outcome.Detail;
  if (outcome.Applied)
  {
    detail["note"] = "written to " + detail.at("path").get<std::string>();
  }
  else
  {
    detail = { { "note", "not written to disk: " + outcome.Refusals.front().Reason } };
  }
  this->Settle(std::move(outcome));
  this->FileDone(asked.For, std::move(detail));
}

// What became of the file that a transaction commanded; null: nothing yet.
void SteeringDesk::FileDone(std::uint64_t number, Json detail)
{
  const auto waiting = this->AwaitingFile.find(number);
  if (waiting == this->AwaitingFile.end())
  {
    // Its outcome is still on its way. (0: nobody's.) One that never comes is not kept for ever.
    if (number > 0)
    {
      this->Files[number] = std::move(detail);
    }
    if (this->Files.size() > MostOutcomes)
    {
      this->Files.erase(this->Files.begin());
    }
    return;
  }
  Outcome told = std::move(waiting->second.Told);
  this->AwaitingFile.erase(waiting);
  told.Detail = std::move(detail);
  this->Settle(std::move(told));
}

// True when this outcome is to be told later. One that explains itself has to wait for the end of a
// pause, which only those who hear of it can end.
bool SteeringDesk::WaitsForFile(const SteeringProgram& program, Outcome& outcome)
{
  const auto found = this->Files.find(outcome.Number);
  if (found == this->Files.end())
  {
    return false;
  }
  const Json detail = std::move(found->second);
  this->Files.erase(found);
  if (!outcome.Detail.is_null())
  {
    return false;
  }
  if (detail.is_null())
  {
    const std::uint64_t number = outcome.Number;
    this->AwaitingFile.insert_or_assign(
      number, WaitingForFile{ program.Instance, std::move(outcome), Deadline(LongestFile) });
    return true;
  }
  outcome.Detail = detail;
  return false;
}

// Told without their file: it may be large, or never come.
void SteeringDesk::FilesLate()
{
  std::vector<std::uint64_t> late;
  for (const auto& [number, waiting] : this->AwaitingFile)
  {
    if (waiting.Until.Expired())
    {
      late.push_back(number);
    }
  }
  for (const std::uint64_t number : late)
  {
    this->FileDone(number, { { "note", "the file will be there when the snapshot is complete" } });
  }
}

// A simulation has gone: the file that it was to write may never come.
void SteeringDesk::FilesGone(const std::string& instance)
{
  std::vector<std::uint64_t> numbers;
  for (const auto& [number, waiting] : this->AwaitingFile)
  {
    if (waiting.Instance == instance)
    {
      numbers.push_back(number);
    }
  }
  for (const std::uint64_t number : numbers)
  {
    this->FileDone(
      number, { { "note", "not written to disk yet: the simulation has gone before" } });
  }
}

}
