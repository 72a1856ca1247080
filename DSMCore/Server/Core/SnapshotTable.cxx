// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/SnapshotTable.h"

#include "Base/Error.h"
#include "Base/FileName.h"
#include "Server/Core/StreamBook.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <ranges>
#include <utility>

namespace dsm
{

namespace
{
constexpr SnapshotId MostNumber(std::numeric_limits<std::uint64_t>::max());
}

const SnapshotDescription& SnapshotTable::Add(SnapshotDescription snapshot, std::uint64_t expected)
{
  snapshot.Number = ++this->Last;
  snapshot.Family = snapshot.Family == 0 ? snapshot.Number : snapshot.Family;
  this->Named[snapshot.FileName].insert(snapshot.Number);
  this->NoteSharing(snapshot, true);
  Entry& entry = this->Entries.emplace_back(Entry{ std::move(snapshot) });
  entry.Expected = expected;
  return entry.Snapshot;
}

const SnapshotTable::Entry* SnapshotTable::Lookup(SnapshotId number) const
{
  const auto found = this->FirstFrom(number);
  return found == this->Entries.end() || found->Snapshot.Number != number ? nullptr : &*found;
}

// They are in the order of their numbers.
std::deque<SnapshotTable::Entry>::const_iterator SnapshotTable::FirstFrom(SnapshotId number) const
{
  return std::lower_bound(this->Entries.begin(), this->Entries.end(), number,
    [](const Entry& entry, SnapshotId wanted) { return entry.Snapshot.Number < wanted; });
}

SnapshotTable::Entry* SnapshotTable::Lookup(SnapshotId number)
{
  return const_cast<Entry*>(std::as_const(*this).Lookup(number));
}

void SnapshotTable::Update(const SnapshotDescription& snapshot)
{
  if (Entry* entry = this->Lookup(snapshot.Number))
  {
    const SnapshotDescription known = std::exchange(entry->Snapshot, snapshot);
    this->NoteSharing(known, false);
    this->NoteSharing(snapshot, true);
    entry->Snapshot.Parts = known.Parts;
    entry->Snapshot.Step = known.Step;
    entry->Snapshot.Count = known.Count;
    entry->Snapshot.FileName = known.FileName;
    entry->Snapshot.Stream = known.Stream;
  }
}

void SnapshotTable::Rename(const Renaming& rename)
{
  for (Entry& entry : this->Entries)
  {
    SnapshotDescription& snapshot = entry.Snapshot;
    std::optional<double> step = snapshot.Step;
    rename(snapshot.FileName, snapshot.Stream, step);
    if (entry.Lead == 0)
    {
      snapshot.Step = step.value_or(snapshot.Count);
    }
  }
}

const SnapshotDescription* SnapshotTable::Find(SnapshotId number) const
{
  const Entry* entry = this->Lookup(number);
  return entry ? &entry->Snapshot : nullptr;
}

const SnapshotDescription* SnapshotTable::NewestNamed(const std::string& fileName) const
{
  const auto found = this->Named.find(fileName);
  return found == this->Named.end() ? nullptr : this->Find(*found->second.rbegin());
}

const SnapshotDescription* SnapshotTable::NewestOfFamily(SnapshotId family) const
{
  const auto found = std::find_if(this->Entries.rbegin(), this->Entries.rend(),
    [&](const Entry& entry) { return entry.Snapshot.Family == family; });
  return found == this->Entries.rend() ? nullptr : &found->Snapshot;
}

std::optional<SnapshotTable::GoneSnapshot> SnapshotTable::GoneNamed(
  const std::string& fileName) const
{
  const GoneSnapshot* const gone = this->Gone.Find(fileName);
  const SnapshotDescription* newest = this->NewestNamed(fileName);
  if (!gone || (newest && newest->Number > gone->Number))
  {
    return std::nullopt;
  }
  return *gone;
}

void SnapshotTable::NoteGone(const SnapshotDescription& snapshot)
{
  const bool isNew = !this->Gone.Find(snapshot.FileName);
  GoneSnapshot& last = this->Gone[snapshot.FileName];
  last.First = isNew ? snapshot.Number : std::min(last.First, snapshot.Number);
  if (snapshot.Number > last.Number)
  {
    last.Number = snapshot.Number;
    last.SealedAt = snapshot.SealedAt;
  }
}

// A snapshot in several parts counts once, when the first of them goes.
void SnapshotTable::NoteGoneShown(const Entry& entry)
{
  const SnapshotId number = entry.Lead != 0 ? entry.Lead : entry.Snapshot.Number;
  const Entry* const whole = this->Lookup(number);
  if (whole && !whole->Hidden)
  {
    this->GoneShown.insert(number);
    if (this->GoneShown.size() > MostGone)
    {
      this->GoneShown.erase(this->GoneShown.begin());
    }
  }
}

// The first number that a name ever had, as far as it is known; the highest if it never had one.
SnapshotId SnapshotTable::FirstNamed(const std::string& fileName) const
{
  const auto named = this->Named.find(fileName);
  const SnapshotId first = named == this->Named.end() ? MostNumber : *named->second.begin();
  const GoneSnapshot* const gone = this->Gone.Find(fileName);
  return gone ? std::min(first, gone->First) : first;
}

const SnapshotDescription& SnapshotTable::Version(
  const std::string& fileName, SnapshotId known, SnapshotId master) const
{
  const SnapshotDescription* const whole = this->Find(master);
  const auto throwGone = [&]
  {
    throw Error(Fault::Gone,
      "{} as it was for snapshot {}{} has left the DSM server's ring to make room: keep more "
      "snapshots (more memory per host), or save them (dsm-serve --save)",
      fileName, master, whole ? " (" + whole->FileName + ")" : std::string());
  };
  if (!whole)
  {
    throwGone();
  }
  if (whole->FileName == fileName)
  {
    return *whole;
  }
  std::set<SnapshotId> versions;
  if (const auto named = this->Named.find(fileName); named != this->Named.end())
  {
    versions = named->second;
  }
  const SnapshotDescription* const other = this->Find(known);
  if (other && other->FileName != fileName)
  {
    for (const Entry& entry : this->Entries)
    {
      if (entry.Snapshot.Family == other->Family)
      {
        versions.insert(entry.Snapshot.Number);
      }
    }
  }
  const GoneSnapshot* const gone = this->Gone.Find(fileName);
  if (versions.empty() && !gone)
  {
    this->ThrowNone("\"" + fileName + "\"");
  }
  const SnapshotId first =
    std::min(this->FirstNamed(fileName), versions.empty() ? MostNumber : *versions.begin());
  SnapshotId end = master;
  const auto wholes = this->Named.find(whole->FileName);
  if (wholes != this->Named.end() && first > this->FirstNamed(whole->FileName))
  {
    const auto next = wholes->second.upper_bound(master);
    end = next == wholes->second.end() ? MostNumber : *next;
  }
  const auto after = versions.lower_bound(end);
  const SnapshotId before = after == versions.begin() ? SnapshotId(0) : *std::prev(after);
  const SnapshotId lost = gone && gone->Number < end ? gone->Number : SnapshotId(0);
  if (before != 0 && before > lost)
  {
    return *this->Find(before);
  }
  // If there was none then, the file came into being later.
  if (first < end || after == versions.end() || (gone && gone->First < *after))
  {
    throwGone();
  }
  return *this->Find(*after);
}

void SnapshotTable::Hide(SnapshotId number)
{
  if (Entry* entry = this->Lookup(number))
  {
    entry->Hidden = true;
  }
}

void SnapshotTable::Show(SnapshotId number, bool lacksParts)
{
  if (Entry* entry = this->Lookup(number))
  {
    entry->Hidden = false;
    entry->Expected = 0;
    entry->LacksParts = lacksParts;
  }
}

void SnapshotTable::ReplaceHidden(SnapshotId number)
{
  Entry* entry = this->Lookup(number);
  if (entry && entry->Hidden)
  {
    entry->Replaced = true;
    entry->Read = true;
  }
}

bool SnapshotTable::WasReplaced(SnapshotId number) const
{
  const Entry* entry = this->Lookup(number);
  return entry && entry->Replaced;
}

void SnapshotTable::Gather(const std::vector<SnapshotId>& parts, const std::string& name)
{
  Group group{ parts, this->NameOf(parts, name) };
  std::sort(group.Numbers.begin(), group.Numbers.end());
  std::erase_if(group.Numbers, [this](SnapshotId number) { return !this->Lookup(number); });
  if (group.Numbers.empty())
  {
    return;
  }
  const SnapshotId last = group.Numbers.back();
  for (const SnapshotId number : group.Numbers)
  {
    Entry* part = this->Lookup(number);
    this->Groups.erase(part->Lead);
    part->Lead = last;
    part->Expected = 0;
    part->Snapshot.Parts.clear();
  }
  Entry* lead = this->Lookup(last);
  lead->Snapshot.Parts = parts;
  // The last number may be the part's.
  if (StepFromName(lead->Snapshot.FileName) == lead->Snapshot.Step)
  {
    lead->Snapshot.Step = StepFromName(group.Name).value_or(lead->Snapshot.Step);
  }
  this->Groups[last] = std::move(group);
}

std::vector<SnapshotId> SnapshotTable::GroupOf(SnapshotId number) const
{
  const Entry* entry = this->Lookup(number);
  return entry && entry->Lead != 0 ? this->Groups.at(entry->Lead).Numbers
                                   : std::vector<SnapshotId>{ number };
}

void SnapshotTable::ThrowNone(const std::string& which) const
{
  throw Error(Fault::Refused, "there is no snapshot {} in the DSM server's ring: it holds {}",
    which,
    this->Entries.empty()
      ? std::string("none yet")
      : fmt::format("{} of them, numbers {} to {}", this->Entries.size(),
          this->Entries.front().Snapshot.Number, this->Entries.back().Snapshot.Number));
}

// One that is only a part of others is found where it fits and the whole does not.
const SnapshotDescription* SnapshotTable::NewestMatching(const std::string& pattern) const
{
  const Entry* hidden = nullptr;
  for (const Entry& entry : std::ranges::reverse_view(this->Entries))
  {
    if (!FitsStream(pattern, entry.Snapshot.FileName, entry.Snapshot.Stream, entry.Snapshot.Run))
    {
      continue;
    }
    if (!this->StandsForItself(entry))
    {
      const Entry& lead = *this->Lookup(entry.Lead);
      if (FitsStream(pattern, lead.Snapshot.FileName, lead.Snapshot.Stream, lead.Snapshot.Run))
      {
        return &lead.Snapshot;
      }
    }
    if (!entry.Hidden)
    {
      return &entry.Snapshot;
    }
    hidden = hidden ? hidden : &entry;
  }
  return hidden ? &hidden->Snapshot : nullptr;
}

const SnapshotDescription* SnapshotTable::After(SnapshotId after, bool next) const
{
  const auto shown = [this](const Entry& entry)
  { return !entry.Hidden && this->StandsForItself(entry); };
  const auto first = this->FirstFrom(SnapshotId(after + 1));
  if (next)
  {
    const auto found = std::find_if(first, this->Entries.end(), shown);
    return found == this->Entries.end() ? nullptr : &found->Snapshot;
  }
  const auto last = std::make_reverse_iterator(first);
  const auto found = std::find_if(this->Entries.rbegin(), last, shown);
  return found == last ? nullptr : &found->Snapshot;
}

const SnapshotDescription* SnapshotTable::NextNamed(
  const std::string& fileName, SnapshotId after) const
{
  const auto named = this->Named.find(fileName);
  if (named == this->Named.end())
  {
    return nullptr;
  }
  for (auto number = named->second.upper_bound(after); number != named->second.end(); ++number)
  {
    const Entry* entry = this->Lookup(*number);
    const Entry* lead = this->StandsForItself(*entry) ? entry : this->Lookup(entry->Lead);
    if (!lead->Hidden)
    {
      return &entry->Snapshot;
    }
  }
  return nullptr;
}

void SnapshotTable::NoteSharing(const SnapshotDescription& snapshot, bool shares)
{
  if (!snapshot.Shared)
  {
    return;
  }
  const auto sharers = this->Sharers.try_emplace(snapshot.Shared->Slot).first;
  if (shares)
  {
    sharers->second.insert(snapshot.Number);
    return;
  }
  sharers->second.erase(snapshot.Number);
  if (sharers->second.empty())
  {
    this->Sharers.erase(sharers);
  }
}

const std::set<SnapshotId>& SnapshotTable::SharersOf(SlotIndex slot) const
{
  static const std::set<SnapshotId> none;
  const auto found = this->Sharers.find(slot);
  return found == this->Sharers.end() ? none : found->second;
}

bool SnapshotTable::IsKept(SnapshotId number) const
{
  const std::set<SnapshotId> checkpoints = this->KeptCheckpoints();
  const auto group = this->GroupOf(number);
  return std::any_of(group.begin(), group.end(),
    [&](SnapshotId part)
    {
      const Entry& entry = *this->Lookup(part);
      return entry.References > entry.Takers || checkpoints.contains(part);
    });
}

void SnapshotTable::Retain(SnapshotId number)
{
  if (Entry* entry = this->Lookup(number))
  {
    ++entry->References;
  }
}

void SnapshotTable::Release(SnapshotId number, bool read)
{
  Entry* entry = this->Lookup(number);
  if (entry && entry->References > 0)
  {
    --entry->References;
    entry->Read = entry->Read || (read && entry->Takers == 0);
  }
}

void SnapshotTable::Spare(SnapshotId number)
{
  if (Entry* entry = this->Lookup(number))
  {
    ++entry->Spares;
  }
}

void SnapshotTable::EndSpare(SnapshotId number)
{
  Entry* entry = this->Lookup(number);
  if (entry && entry->Spares > 0)
  {
    --entry->Spares;
  }
}

bool SnapshotTable::IsSpared(SnapshotId number) const
{
  return this->Spared().contains(number);
}

// Returns those that are spared, with all that are one with them; none if too few others are there.
std::set<SnapshotId> SnapshotTable::Spared() const
{
  constexpr std::uint64_t leastOthers = 2;
  std::set<SnapshotId> spared;
  for (const Entry& entry : this->Entries)
  {
    if (entry.Spares > 0 && !entry.Replaced)
    {
      const auto group = this->GroupOf(entry.Snapshot.Number);
      spared.insert(group.begin(), group.end());
    }
  }
  if (!spared.empty() && this->Count({ spared.begin(), spared.end() }) < leastOthers)
  {
    spared.clear();
  }
  return spared;
}

void SnapshotTable::Take(SnapshotId number)
{
  this->Retain(number);
  if (Entry* entry = this->Lookup(number))
  {
    ++entry->Takers;
  }
}

void SnapshotTable::GiveBack(SnapshotId number)
{
  Entry* entry = this->Lookup(number);
  if (entry && entry->Takers > 0)
  {
    this->TakerLost(number);
    entry->Read = true;
  }
}

void SnapshotTable::TakerLost(SnapshotId number)
{
  Entry* entry = this->Lookup(number);
  if (entry && entry->Takers > 0)
  {
    --entry->Takers;
    --entry->References;
  }
}

bool SnapshotTable::IsCheckpoint(const Entry& entry) const
{
  const SnapshotDescription& snapshot = entry.Snapshot;
  const auto named = this->Named.find(snapshot.FileName);
  const bool isThere = named != this->Named.end() && named->second.contains(snapshot.Number);
  return isThere && !entry.Replaced &&
    FitsStream(this->Checkpoints, snapshot.FileName, snapshot.Stream);
}

// Viewers are not told yet of the parts of a group that is not whole. If the newest group that they
// know lacks parts, the newest whole one stays as well, and nothing between them.
std::set<SnapshotId> SnapshotTable::KeptCheckpoints() const
{
  std::set<SnapshotId> kept;
  if (this->Checkpoints.empty() || this->Checkpoints == "none")
  {
    return kept;
  }
  struct Newest
  {
    std::set<SnapshotId> Shown; ///< the leads of those that stay
    bool HasWhole = false;
  };
  std::map<std::string, Newest> streams;
  for (const Entry& entry : std::views::reverse(this->Entries))
  {
    if (!this->IsCheckpoint(entry))
    {
      continue;
    }
    Newest& newest = streams[entry.Snapshot.Stream];
    const SnapshotId lead = entry.Lead != 0 ? entry.Lead : entry.Snapshot.Number;
    const bool isPart = entry.Hidden || newest.Shown.contains(lead);
    if (!isPart && (newest.HasWhole || (entry.LacksParts && !newest.Shown.empty())))
    {
      continue;
    }
    kept.insert(entry.Snapshot.Number);
    if (!entry.Hidden)
    {
      newest.Shown.insert(lead);
    }
    newest.HasWhole = newest.HasWhole || (!IsExpected(entry) && !entry.LacksParts);
  }
  return kept;
}

std::vector<SnapshotId> SnapshotTable::Evictable(
  bool unreadToo, const std::function<bool(const SnapshotDescription&)>& isInUse) const
{
  const std::set<SnapshotId> checkpoints = this->KeptCheckpoints();
  const std::set<SnapshotId> spared = this->Spared();
  std::vector<SnapshotId> numbers;
  for (const bool replaced : { true, false })
  {
    for (const Entry& entry : this->Entries)
    {
      if (entry.Lead != 0)
      {
        // With the first part, all of them or none.
        const auto& group = this->Groups.at(entry.Lead).Numbers;
        const bool free = !replaced && entry.Snapshot.Number == group.front() &&
          (unreadToo || this->Lookup(entry.Lead)->Read) &&
          std::all_of(group.begin(), group.end(),
            [&](SnapshotId part)
            {
              const Entry& file = *this->Lookup(part);
              return file.References == 0 && !checkpoints.contains(part) && !isInUse(file.Snapshot);
            });
        if (free)
        {
          numbers.insert(numbers.end(), group.begin(), group.end());
        }
      }
      else if (entry.Replaced == replaced && entry.References == 0 && (entry.Read || unreadToo) &&
        !checkpoints.contains(entry.Snapshot.Number) && !isInUse(entry.Snapshot))
      {
        numbers.push_back(entry.Snapshot.Number);
      }
    }
  }
  std::ranges::stable_partition(
    numbers, [&](SnapshotId number) { return !spared.contains(number); });
  return numbers;
}

bool SnapshotTable::WasRead(SnapshotId number) const
{
  const Entry* entry = this->Lookup(number);
  const Entry* lead = entry && entry->Lead != 0 ? this->Lookup(entry->Lead) : entry;
  return lead && lead->Read;
}

std::uint64_t SnapshotTable::ForgetName(const std::string& fileName)
{
  const auto named = this->Named.extract(fileName);
  const std::uint64_t forgotten = named ? named.mapped().size() : 0;
  this->Gone.Erase(fileName);
  return forgotten;
}

// Returns the name of a group of snapshots: `name`, unless their files were renamed.
std::string SnapshotTable::NameOf(
  const std::vector<SnapshotId>& parts, const std::string& name) const
{
  std::vector<NumberedName> names;
  bool renamed = false;
  for (const SnapshotId part : parts)
  {
    if (const Entry* entry = this->Lookup(part))
    {
      names.emplace_back(entry->Snapshot.FileName);
      renamed = renamed || entry->Renamed;
    }
  }
  if (!renamed)
  {
    return name;
  }
  const NumberedName& first = names.front();
  std::vector<bool> differs(first.Numbers.size(), false);
  for (const NumberedName& other : names)
  {
    if (other.Between != first.Between)
    {
      return name; // some of them still have their old names
    }
    for (std::size_t number = 0; number < differs.size(); ++number)
    {
      differs[number] = differs[number] || other.Numbers[number] != first.Numbers[number];
    }
  }
  return first.With("*", differs);
}

std::vector<SnapshotDescription> SnapshotTable::Rename(SnapshotId number, const std::string& name,
  const std::string& stream, const std::optional<double>& step)
{
  const Entry* renamed = this->Lookup(number);
  if (!renamed || renamed->Snapshot.FileName == name)
  {
    return {};
  }
  const std::string before = renamed->Snapshot.FileName;
  std::set<SnapshotId> moved{ number };
  if (const auto named = this->Named.find(before); named != this->Named.end())
  {
    const auto end = named->second.upper_bound(number);
    moved.insert(named->second.begin(), end);
    named->second.erase(named->second.begin(), end);
    if (named->second.empty())
    {
      this->Named.erase(named);
    }
  }
  // Older snapshots of the new name stay: they are what it was before.
  std::set<SnapshotId>& there = this->Named[name];
  there.erase(there.upper_bound(number), there.end());
  there.insert(moved.begin(), moved.end());
  this->Gone.Erase(before);
  this->Gone.Erase(name);
  std::vector<SnapshotDescription> changed;
  for (const SnapshotId one : moved)
  {
    Entry& entry = *this->Lookup(one);
    changed.push_back(entry.Snapshot);
    entry.Snapshot.FileName = name;
    entry.Snapshot.Stream = stream;
    entry.Snapshot.Step = step.value_or(entry.Snapshot.Step);
    entry.Renamed = true;
    if (const auto group = this->Groups.find(entry.Lead); group != this->Groups.end())
    {
      group->second.Name = this->NameOf(group->second.Numbers, group->second.Name);
    }
  }
  return changed;
}

SnapshotDescription SnapshotTable::Remove(SnapshotId number)
{
  const auto found = this->FirstFrom(number);
  SnapshotDescription snapshot = found->Snapshot;
  this->NoteSharing(snapshot, false);
  const auto named = this->Named.find(snapshot.FileName);
  if (named != this->Named.end() && named->second.erase(number) > 0)
  {
    this->NoteGone(snapshot);
    if (named->second.empty())
    {
      this->Named.erase(named);
    }
  }
  this->NoteGoneShown(*found);
  // The whole is gone with the first of its parts.
  const auto group = this->Groups.extract(found->Lead);
  for (const SnapshotId part : group ? group.mapped().Numbers : std::vector<SnapshotId>())
  {
    Entry* entry = this->Lookup(part);
    entry->Lead = 0;
    entry->Snapshot.Parts.clear();
    entry->Hidden = entry->Replaced = entry->Read = true;
  }
  this->Entries.erase(found);
  return snapshot;
}

std::vector<SnapshotDescription> SnapshotTable::All() const
{
  std::vector<SnapshotDescription> all;
  all.reserve(this->Entries.size());
  for (const Entry& entry : this->Entries)
  {
    all.push_back(entry.Snapshot);
  }
  return all;
}

std::vector<SnapshotDescription> SnapshotTable::Shown() const
{
  std::vector<SnapshotDescription> shown;
  for (const Entry& entry : this->Entries)
  {
    if (!entry.Hidden && this->StandsForItself(entry))
    {
      shown.push_back(this->Described(entry));
    }
  }
  return shown;
}

SnapshotCounts SnapshotTable::CountsFor(SnapshotId from, SnapshotId to) const
{
  SnapshotCounts counts;
  counts.InMemory =
    static_cast<std::uint64_t>(std::count_if(this->Entries.begin(), this->Entries.end(),
      [this](const Entry& entry) { return !entry.Hidden && this->StandsForItself(entry); }));
  if (from != 0 && from < to)
  {
    counts.Missed = static_cast<std::uint64_t>(
      std::distance(this->GoneShown.upper_bound(from), this->GoneShown.lower_bound(to)));
  }
  return counts;
}

SnapshotDescription SnapshotTable::Described(SnapshotId number) const
{
  return this->Described(*this->Lookup(number));
}

SnapshotDescription SnapshotTable::Described(const Entry& entry) const
{
  SnapshotDescription whole = entry.Snapshot;
  if (entry.Lead != whole.Number)
  {
    return whole;
  }
  const Group& group = this->Groups.at(entry.Lead);
  whole.FileName = group.Name;
  whole.FileSize = 0;
  whole.Statistics = {};
  for (const SnapshotId number : group.Numbers)
  {
    const SnapshotDescription& part = this->Lookup(number)->Snapshot;
    whole.FileSize += part.FileSize;
    WriteStatistics& all = whole.Statistics;
    all.Bytes += part.Statistics.Bytes;
    all.WriteSeconds = std::max(all.WriteSeconds, part.Statistics.WriteSeconds);
    all.BlockedSeconds = std::max(all.BlockedSeconds, part.Statistics.BlockedSeconds);
    const auto& hosts = part.Statistics.HostBytes;
    all.HostBytes.resize(std::max(all.HostBytes.size(), hosts.size()));
    for (HostIndex host = 0; host < hosts.size(); ++host)
    {
      all.HostBytes[host] += hosts[host];
    }
  }
  return whole;
}

std::uint64_t SnapshotTable::Count(const std::vector<SnapshotId>& without) const
{
  const std::set<SnapshotId> gone(without.begin(), without.end());
  std::set<std::uint64_t> expected;
  std::uint64_t count = 0;
  for (const Entry& entry : this->Entries)
  {
    const bool isOne = this->StandsForItself(entry) && !gone.contains(entry.Snapshot.Number);
    if (isOne && (!IsExpected(entry) || expected.insert(entry.Expected).second))
    {
      ++count;
    }
  }
  return count;
}

bool SnapshotTable::Counts(SnapshotId number) const
{
  const Entry* entry = this->Lookup(number);
  return entry && this->StandsForItself(*entry) && !IsExpected(*entry);
}

}
