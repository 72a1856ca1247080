// SPDX-License-Identifier: BSD-3-Clause
// dsm-mpmd: several programs in one MPI job, for an mpiexec that cannot (Debian's Open MPI 5.0.7
// crashes on "mpiexec a : b", and any mpiexec takes a lone ":" for itself, hence "::"). Each
// process becomes the program whose turn its rank is; no MPI call is made.
#include "Tools/CommandLine.h"
#include "Tools/ExecProgram.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

namespace
{

constexpr const char* Usage =
  "Usage: mpiexec -n TOTAL dsm-mpmd COUNT PROGRAM… :: COUNT PROGRAM… [:: …]";

struct Program
{
  int Count = 0;
  std::vector<std::string> Words;
};

std::optional<int> Number(const std::string& text)
{
  int value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stopped == end ? std::optional(value) : std::nullopt;
}

// What launchers tell a process before it calls MPI_Init: Open MPI, MPICH and its kin, PMIx, Slurm.
std::optional<int> FromLauncher(std::initializer_list<const char*> names)
{
  for (const char* name : names)
  {
    const char* const text = std::getenv(name);
    if (const auto value = text ? Number(text) : std::nullopt)
    {
      return value;
    }
  }
  return std::nullopt;
}

[[noreturn]] void Refuse(const std::string& why)
{
  std::fprintf(stderr, "dsm-mpmd: %s\n%s\n", why.c_str(), Usage);
  std::exit(2);
}

std::vector<Program> Programs(const std::vector<std::string>& words)
{
  std::vector<Program> programs;
  for (std::size_t i = 0; i < words.size(); ++i)
  {
    const auto count = Number(words[i]);
    if (!count || *count < 1)
    {
      Refuse("\"" + words[i] + "\" stands where a number of processes should");
    }
    Program& program = programs.emplace_back();
    program.Count = *count;
    for (++i; i < words.size() && words[i] != "::"; ++i)
    {
      program.Words.push_back(words[i]);
    }
    if (program.Words.empty())
    {
      Refuse("there is no program behind the number " + std::to_string(*count));
    }
  }
  if (programs.empty())
  {
    Refuse("no programs were named");
  }
  return programs;
}

}

int main(int argc, char** argv)
{
  dsm::CommandLine app("dsm-mpmd",
    "Starts several programs in one MPI job, where mpiexec itself cannot start them.\n"
    "Example: mpiexec -n 5 dsm-mpmd 2 dsm-paraview --split pvbatch script.py :: 3 dsm-run --wait "
    "60 ./simulation\n"
    "To MPI they are one application, with one MPI_APPNUM. DSM_MPMD_COLOUR numbers them, from 1.");
  app.prefix_command();
  app.usage(Usage);
  CLI11_PARSE(app, argc, argv);
  std::vector<Program> programs = Programs(app.remaining());
  const auto rank =
    FromLauncher({ "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID" });
  const auto size = FromLauncher({ "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS" });
  if (!rank)
  {
    Refuse(
      "no mpiexec started this: none of OMPI_COMM_WORLD_RANK, PMI_RANK, PMIX_RANK, SLURM_PROCID "
      "is set");
  }
  int total = 0;
  for (const Program& program : programs)
  {
    total += program.Count;
  }
  // A job of another size would wait for processes that do not exist, or have some with nothing to
  // do.
  if (*rank >= total || (size && *size != total))
  {
    Refuse("the numbers make " + std::to_string(total) + " processes, and mpiexec started " +
      (size ? std::to_string(*size) : "more"));
  }
  int begin = 0;
  int number = 0;
  for (Program& program : programs)
  {
    ++number;
    if (*rank < begin + program.Count)
    {
      // What tells our own programs apart in place of MPI_APPNUM, which is 0 everywhere; beginning
      // with 1, so that it differs from what others split by.
      setenv("DSM_MPMD_COLOUR", std::to_string(number).c_str(), 1);
      return dsm::ExecProgram(program.Words, "dsm-mpmd");
    }
    begin += program.Count;
  }
  return 1;
}
