// SPDX-License-Identifier: BSD-3-Clause
#include "Client/Replay.h"

#include "Base/Error.h"
#include "Client/RunControl.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace dsm
{

Replay::Replay(const std::string& path, const std::string& program)
  : Script(ReadSteeringLog(path))
{
  std::set<std::string> programs;
  for (const auto& entry : this->Script)
  {
    programs.insert(entry.Program);
  }
  if (programs.size() > 1)
  {
    if (!programs.count(program))
    {
      throw Error(Fault::Usage,
        "the steering log {} is of several programs ({}), and none of them is {}", path,
        fmt::join(programs, ", "), program);
    }
    std::erase_if(this->Script, [&](const auto& entry) { return entry.Program != program; });
  }
  for (auto& entry : this->Script)
  {
    std::erase_if(entry.What.Commands,
      [](const auto& command) { return RunControl::OnlyTiming(command.first); });
    entry.What.Number = 0;
    entry.What.Who = "replay of " + entry.What.Who;
  }
  std::erase_if(this->Script,
    [](const auto& entry) { return entry.What.Set.empty() && entry.What.Commands.empty(); });
}

std::vector<Transaction> Replay::Take(std::int64_t step)
{
  std::vector<Transaction> due;
  while (this->Due(step))
  {
    due.push_back(this->Script[this->Next++].What);
  }
  return due;
}

}
