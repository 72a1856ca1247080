// SPDX-License-Identifier: BSD-3-Clause
#include "Session/SnapshotTable.h"

#include "Base/FileName.h"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <utility>

namespace dsm
{

namespace
{
// Names of files take 200 bytes, say.
constexpr std::size_t MostGone = 65536;
}

const SnapshotDescription& SnapshotTable::Add(SnapshotDescription snapshot)
{
  snapshot.Number = ++this->Last;
  this->Named[snapshot.FileName].insert(snapshot.Number);
  return this->Entries.emplace_back(Entry{ std::move(snapshot) }).Snapshot;
}

const SnapshotTable::Entry* SnapshotTable::Lookup(std::uint64_t number) const
{
  const auto found = this->FirstFrom(number);
  return found == this->Entries.end() || found->Snapshot.Number != number ? nullptr : &*found;
}

// They are in the order of their numbers.
std::deque<SnapshotTable::Entry>::const_iterator SnapshotTable::FirstFrom(
  std::uint64_t number) const
{
  return std::lower_bound(this->Entries.begin(), this->Entries.end(), number,
    [](const Entry& entry, std::uint64_t wanted) { return entry.Snapshot.Number < wanted; });
}

SnapshotTable::Entry* SnapshotTable::Lookup(std::uint64_t number)
{
  return const_cast<Entry*>(std::as_const(*this).Lookup(number));
}

void SnapshotTable::Update(const SnapshotDescription& snapshot)
{
  if (Entry* entry = this->Lookup(snapshot.Number))
  {
    entry->Snapshot = snapshot;
  }
}

const SnapshotDescription* SnapshotTable::Find(std::uint64_t number) const
{
  const Entry* entry = this->Lookup(number);
  return entry ? &entry->Snapshot : nullptr;
}

const SnapshotDescription* SnapshotTable::NewestNamed(const std::string& fileName) const
{
  const auto found = this->Named.find(fileName);
  return found == this->Named.end() ? nullptr : this->Find(*found->second.rbegin());
}

std::optional<SnapshotTable::GoneSnapshot> SnapshotTable::GoneNamed(
  const std::string& fileName) const
{
  const auto gone = this->Gone.find(fileName);
  const SnapshotDescription* newest = this->NewestNamed(fileName);
  if (gone == this->Gone.end() || (newest && newest->Number > gone->second.Number))
  {
    return std::nullopt;
  }
  return gone->second;
}

void SnapshotTable::NoteGone(const SnapshotDescription& snapshot)
{
  const auto [gone, isNew] = this->Gone.try_emplace(snapshot.FileName);
  if (snapshot.Number > gone->second.Number)
  {
    gone->second = { snapshot.Number, snapshot.SealedAt };
  }
  if (isNew)
  {
    this->GoneInOrder.push_back(snapshot.FileName);
  }
  if (this->GoneInOrder.size() > MostGone)
  {
    this->Gone.erase(this->GoneInOrder.front());
    this->GoneInOrder.pop_front();
  }
}

void SnapshotTable::Hide(std::uint64_t number)
{
  if (Entry* entry = this->Lookup(number))
  {
    entry->Hidden = true;
  }
}

void SnapshotTable::Show(std::uint64_t number)
{
  if (Entry* entry = this->Lookup(number))
  {
    entry->Hidden = false;
  }
}

void SnapshotTable::ReplaceHidden(std::uint64_t number)
{
  Entry* entry = this->Lookup(number);
  if (entry && entry->Hidden)
  {
    entry->Replaced = true;
    entry->Read = true;
  }
}

const SnapshotDescription* SnapshotTable::NewestMatching(const std::string& pattern) const
{
  const Entry* hidden = nullptr;
  for (const Entry& entry : std::ranges::reverse_view(this->Entries))
  {
    if (!pattern.empty() && !MatchesPattern(pattern, entry.Snapshot.FileName))
    {
      continue;
    }
    if (!entry.Hidden)
    {
      return &entry.Snapshot;
    }
    hidden = hidden ? hidden : &entry;
  }
  return hidden ? &hidden->Snapshot : nullptr;
}

const SnapshotDescription* SnapshotTable::After(std::uint64_t after, bool next) const
{
  const auto shown = [](const Entry& entry) { return !entry.Hidden; };
  const auto first = this->FirstFrom(after + 1);
  if (next)
  {
    const auto found = std::find_if(first, this->Entries.end(), shown);
    return found == this->Entries.end() ? nullptr : &found->Snapshot;
  }
  const auto last = std::make_reverse_iterator(first);
  const auto found = std::find_if(this->Entries.rbegin(), last, shown);
  return found == last ? nullptr : &found->Snapshot;
}

std::vector<std::uint64_t> SnapshotTable::SharersOf(std::uint64_t slot) const
{
  std::vector<std::uint64_t> sharers;
  for (const Entry& entry : this->Entries)
  {
    if (entry.Snapshot.Shared && entry.Snapshot.Shared->Slot == slot)
    {
      sharers.push_back(entry.Snapshot.Number);
    }
  }
  return sharers;
}

void SnapshotTable::Retain(std::uint64_t number)
{
  if (Entry* entry = this->Lookup(number))
  {
    ++entry->References;
  }
}

void SnapshotTable::Release(std::uint64_t number, bool read)
{
  Entry* entry = this->Lookup(number);
  if (entry && entry->References > 0)
  {
    --entry->References;
    entry->Read = entry->Read || (read && entry->Takers == 0);
  }
}

void SnapshotTable::Take(std::uint64_t number)
{
  this->Retain(number);
  if (Entry* entry = this->Lookup(number))
  {
    ++entry->Takers;
  }
}

void SnapshotTable::GiveBack(std::uint64_t number)
{
  Entry* entry = this->Lookup(number);
  if (entry && entry->Takers > 0)
  {
    this->TakerLost(number);
    entry->Read = true;
  }
}

void SnapshotTable::TakerLost(std::uint64_t number)
{
  Entry* entry = this->Lookup(number);
  if (entry && entry->Takers > 0)
  {
    --entry->Takers;
    --entry->References;
  }
}

std::vector<std::uint64_t> SnapshotTable::Evictable(bool unreadToo) const
{
  std::vector<std::uint64_t> numbers;
  for (const bool replaced : { true, false })
  {
    for (const Entry& entry : this->Entries)
    {
      if (entry.Replaced == replaced && entry.References == 0 && (entry.Read || unreadToo))
      {
        numbers.push_back(entry.Snapshot.Number);
      }
    }
  }
  return numbers;
}

std::optional<std::uint64_t> SnapshotTable::OldestEvictable(bool unreadToo) const
{
  const auto numbers = this->Evictable(unreadToo);
  return numbers.empty() ? std::nullopt : std::optional(numbers.front());
}

bool SnapshotTable::WasRead(std::uint64_t number) const
{
  const Entry* entry = this->Lookup(number);
  return entry && entry->Read;
}

std::uint64_t SnapshotTable::ForgetName(const std::string& fileName)
{
  const auto named = this->Named.extract(fileName);
  const std::uint64_t forgotten = named ? named.mapped().size() : 0;
  if (this->Gone.erase(fileName) > 0)
  {
    std::erase(this->GoneInOrder, fileName);
  }
  return forgotten;
}

SnapshotDescription SnapshotTable::Remove(std::uint64_t number)
{
  const auto found = this->FirstFrom(number);
  SnapshotDescription snapshot = found->Snapshot;
  const auto named = this->Named.find(snapshot.FileName);
  if (named != this->Named.end() && named->second.erase(number) > 0)
  {
    this->NoteGone(snapshot);
    if (named->second.empty())
    {
      this->Named.erase(named);
    }
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
    if (!entry.Hidden)
    {
      shown.push_back(entry.Snapshot);
    }
  }
  return shown;
}

}
