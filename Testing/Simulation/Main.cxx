// SPDX-License-Identifier: BSD-3-Clause
#include "Mutant.h"
#include "World.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

namespace
{
using dsm::simulation::Mutant;
using dsm::simulation::World;

struct Choice
{
  std::string MutantName; ///< empty: none
  Mutant Planted = Mutant::None;
  std::uint64_t Seed = 0;
  std::uint64_t Count = 1;
  std::size_t Events = 60;
};

std::optional<Choice> Parse(int argc, char** argv)
{
  Choice choice;
  int numbers = 0;
  for (int at = 1; at < argc; ++at)
  {
    const std::string word = argv[at];
    if (word.starts_with("--") && at + 1 == argc)
    {
      return std::nullopt;
    }
    if (word == "--mutant")
    {
      choice.MutantName = argv[++at];
      const auto mutant = dsm::simulation::MutantFromName(choice.MutantName);
      if (!mutant)
      {
        return std::nullopt;
      }
      choice.Planted = *mutant;
    }
    else if (word == "--events")
    {
      choice.Events = std::strtoull(argv[++at], nullptr, 10);
    }
    else
    {
      (numbers++ == 0 ? choice.Seed : choice.Count) = std::strtoull(argv[at], nullptr, 10);
    }
  }
  return numbers == 1 || numbers == 2 ? std::optional(choice) : std::nullopt;
}

void Report(const World& world, const Choice& choice, std::uint64_t seed)
{
  for (const std::string& line : world.Notes.LastEvents())
  {
    fmt::print(stderr, "{}\n", line);
  }
  fmt::print(stderr, "\nseed {}: {}\nreplay: dsmSimulation {}{} --events 100000\n", seed,
    *world.Notes.Failure(), choice.MutantName.empty() ? "" : "--mutant " + choice.MutantName + " ",
    seed);
}

/// Returns the seed of a simulation that finds something wrong. None if all are good.
std::optional<std::uint64_t> FindFailure(const Choice& choice, bool reports)
{
  for (std::uint64_t seed = choice.Seed; seed < choice.Seed + choice.Count; ++seed)
  {
    World world(seed, choice.Planted, choice.Events);
    if (!world.Run())
    {
      if (reports)
      {
        Report(world, choice, seed);
      }
      else
      {
        fmt::print("{}: seed {} finds it: {}\n", choice.MutantName, seed, *world.Notes.Failure());
      }
      return seed;
    }
  }
  return std::nullopt;
}
}

int main(int argc, char** argv)
{
  // The core warns of each fault that the simulation makes, and its limits must be the same
  // everywhere.
  setenv("DSM_LOG", "off", 0);
  setenv("DSM_PEER_TIMEOUT", "10", 1);
  const auto choice = Parse(argc, argv);
  if (!choice)
  {
    fmt::print(stderr,
      "usage: dsmSimulation [--mutant NAME] [--events N] SEED [COUNT]\n"
      "Runs COUNT simulations from that seed on. Fails at the first that finds something wrong, "
      "and "
      "prints its last N events. With a mutant, fails likewise, since that is wrong.\n");
    return 2;
  }
  const bool isMutant = choice->Planted != Mutant::None;
  const auto seed = FindFailure(*choice, !isMutant || choice->Count == 1);
  if (!seed)
  {
    fmt::print("{} simulations found nothing wrong\n", choice->Count);
  }
  return seed ? 1 : 0;
}
