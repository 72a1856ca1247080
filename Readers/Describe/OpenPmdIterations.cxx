// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/OpenPmdIterations.h"

#include "Describe/Text.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

namespace dsm::describe
{

namespace
{
// "/data/%T/" or "/data/%06T/" cut at its "%T": "/data", "", "".
struct IterationPath
{
  std::string Folder; ///< of the iterations; or the one iteration, if the path has no %T
  bool Numbered = false;
  std::string Before, After; ///< of the number, in the group's name

  explicit IterationPath(std::string path);
  std::optional<unsigned long long> NumberIn(const std::string& name) const;
};

IterationPath::IterationPath(std::string path)
{
  path = "/" + fmt::format("{}", fmt::join(Split(path, "/"), "/"));
  const auto percent = path.find('%');
  const auto last =
    percent == std::string::npos ? percent : path.find_first_not_of("0123456789", percent + 1);
  if (last == std::string::npos || path[last] != 'T')
  {
    this->Folder = path;
    return;
  }
  this->Numbered = true;
  const auto slash = path.rfind('/', percent);
  this->Folder = slash == 0 ? "/" : path.substr(0, slash);
  this->Before = path.substr(slash + 1, percent - slash - 1);
  this->After = path.substr(last + 1);
}

std::optional<unsigned long long> IterationPath::NumberIn(const std::string& name) const
{
  const auto around = this->Before.size() + this->After.size();
  return name.size() > around && name.rfind(this->Before, 0) == 0 &&
      name.compare(name.size() - this->After.size(), std::string::npos, this->After) == 0
    ? AsCount(name.substr(this->Before.size(), name.size() - around))
    : std::nullopt;
}

IterationPath BasePath(const FileFacts& file)
{
  IterationPath path(file.TextOr("/", "basePath", "/data/%T/"));
  // With that encoding, the group is the only iteration, whatever the path says.
  path.Numbered =
    path.Numbered && LowerCase(file.Text("/", "iterationEncoding")) != "variablebased";
  return path;
}
}

OpenPmdIterations FindIterations(const FileFacts& file)
{
  const IterationPath base = BasePath(file);
  OpenPmdIterations found{ base.Folder };
  if (!base.Numbered && file.WhatIs(base.Folder) == hdf5::Thing::Group)
  {
    const double number = file.NumberOr(base.Folder, "snapshot", 0);
    found.All.push_back(
      { number > 0 && number < 1e18 ? static_cast<unsigned long long>(number) : 0, base.Folder });
  }
  for (const std::string& name :
    base.Numbered ? file.MembersOf(base.Folder) : std::vector<std::string>())
  {
    if (const auto number = base.NumberIn(name))
    {
      found.All.push_back({ *number, (base.Folder == "/" ? "/" : base.Folder + "/") + name });
    }
  }
  std::sort(found.All.begin(), found.All.end(),
    [](const auto& left, const auto& right) { return left.Number < right.Number; });
  for (OpenPmdIteration& one : found.All)
  {
    one.Time = file.NumberOr(one.Path, "time", static_cast<double>(one.Number));
    one.TimeUnit = file.NumberOr(one.Path, "timeUnitSI", 1);
  }
  return found;
}

}
