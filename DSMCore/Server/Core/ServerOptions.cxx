// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/ServerOptions.h"

#include "Base/Environment.h"
#include "Base/Error.h"
#include "Encoding/Fields.h"

#include <array>
#include <utility>

namespace dsm
{

namespace
{
constexpr std::array<std::pair<FullRing, const char*>, 3> Names{
  { { FullRing::DropOldest, "drop oldest" }, { FullRing::Block, "block" },
    { FullRing::DropNewest, "drop newest" } }
};

constexpr std::array<std::pair<Lending, const char*>, 3> Lendings{
  { { Lending::Automatic, "automatic" }, { Lending::Sparse, "sparse" },
    { Lending::Pinned, "pinned" } }
};
}

const char* LendingName(Lending lending)
{
  for (const auto& [known, name] : Lendings)
  {
    if (known == lending)
    {
      return name;
    }
  }
  return "unknown";
}

Lending LendingFromName(const std::string& name)
{
  for (const auto& [lending, known] : Lendings)
  {
    if (name == known)
    {
      return lending;
    }
  }
  throw Error(
    Fault::Usage, "unknown memory allocation \"{}\": choose automatic, sparse or pinned", name);
}

Lending LendingWithEnvironment(Lending lending)
{
  const auto said = environment::Text("DSM_LENDING");
  return said && lending == Lending::Automatic ? LendingFromName(*said) : lending;
}

const char* FullRingName(FullRing policy)
{
  for (const auto& [known, name] : Names)
  {
    if (known == policy)
    {
      return name;
    }
  }
  return "unknown";
}

FullRing FullRingFromName(const std::string& name)
{
  for (const auto& [policy, known] : Names)
  {
    if (name == known)
    {
      return policy;
    }
  }
  throw Error(Fault::Usage,
    "there is no policy \"{}\" for a full ring: choose \"drop oldest\", \"block\" or "
    "\"drop newest\"",
    name);
}

void Describe(Fields& fields, Redistribution& map)
{
  fields("Strategy", map.Strategy);
  fields("BlockSize", map.BlockSize);
  fields("BlocksPerCycle", map.BlocksPerCycle);
  fields("Seed", map.Seed);
}

void Describe(Fields& fields, ServerOptions& options)
{
  double limit = options.FullRingLimit.count();
  fields("ContactFile", options.ContactFile);
  fields("Map", options.Map);
  fields("MemoryPerHost", options.MemoryPerHost);
  fields.AsText("Memory", options.Memory, LendingName, LendingFromName);
  fields("MaximumSnapshots", options.MaximumSnapshots);
  fields.AsText("WhenFull", options.WhenFull, FullRingName, FullRingFromName);
  fields("FullRingLimit", limit);
  fields("Transport", options.Transport);
  fields("Files", options.Files);
  fields("ExpectedFileSize", options.ExpectedFileSize);
  fields("AlsoOnDisk", options.AlsoOnDisk);
  fields("Checkpoints", options.Checkpoints);
  options.FullRingLimit = Seconds(limit);
}

}
