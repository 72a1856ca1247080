// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/OpenPmd.h"

#include "Base/Error.h"
#include "Describe/DescriptionBuilder.h"
#include "Describe/NothingYet.h"
#include "Describe/OpenPmdIterations.h"
#include "Describe/OpenPmdMeshes.h"
#include "Describe/OpenPmdParticles.h"
#include "Describe/OpenPmdRecords.h"
#include "Describe/Text.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace dsm::describe
{

namespace
{
// Describes one iteration.
class IterationDescriber
{
public:
  explicit IterationDescriber(const Asked& asked);
  Description Describe();

private:
  // Lists the times of the iterations, or their numbers if the times do not ascend.
  void ListTimes(const std::vector<OpenPmdIteration>& iterations);
  void SetTime(const OpenPmdIteration& iteration);

  // Returns the groups below an iteration that an attribute names.
  std::vector<std::string> PathsBelow(
    const OpenPmdIteration& iteration, const std::string& attribute) const;
  void AddMeshes(const OpenPmdIteration& iteration);
  void AddParticles(const OpenPmdIteration& iteration);

  const Asked& Input;
  const FileFacts& File;
  DescriptionBuilder Result;
  bool Numbers = false;                      ///< iterations are counted, not timed
  std::map<std::string, double> TimeOffsets; ///< of the records that are shown, by path
};

IterationDescriber::IterationDescriber(const Asked& asked)
  : Input(asked)
  , File(asked.File)
  , Result(asked)
{
}

Description IterationDescriber::Describe()
{
  this->Result.SetFormat(
    "openPMD", "the file says that it is of openPMD " + this->File.TextOr("/", "openPMD", "1.x"));
  const auto [folder, iterations] = FindIterations(this->File);
  if (iterations.empty())
  {
    throw NothingYet("openPMD", fmt::format("it has no iteration in {}", folder));
  }
  const std::size_t chosen = this->Result.ChooseStep(iterations.size());
  if (iterations.size() > 1)
  {
    this->ListTimes(iterations);
  }
  const OpenPmdIteration& iteration = iterations[chosen];
  this->AddMeshes(iteration);
  this->AddParticles(iteration);
  if (this->Result.Parts().empty())
  {
    throw Error(Fault::Unsupported,
      "{} of openPMD has neither meshes nor particles that can be shown{}", iteration.Path,
      this->Result.WhyNothing());
  }
  this->SetTime(iteration);
  return this->Result.Finish();
}

void IterationDescriber::ListTimes(const std::vector<OpenPmdIteration>& iterations)
{
  std::vector<double> times, numbers;
  for (const OpenPmdIteration& one : iterations)
  {
    times.push_back(one.Time * one.TimeUnit);
    numbers.push_back(static_cast<double>(one.Number));
  }
  const bool known =
    std::none_of(times.begin(), times.end(), [](double time) { return std::isnan(time); });
  if (!known || !this->Result.ListTimes(std::move(times)))
  {
    this->Numbers = true;
    this->Result.SetTime(numbers[this->Result.Step()]);
    this->Result.ListTimes(std::move(numbers));
    this->Result.Guess("Time = number of the iteration (the times do not ascend)");
  }
}

void IterationDescriber::SetTime(const OpenPmdIteration& iteration)
{
  if (this->Numbers)
  {
    return;
  }
  this->Result.SetTime(iteration.Time * iteration.TimeUnit);
  this->Result.SetTimeUnits("s");
  for (const auto& [name, offset] : this->TimeOffsets)
  {
    if (offset != 0)
    {
      this->Result.Guess(
        fmt::format("{} is {:g} s later than the shown time", name, offset * iteration.TimeUnit));
    }
  }
}

std::vector<std::string> IterationDescriber::PathsBelow(
  const OpenPmdIteration& iteration, const std::string& attribute) const
{
  std::vector<std::string> paths;
  for (const std::string& text : this->File.Texts("/", attribute))
  {
    const std::string path = fmt::format("{}/{}", iteration.Path, fmt::join(Split(text, "/"), "/"));
    if (this->File.WhatIs(path) == hdf5::Thing::Group)
    {
      paths.push_back(path);
    }
  }
  return paths;
}

void IterationDescriber::AddMeshes(const OpenPmdIteration& iteration)
{
  for (const std::string& folder : this->PathsBelow(iteration, "meshesPath"))
  {
    for (const OpenPmdRecord& record : RecordsIn(this->Input, folder, this->Result))
    {
      try
      {
        AddMesh(this->File, record, this->Result);
        this->TimeOffsets[record.Path] = record.TimeOffset;
      }
      catch (const Error& error)
      {
        this->Result.LeaveOut(record.Path, error.what());
      }
    }
  }
}

void IterationDescriber::AddParticles(const OpenPmdIteration& iteration)
{
  for (const std::string& folder : this->PathsBelow(iteration, "particlesPath"))
  {
    for (const std::string& path : PathsIn(this->File, folder))
    {
      try
      {
        // Patches say which rank wrote which particles: for readers of openPMD only.
        const auto records = RecordsIn(this->Input, path, this->Result, "particlePatches");
        AddSpecies(LastName(path), records, this->Result);
        for (const OpenPmdRecord& record : records)
        {
          if (!IsPosition(record))
          {
            this->TimeOffsets[record.Path] = record.TimeOffset;
          }
        }
      }
      catch (const Error& error)
      {
        this->Result.LeaveOut(path, error.what());
      }
    }
  }
}
}

std::optional<Description> RecogniseOpenPmd(const Asked& asked)
{
  if (asked.File.Text("/", "openPMD").empty())
  {
    return std::nullopt;
  }
  return IterationDescriber(asked).Describe();
}

}
