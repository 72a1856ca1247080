// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/SnapshotGroups.h"

#include <algorithm>
#include <limits>

namespace dsm
{

namespace
{
// Processes that write a step's files open them together: so long one is waited for whose name
// nobody knows yet.
const Seconds Quiet(1);

// How many files of one process are remembered, should others come that write as well.
constexpr std::size_t Remembered = 16;
// If there are more streams, idle ones are forgotten.
constexpr std::size_t MostStreams = 1024;

// How long one is waited for that has always written its file.
const Seconds Patience(10);

// While files come in one after the other nobody asks whether the others will.
const Seconds Between(0.05);

// The part's numbers, as numbers: "2" is before "10".
std::vector<std::pair<std::size_t, std::string>> OrderOf(
  const NumberedName& name, const std::vector<bool>& which)
{
  std::vector<std::pair<std::size_t, std::string>> order;
  for (std::size_t number = 0; number < name.Numbers.size(); ++number)
  {
    if (which[number])
    {
      const std::string& text = name.Numbers[number];
      const std::string value = text.substr(std::min(text.find_first_not_of('0'), text.size()));
      order.emplace_back(value.size(), value);
    }
  }
  return order;
}
}

SnapshotGroups::StreamKey SnapshotGroups::StreamOf(const Writer& writer, const NumberedName& name)
{
  return { writer.Job, name.With("#", std::vector<bool>(name.Numbers.size(), true)) };
}

SnapshotGroups::Joined SnapshotGroups::WouldJoin(
  const Writer& writer, const std::string& fileName) const
{
  if (writer.Job.empty())
  {
    return {};
  }
  const NumberedName name(fileName);
  const auto found = this->Streams.find(StreamOf(writer, name));
  if (found == this->Streams.end() || found->second.OfPart.empty())
  {
    return {};
  }
  const Stream& stream = found->second;
  const auto process = stream.Writers.find(writer.Peer);
  const bool again = process != stream.Writers.end() && process->second.Numbers == name.Numbers;
  const File file{ writer.Peer, name, again ? process->second.Times + 1 : 0 };
  const auto group = stream.Groups.find(KeyOf(stream, file));
  return group == stream.Groups.end() ? Joined()
                                      : Joined{ group->second.Order, group->second.Sealed > 0 };
}

SnapshotGroups::Joined SnapshotGroups::WillJoin(ImageId image)
{
  const auto found = this->Images.find(image);
  if (found == this->Images.end())
  {
    return {};
  }
  Stream& stream = this->Streams.at(found->second.In);
  if (stream.OfPart.empty())
  {
    return {};
  }
  const Gathering& group = this->GroupOf(stream, KeyOf(stream, found->second.What));
  return { group.Order, group.Sealed > 0 };
}

// A process has not always had this number.
void SnapshotGroups::Unfix(Stream& stream, Process& process, std::size_t number)
{
  process.Fixed[number] = false;
  auto& values = stream.Values[number];
  const auto value = values.find(process.Numbers[number]);
  if (--value->second == 0)
  {
    values.erase(value);
  }
}

void SnapshotGroups::Forget(Stream& stream, std::map<std::string, Process>::iterator writer)
{
  for (std::size_t number = 0; number < stream.Values.size(); ++number)
  {
    if (writer->second.Fixed[number])
    {
      Unfix(stream, writer->second, number);
    }
  }
  stream.Ended -= writer->second.Ended ? 1 : 0;
  stream.Writers.erase(writer);
}

// Who has the numbers that one had which has ended takes its place: it is of the next run, where
// launchers give jobs no names.
void SnapshotGroups::ReplaceEnded(Stream& stream, const NumberedName& name)
{
  const auto same = [&](const auto& writer)
  {
    const Process& process = writer.second;
    bool agrees = process.Ended;
    for (std::size_t number = 0; number < name.Numbers.size(); ++number)
    {
      agrees =
        agrees && (!process.Fixed[number] || process.Numbers[number] == name.Numbers[number]);
    }
    return agrees;
  };
  const auto before = stream.Ended == 0
    ? stream.Writers.end()
    : std::find_if(stream.Writers.begin(), stream.Writers.end(), same);
  if (before != stream.Writers.end())
  {
    Forget(stream, before);
  }
}

// What is known of who writes, with one more name.
SnapshotGroups::Process& SnapshotGroups::Learn(
  Stream& stream, const Writer& writer, const NumberedName& name)
{
  stream.Processes = writer.Processes;
  stream.Values.resize(name.Numbers.size());
  if (!stream.Writers.contains(writer.Peer))
  {
    ReplaceEnded(stream, name);
  }
  const auto [found, isNew] = stream.Writers.try_emplace(writer.Peer);
  Process& process = found->second;
  if (isNew)
  {
    process.IsOne = writer.IsOne;
    process.Numbers = name.Numbers;
    process.Fixed.assign(name.Numbers.size(), true);
    for (std::size_t number = 0; number < name.Numbers.size(); ++number)
    {
      ++stream.Values[number][name.Numbers[number]];
    }
    return process;
  }
  // The server had lost the process, which is back.
  stream.Ended -= std::exchange(process.Ended, false) ? 1 : 0;
  process.Times = process.Numbers == name.Numbers ? process.Times + 1 : 0;
  for (std::size_t number = 0; number < name.Numbers.size(); ++number)
  {
    if (process.Fixed[number] && process.Numbers[number] != name.Numbers[number])
    {
      Unfix(stream, process, number);
    }
  }
  process.Numbers = name.Numbers;
  return process;
}

void SnapshotGroups::Begun(
  ImageId image, const Writer& writer, const std::string& fileName, Time now)
{
  if (writer.Job.empty() || writer.Processes < 2)
  {
    return;
  }
  const NumberedName name(fileName);
  const StreamKey in = StreamOf(writer, name);
  Stream& stream = this->Streams[in];
  const Process& process = Learn(stream, writer, name);
  ++stream.Open;
  stream.LastBegun = now;
  this->Images.emplace(image, Known{ in, { writer.Peer, name, process.Times } });
  this->Decide(in, now);
}

// Which numbers are the part's. What was placed otherwise is placed again.
void SnapshotGroups::Decide(const StreamKey& in, Time now)
{
  Stream& stream = this->Streams.at(in);
  if (stream.Writers.size() < 2)
  {
    return;
  }
  std::vector<bool> ofPart;
  ofPart.reserve(stream.Values.size());
  for (const auto& values : stream.Values)
  {
    ofPart.push_back(values.size() == stream.Writers.size());
  }
  if (std::find(ofPart.begin(), ofPart.end(), true) == ofPart.end())
  {
    ofPart.clear();
  }
  if (ofPart == stream.OfPart && stream.Undecided.empty() && stream.ToldEach.empty())
  {
    return;
  }
  std::vector<Part> parts = std::exchange(stream.Undecided, {});
  for (auto& [key, group] : std::exchange(stream.Groups, {}))
  {
    for (Part& part : group.Parts)
    {
      this->Places.erase(part.Snapshot);
      if (!part.Told)
      {
        parts.push_back(std::move(part));
      }
    }
  }
  // Without numbers that tell the group it is not known which belong together of those.
  if (std::count(ofPart.begin(), ofPart.end(), true) < std::ssize(ofPart))
  {
    parts.insert(parts.end(), stream.ToldEach.begin(), stream.ToldEach.end());
  }
  stream.ToldEach.clear();
  stream.Settled = stream.Settled && !stream.OfPart.empty();
  stream.OfPart = std::move(ofPart);
  std::sort(parts.begin(), parts.end(),
    [](const Part& one, const Part& other) { return one.Snapshot < other.Snapshot; });
  for (Part& part : parts)
  {
    this->Place(in, std::move(part), now);
  }
}

void SnapshotGroups::Sealed(ImageId image, SnapshotId snapshot, bool goesOn)
{
  const auto found = this->Images.find(image);
  if (found == this->Images.end())
  {
    return;
  }
  Known& known = found->second;
  Stream& stream = this->Streams.at(known.In);
  this->Sealing.emplace(snapshot, known);
  ++stream.Coming;
  if (!stream.OfPart.empty())
  {
    ++this->GroupOf(stream, KeyOf(stream, known.What)).Sealed;
  }
  if (goesOn)
  {
    known.What.Times = ++stream.Writers.at(known.What.Peer).Times;
    return;
  }
  --stream.Open;
  this->Images.erase(found);
}

void SnapshotGroups::Ended(ImageId image, bool skipped)
{
  const auto node = this->Images.extract(image);
  if (!node)
  {
    return;
  }
  Stream& stream = this->Streams.at(node.mapped().In);
  --stream.Open;
  if (skipped && !stream.OfPart.empty())
  {
    this->GroupOf(stream, KeyOf(stream, node.mapped().What)).Broken = true;
  }
}

void SnapshotGroups::Gone(const std::string& peer, Time now)
{
  for (auto& [in, stream] : this->Streams)
  {
    const auto found = stream.Writers.find(peer);
    if (found != stream.Writers.end() && !std::exchange(found->second.Ended, true))
    {
      ++stream.Ended;
      stream.LastEnd = now;
    }
  }
}

void SnapshotGroups::Due(SnapshotId snapshot, Time now)
{
  const auto node = this->Sealing.extract(snapshot);
  if (!node)
  {
    this->Single.insert(snapshot);
    return;
  }
  Known& known = node.mapped();
  --this->Streams.at(known.In).Coming;
  this->Place(known.In, { snapshot, std::move(known.What) }, now);
}

SnapshotGroups::Key SnapshotGroups::KeyOf(const Stream& stream, const File& what)
{
  Key key({}, what.Times);
  for (std::size_t number = 0; number < stream.OfPart.size(); ++number)
  {
    if (!stream.OfPart[number])
    {
      key.first.push_back(what.Name.Numbers[number]);
    }
  }
  return key;
}

SnapshotGroups::Gathering& SnapshotGroups::GroupOf(Stream& stream, const Key& key)
{
  Gathering& group = stream.Groups[key];
  if (group.Order == 0)
  {
    group.Order = ++this->LastGroup;
  }
  return group;
}

void SnapshotGroups::Place(const StreamKey& in, Part part, Time now)
{
  Stream& stream = this->Streams.at(in);
  if (stream.OfPart.empty())
  {
    // Several processes that write a file together are likely all that write.
    const auto writer = stream.Writers.find(part.What.Peer); // another may have taken its place
    const bool isOne = writer == stream.Writers.end() || writer->second.IsOne;
    if (stream.Writers.size() > 1 || stream.Settled || !isOne)
    {
      this->TellEach(stream, { std::move(part) });
      return;
    }
    stream.Since = stream.Undecided.empty() ? now : stream.Since;
    stream.Undecided.push_back(std::move(part));
    return;
  }
  const Key key = KeyOf(stream, part.What);
  Gathering& group = this->GroupOf(stream, key);
  group.Latest = now;
  group.Last = std::max(group.Last, part.Snapshot);
  if (const auto writer = stream.Writers.find(part.What.Peer); writer != stream.Writers.end())
  {
    std::uint64_t& latest = writer->second.LatestGroup;
    latest = std::max(latest, group.Order);
  }
  this->Places[part.Snapshot] = { in, key };
  group.Parts.push_back(std::move(part));
}

// They are no parts of anything, as far as is known.
void SnapshotGroups::TellEach(Stream& stream, std::vector<Part> parts)
{
  for (Part& part : parts)
  {
    if (part.Told)
    {
      continue;
    }
    this->Single.insert(part.Snapshot);
    part.Told = true;
    if (stream.Writers.size() < 2)
    {
      stream.ToldEach.push_back(std::move(part));
    }
  }
  while (stream.ToldEach.size() > Remembered)
  {
    stream.ToldEach.pop_front();
  }
  stream.Settled = true;
}

std::optional<std::string> SnapshotGroups::Left(SnapshotId snapshot)
{
  this->Single.erase(snapshot);
  if (const auto node = this->Sealing.extract(snapshot))
  {
    --this->Streams.at(node.mapped().In).Coming;
  }
  for (auto& [in, stream] : this->Streams)
  {
    const auto gone = [&](const Part& part) { return part.Snapshot == snapshot; };
    std::erase_if(stream.Undecided, gone);
    std::erase_if(stream.ToldEach, gone);
  }
  const auto node = this->Places.extract(snapshot);
  if (!node)
  {
    return std::nullopt;
  }
  const auto& [in, key] = node.mapped();
  Stream& stream = this->Streams.at(in);
  Gathering& group = stream.Groups.at(key);
  const bool first = !std::exchange(group.Broken, true);
  return first && !group.Told
    ? std::optional(group.Parts.front().What.Name.With("*", stream.OfPart))
    : std::nullopt;
}

// Those that have always written, and neither have ended nor gone on.
std::uint64_t SnapshotGroups::Missing(const Stream& stream, const Gathering& group)
{
  return static_cast<std::uint64_t>(
    std::count_if(stream.Writers.begin(), stream.Writers.end(), [&](const auto& writer)
      { return !writer.second.Ended && writer.second.LatestGroup < group.Order; }));
}

bool SnapshotGroups::IsComplete(const Stream& stream, const Gathering& group, Time now)
{
  const Seconds waited = now - group.Latest;
  if (waited >= Patience || group.Told)
  {
    return true;
  }
  const std::size_t live = stream.Writers.size() - stream.Ended;
  if ((group.Parts.size() < live && waited < Between) || Missing(stream, group) > 0)
  {
    return false;
  }
  return stream.Settled || group.Parts.size() >= stream.Processes ||
    (stream.Open == 0 && stream.Coming == 0 && waited >= Quiet);
}

// Its parts are of no interest any more, and those that nobody has been told of never will be.
void SnapshotGroups::Drop(Gathering& group)
{
  for (const Part& part : std::exchange(group.Parts, {}))
  {
    if (this->Places.erase(part.Snapshot) > 0 && !part.Told)
    {
      this->Useless.push_back(part.Snapshot);
    }
  }
}

bool SnapshotGroups::HasNews(const Gathering& group)
{
  return std::any_of(
    group.Parts.begin(), group.Parts.end(), [](const Part& part) { return !part.Told; });
}

// Those before it are of no interest any more: who comes late belongs to it, or is later still.
SnapshotGroups::Group SnapshotGroups::Tell(const StreamKey& in, const Key& key)
{
  Stream& stream = this->Streams.at(in);
  Gathering& group = stream.Groups.at(key);
  std::sort(group.Parts.begin(), group.Parts.end(), [&](const Part& one, const Part& other)
    { return OrderOf(one.What.Name, stream.OfPart) < OrderOf(other.What.Name, stream.OfPart); });
  Group told;
  for (Part& part : group.Parts)
  {
    told.Snapshots.push_back(part.Snapshot);
    told.IsExtended = told.IsExtended || (part.Told && part.Snapshot == group.Last);
    part.Told = true;
  }
  told.Name = group.Parts.front().What.Name.With("*", stream.OfPart);
  told.Missing = Missing(stream, group);
  group.Told = true;
  stream.Settled = true;
  std::erase_if(stream.Groups,
    [&](auto& other)
    {
      const bool over = (other.second.Told || other.second.Broken || other.second.Parts.empty()) &&
        other.second.Order < group.Order;
      if (over)
      {
        this->Drop(other.second);
      }
      return over;
    });
  return told;
}

// Without a time: all.
std::vector<SnapshotGroups::Group> SnapshotGroups::Take(std::optional<Time> now)
{
  SnapshotId behind(std::numeric_limits<std::uint64_t>::max());
  std::map<SnapshotId, std::optional<std::pair<StreamKey, Key>>> ready;
  for (auto& [in, stream] : this->Streams)
  {
    if (!stream.Undecided.empty())
    {
      if (!now || *now - stream.Since >= Quiet)
      {
        this->TellEach(stream, std::exchange(stream.Undecided, {}));
      }
      else
      {
        behind = std::min(behind, stream.Undecided.back().Snapshot);
      }
    }
    for (auto& [key, group] : stream.Groups)
    {
      if (group.Broken)
      {
        this->Drop(group);
      }
      if (!HasNews(group))
      {
        continue;
      }
      if (!now || IsComplete(stream, group, *now))
      {
        ready[group.Last] = std::pair(in, key);
      }
      else
      {
        behind = std::min(behind, group.Last);
      }
    }
  }
  for (const SnapshotId single : this->Single)
  {
    ready[single];
  }
  std::vector<Group> told;
  for (const auto& [number, group] : ready)
  {
    if (number > behind)
    {
      break;
    }
    if (group)
    {
      // A later group that has just been announced may have ended this one.
      if (this->Streams.at(group->first).Groups.contains(group->second))
      {
        told.push_back(this->Tell(group->first, group->second));
      }
      continue;
    }
    this->Single.erase(number);
    told.emplace_back().Snapshots = { number };
  }
  if (now)
  {
    this->ForgetIdle(*now);
  }
  return told;
}

std::vector<SnapshotGroups::Group> SnapshotGroups::TakeReady(Time now)
{
  return this->Take(now);
}

std::vector<SnapshotGroups::Group> SnapshotGroups::TakeAll()
{
  return this->Take(std::nullopt);
}

// Forgets the streams of jobs that have ended, with all they wrote. If there are many streams, it
// also forgets those to which no file came lately. It waits a while: one process of a job may have
// ended before the next one begins.
void SnapshotGroups::ForgetIdle(Time now)
{
  std::erase_if(this->Streams,
    [this, now, isCrowded = this->Streams.size() > MostStreams](auto& entry)
    {
      Stream& stream = entry.second;
      const bool hasEnded =
        now - stream.LastEnd >= Patience && stream.Ended == stream.Writers.size();
      const bool isIdle = isCrowded && now - stream.LastBegun >= Patience;
      const bool over = (hasEnded || isIdle) && stream.Open == 0 && stream.Coming == 0 &&
        stream.Undecided.empty() &&
        std::all_of(stream.Groups.begin(), stream.Groups.end(),
          [](const auto& group) { return !HasNews(group.second); });
      if (over)
      {
        for (auto& [key, group] : stream.Groups)
        {
          this->Drop(group);
        }
      }
      return over;
    });
}

}
