// SPDX-License-Identifier: BSD-3-Clause
#include "Base/LaunchedJob.h"

#include "Base/NodeIdentity.h"

#include <charconv>
#include <cstdlib>
#include <initializer_list>
#include <optional>

#include <unistd.h>

namespace dsm
{

namespace
{
std::string Variable(const char* name)
{
  const char* value = std::getenv(name);
  return value ? value : "";
}

// The first of these that is a whole number.
std::optional<std::uint64_t> Number(std::initializer_list<const char*> names)
{
  for (const char* name : names)
  {
    const std::string text = Variable(name);
    std::uint64_t number = 0;
    const auto end = text.data() + text.size();
    if (!text.empty() && std::from_chars(text.data(), end, number).ptr == end)
    {
      return number;
    }
  }
  return std::nullopt;
}

std::string ProcessGroup()
{
  return NodeIdentity() + "/" + std::to_string(getpgrp());
}

std::uint64_t Processes()
{
  const auto processes =
    Number({ "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS", "FLUX_JOB_SIZE" });
  return processes && *processes > 0 ? *processes : 1;
}
}

std::uint64_t RankOfThisProcess()
{
  return Number({ "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "PALS_RANKID", "SLURM_PROCID",
                  "FLUX_TASK_RANK" })
    .value_or(0);
}

// Slurm numbers the batch script as well, which is none of its ranks.
bool IsLaunchedRank()
{
  return Number(
    { "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "PALS_RANKID", "FLUX_TASK_RANK" })
    .has_value();
}

LaunchedJob JobOfThisProcess()
{
  const std::uint64_t processes = Processes();
  if (processes == 1)
  {
    return {};
  }
  // Before those that stand for the allocation in which several jobs may run.
  for (const char* name : { "PMIX_NAMESPACE", "PALS_APID", "FLUX_JOB_ID" })
  {
    const std::string value = Variable(name);
    if (!value.empty())
    {
      return { value, processes };
    }
  }
  const std::string allocation = Variable("SLURM_JOB_ID");
  if (!allocation.empty())
  {
    return { allocation + "." + Variable("SLURM_STEP_ID"), processes };
  }
  const std::string launch = Variable("DSM_LAUNCH");
  return { "of " + std::to_string(processes) + (launch.empty() ? "" : " " + launch), processes };
}

std::string LaunchOfThisProcess()
{
  return IsLaunchedRank() ? Variable("DSM_LAUNCH") : ProcessGroup();
}

}
