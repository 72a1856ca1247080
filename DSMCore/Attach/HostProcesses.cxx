// SPDX-License-Identifier: BSD-3-Clause
#include "Attach/HostProcesses.h"

#include "Base/DetachedProcess.h"
#include "Base/Environment.h"
#include "Control/ServerProcess.h"
#include "Encoding/Encoding.h"
#include "Mpi/Communicator.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <utility>

#include <fmt/ranges.h>

namespace dsm
{

namespace
{
// What an MPI launcher tells its ranks, and the hosts are none of them. What a user sets for MPI
// (OMPI_MCA_…, PMIX_MCA_…, MPIR_CVAR_…) stays.
bool IsLaunchers(std::string_view variable)
{
  constexpr std::array<std::string_view, 6> Families{ "PMI_", "PMIX_", "OMPI_COMM_WORLD_",
    "OMPI_WORLD_", "HYDI_", "MPI_LOCAL" };
  constexpr std::array<std::string_view, 16> Single{ "OMPI_FILE_LOCATION", "OMPI_LIBDIR_LOC",
    "OMPI_MCA_PREFIXES", "OMPI_MCA_cpu_type", "OMPI_MCA_initial_wdir",
    "OMPI_MCA_mca_base_component_path", "OMPI_MCA_num_procs", "OMPI_NUM_APP_CTX", "OMPI_TOOL_NAME",
    "OMPI_UNIVERSE_SIZE", "OMPI_VERSION", "OPAL_USER_PARAMS_GIVEN", "PRTE_LAUNCHED",
    "PRTE_SHARED_FS", "MPIR_CVAR_CH3_INTERFACE_HOSTNAME", "LD_PRELOAD" };
  const std::string_view name = variable.substr(0, variable.find('='));
  return (std::any_of(Families.begin(), Families.end(),
            [&](std::string_view family) { return name.starts_with(family); }) &&
           !name.starts_with("PMIX_MCA_")) ||
    std::find(Single.begin(), Single.end(), name) != Single.end();
}

std::vector<std::string> Environment()
{
  std::vector<std::string> kept = PresentEnvironment();
  std::erase_if(kept, IsLaunchers);
  // Open MPI's launcher takes the permission that a user gave it from its ranks.
  for (const char* name : { "ALLOW_RUN_AS_ROOT", "ALLOW_RUN_AS_ROOT_CONFIRM" })
  {
    if (const auto said = environment::Text((std::string("OMPI_") + name).c_str()))
    {
      kept.push_back(fmt::format("PRTE_{}={}", name, *said));
    }
  }
  return kept;
}
}

HostProcesses::HostProcesses(std::string program, std::vector<std::string> nodes)
  : Program(std::move(program))
  , Nodes(std::move(nodes))
{
}

std::vector<std::string> HostProcesses::Launcher() const
{
  if (const auto said = environment::Text("DSM_HOST_LAUNCHER"))
  {
    std::istringstream text(*said);
    std::vector<std::string> words;
    for (std::string word; text >> word;)
    {
      words.push_back(word);
    }
    return words;
  }
  if (this->Nodes.size() == 1)
  {
    return {};
  }
  std::vector<std::string> words{ std::filesystem::exists(DSM_MPIEXEC) ? DSM_MPIEXEC : "mpiexec",
    "-n", std::to_string(this->Nodes.size()) };
  std::vector<std::pair<std::string, std::size_t>> counts;
  for (const std::string& node : this->Nodes)
  {
    const auto known = std::find_if(
      counts.begin(), counts.end(), [&](const auto& count) { return count.first == node; });
    known == counts.end() ? void(counts.emplace_back(node, 1)) : void(++known->second);
  }
  const bool isOpenMpi = Communicator::LibraryName().starts_with("Open MPI");
  if (counts.size() > 1)
  {
    std::vector<std::string> places;
    places.reserve(counts.size());
    for (const auto& [node, count] : counts)
    {
      places.push_back(fmt::format("{}:{}", node, count));
    }
    words.insert(
      words.end(), { isOpenMpi ? "--host" : "-hosts", fmt::format("{}", fmt::join(places, ",")) });
  }
  if (isOpenMpi)
  {
    // They move no byte themselves, so they need no cores of their own.
    words.insert(words.end(), { "--map-by", ":OVERSUBSCRIBE", "--bind-to", "none" });
  }
  return words;
}

std::vector<std::string> HostProcesses::Command(const ServerOptions& options, Seconds linger) const
{
  std::vector<std::string> words = this->Launcher();
  words.insert(words.end(),
    { this->Program, "--for-viewer", "--linger", fmt::format("{}", linger.count()), "--options",
      ToText(options) });
  return words;
}

void HostProcesses::Start(const ServerOptions& options, Seconds linger, const Deadline& deadline)
{
  StartServerProcess(this->Command(options, linger), Environment(), options.ContactFile, deadline);
}

}
