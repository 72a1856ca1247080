// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/SettingsService.h"

#include "Base/Environment.h"
#include "Base/Error.h"
#include "Base/Log.h"
#include "Base/RoundUp.h"
#include "Protocol/SessionMessages.h"

#include <algorithm>
#include <set>
#include <utility>

namespace dsm
{

namespace
{
constexpr std::uint64_t Page = 4096;

Redistribution MapOf(const Redistribution& chosen, const ServerDescription& description)
{
  std::set<std::string> nodes;
  for (const HostDescription& host : description.Hosts)
  {
    nodes.insert(host.Node);
  }
  return chosen.OnNodes(nodes.size(), description.SlotSize);
}
}

SettingsService::SettingsService(
  const Parts& parts, std::uint64_t lent, std::function<void()> diskRuleChanged)
  : Part(parts)
  , LentAtStart(lent)
  , DiskRuleChanged(std::move(diskRuleChanged))
{
}

ImageManager::Policy SettingsService::PolicyOf(
  const ServerOptions& options, const ServerDescription& description)
{
  const auto most =
    options.MaximumSnapshots == 0 ? description.SlotCount - 1 : options.MaximumSnapshots;
  return { MapOf(options.Map, description), options.WhenFull, most, options.ExpectedFileSize,
    options.Checkpoints };
}

void SettingsService::AnnounceServer(const PeerId& id)
{
  CoreState& state = this->Part.State;
  Peer* const peer = this->Part.Peers.Find(id);
  if (peer && peer->KnownRevision != state.Revision)
  {
    peer->KnownRevision = state.Revision;
    peer->AllocationTimeout = state.Options.FullRingLimit;
    this->Part.Channel.Send(
      id, ServerChanged{ state.Description, state.Options.FullRingLimit.count() });
  }
}

void SettingsService::NoteChange(const char* what)
{
  if (std::find(this->Changes.begin(), this->Changes.end(), what) == this->Changes.end())
  {
    this->Changes.emplace_back(what);
  }
}

void SettingsService::NoteChanges(const Redistribution& map)
{
  const Redistribution& before = this->Part.State.Options.Map;
  const auto note = [this](const char* what, bool changed)
  {
    if (changed)
    {
      this->NoteChange(what);
    }
  };
  note("strategy", map.Strategy != before.Strategy);
  note("block size", map.BlockSize != before.BlockSize);
  note("blocks per cycle", map.BlocksPerCycle != before.BlocksPerCycle);
  note("seed", map.Seed != before.Seed);
}

void SettingsService::SetMap(const Redistribution& map)
{
  CoreState& state = this->Part.State;
  auto policy = this->Part.Images.GetPolicy();
  policy.Map = MapOf(map, state.Description);
  this->Part.Images.SetPolicy(policy); // or throws
  this->NoteChanges(map);
  state.Options.Map = map;
}

void SettingsService::SetFilePolicy(const FilePolicy& filePolicy)
{
  this->Part.State.Options.Files = filePolicy;
  this->AnnounceFilePolicy();
}

void SettingsService::SetDiskRule(const std::string& rule)
{
  this->Part.Disk.SetRule(rule);
  this->DiskRuleChanged();
}

FilePolicy SettingsService::ToldFilePolicy() const
{
  FilePolicy told = this->Part.State.Options.Files;
  told.MayBeOnDisk = this->Part.Disk.MayBeThere();
  return told;
}

// Peers hear of it at once: a simulation asks nothing before a flush.
void SettingsService::AnnounceFilePolicy()
{
  for (const auto& [id, peer] : this->Part.Peers.All())
  {
    if (this->Part.State.IsOpen && !peer.Host)
    {
      this->Part.Channel.Send(id, FilePolicyChanged{ this->ToldFilePolicy() });
    }
  }
}

// Returns what each host lends by these options.
std::uint64_t SettingsService::BudgetFor(const ServerOptions& options) const
{
  const CoreState& state = this->Part.State;
  // Pinned memory is a whole number of slots, the nearest to what was said. A panel has MiB.
  const bool same = state.Description.Pinned &&
    (options.MemoryPerHost == state.Options.MemoryPerHost ||
      options.MemoryPerHost >> 20 == this->LentAtStart >> 20);
  return options.MemoryPerHost == 0 || same ? this->LentAtStart
                                            : RoundUp(options.MemoryPerHost, Page);
}

void SettingsService::Check(const ServerOptions& options) const
{
  const ServerDescription& description = this->Part.State.Description;
  const std::uint64_t budget = this->BudgetFor(options);
  if (description.Pinned && budget != this->LentAtStart)
  {
    throw Error(Fault::Usage,
      "cannot change the memory per host: the running server shares {} of pinned memory per host. "
      "To change that, stop hosting and start again",
      environment::FormatBytes(this->LentAtStart));
  }
  if (!description.Pinned && budget > description.SlotSize)
  {
    throw Error(Fault::Usage,
      "{} is more than the running server can grow to ({}). To use more, stop hosting and start "
      "again",
      environment::FormatBytes(budget), environment::FormatBytes(description.SlotSize));
  }
  if (options.MaximumSnapshots >= description.SlotCount)
  {
    throw Error(Fault::Usage,
      "{} snapshots are more than the running server can keep ({}). To keep more, stop hosting and "
      "start again",
      options.MaximumSnapshots, description.SlotCount - 1);
  }
  if (!(options.FullRingLimit >= Seconds(0)))
  {
    throw Error(Fault::Usage, "a simulation cannot wait {} seconds for room: give 0 or more",
      options.FullRingLimit.count());
  }
  const AddressMap possible(
    options.Map.Over(description.Hosts.size(), description.Pinned ? description.SlotSize : budget));
  static_cast<void>(KeepRule::FromText(options.AlsoOnDisk));
}

void SettingsService::Adjust(const ServerOptions& options, const ServerDescription& description)
{
  this->Check(options);
  CoreState& state = this->Part.State;
  if (description != state.Description)
  {
    this->NoteChange("transport");
    state.Description = description;
    ++state.Revision;
  }
  if (options.FullRingLimit != state.Options.FullRingLimit)
  {
    ++state.Revision;
  }
  const std::uint64_t budget = this->BudgetFor(options);
  if (budget != this->Part.Images.Memory().Budget())
  {
    this->Part.Hosts.Submit(this->Part.Images.SetBudget(budget));
    Log().info("each host shares {} now", environment::FormatBytes(budget));
  }
  this->Part.Images.SetPolicy(PolicyOf(options, state.Description));
  this->NoteChanges(options.Map);
  const std::string contact = state.Options.ContactFile;
  const FilePolicy told = this->ToldFilePolicy();
  if (options.AlsoOnDisk != state.Options.AlsoOnDisk)
  {
    this->SetDiskRule(options.AlsoOnDisk);
  }
  state.Options = options;
  state.Options.ContactFile = contact;
  if (this->ToldFilePolicy() != told)
  {
    this->AnnounceFilePolicy();
  }
}

}
