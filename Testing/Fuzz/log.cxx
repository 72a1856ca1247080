// SPDX-License-Identifier: BSD-3-Clause
// A steering log, as somebody may have edited it: a line that is none is refused by Error alone;
// what is read is written as the server writes it, and reads back to the same changes.
#include "Fuzz.h"

#include "Steering/SteeringLog.h"

#include <sstream>

namespace
{

using namespace dsm;
using dsm::fuzz::Accepted;
using dsm::fuzz::Require;

std::vector<LoggedTransaction> Read(const std::string& text)
{
  std::istringstream stream(text);
  return ReadSteeringLog(stream, "it");
}

// As the server would have it of a simulation that has done this. False for a command's argument
// that no simulation reports.
bool Done(const LoggedTransaction& logged, Outcome& outcome)
{
  outcome.Number = logged.What.Number;
  outcome.Who = logged.What.Who;
  outcome.Step = logged.Step;
  for (const auto& [name, value] : logged.What.Set)
  {
    outcome.Changes.push_back({ name, {}, value });
  }
  for (const auto& [name, argument] : logged.What.Commands)
  {
    const auto* count = std::get_if<std::int64_t>(&argument);
    if (!count)
    {
      return false;
    }
    outcome.Commands.emplace_back(name, *count);
  }
  return true;
}

}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
  std::vector<LoggedTransaction> read;
  if (!Accepted([&] { read = Read(std::string(reinterpret_cast<const char*>(data), size)); }))
  {
    return 0;
  }
  std::string text;
  for (const LoggedTransaction& logged : read)
  {
    Outcome outcome;
    if (!Done(logged, outcome))
    {
      return 0;
    }
    text += SteeringLogLines(logged.Program, outcome);
  }
  std::vector<LoggedTransaction> again;
  Require(Accepted([&] { again = Read(text); }), "what was written as a log is read");
  Require(again.size() == read.size(), "a log reads back to as many transactions");
  for (std::size_t i = 0; i < read.size(); ++i)
  {
    Require(again[i].Step == read[i].Step && again[i].What.Number == read[i].What.Number &&
        again[i].What.Set == read[i].What.Set && again[i].What.Commands == read[i].What.Commands,
      "a transaction reads back to the same");
  }
  return 0;
}
