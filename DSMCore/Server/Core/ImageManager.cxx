// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/ImageManager.h"

#include "Base/Environment.h"
#include "Base/Error.h"
#include "Mapping/Strategy.h"
#include "Memory/SegmentLayout.h"

#include <algorithm>
#include <filesystem>
#include <ranges>

namespace dsm
{

namespace
{
// A new image may grow by this over the last of its stream without asking again.
std::uint64_t WithMargin(std::uint64_t bytes)
{
  return bytes + bytes / 32;
}

// An image of unknown size begins with this share of all memory, but not more than so much: as many
// small files can be open at once as there are slots, and one that grows asks a few times.
constexpr std::uint64_t FirstShare = 4096;
constexpr std::uint64_t SmallestFirstGrant = UINT64_C(64) << 10;
constexpr std::uint64_t LargestFirstGrant = UINT64_C(4) << 20;

// What is made ready for files of unknown size are slots for this share of what a host lends, and
// one for a large file; and only so much of that is granted to such files before they ask, since
// many may be open at once, and all of them on one host.
constexpr std::uint64_t FirstWarmShare = 16;
constexpr std::uint64_t LargestFirstWarm = UINT64_C(160) << 20;
constexpr std::uint64_t LargeFirstShare = 4;
constexpr std::uint64_t UnforeseenShare = 2;
// In such pieces, so that a host which is wanted for something else is not held up.
constexpr std::uint64_t WarmPiece = UINT64_C(8) << 20;

// So much more than asked for an image may get at most when it grows: it is taken from others.
constexpr std::uint64_t LargestStep = UINT64_C(1) << 30;
// Of which each host makes so much at once: its writer waits for one such piece, and the others
// come while it writes.
constexpr std::uint64_t GrowthPiece = UINT64_C(16) << 20;
// The same where room is taken on disk: nothing but the next such piece is taken before it is
// wanted.
constexpr std::uint64_t DiskPiece = UINT64_C(16) << 20;

// A file that may go on on disk leaves such a share of each host's memory.
constexpr std::uint64_t LeftShare = 8;

// How many images are named when memory runs out.
constexpr std::size_t MostNamed = 4;

std::vector<ImageManager::Work> ToRelease(CleaningPlan plan)
{
  std::vector<ImageManager::Work> work;
  if (!plan.Release.empty())
  {
    const std::uint64_t slot = plan.Release.front().Slot;
    work.push_back({ slot, std::move(plan) });
  }
  return work;
}

std::string FolderOf(const std::string& fileName)
{
  const auto folder = std::filesystem::path(fileName).parent_path();
  return folder.empty() ? "." : folder.string();
}

// What is aside, on each host.
Ring::Sizes SizesOf(const SharedBytes& shared)
{
  Ring::Sizes sizes;
  for (const AsideBytes& aside : shared.Aside)
  {
    sizes.push_back(aside.Size());
  }
  return sizes;
}

// Where the bytes of a snapshot are, but for those it has aside.
std::uint64_t SlotOf(const SnapshotDescription& snapshot)
{
  return snapshot.Shared ? snapshot.Shared->Slot : snapshot.Slot;
}

// How many lost images are remembered, for the sake of their writers.
constexpr std::size_t MostLost = 1000;
}

ImageManager::ImageManager(
  std::uint64_t hosts, std::uint64_t budget, std::uint64_t slots, const Policy& policy)
  : ImageManager(Ring(hosts, budget, slots), policy)
{
}

ImageManager::ImageManager(Ring memory, const Policy& policy)
  : Slots(std::move(memory))
{
  this->Count.HostBytes.assign(this->Slots.Hosts(), 0);
  this->SetPolicy(policy);
}

void ImageManager::SetPolicy(const Policy& policy)
{
  AddressMap made(policy.Map.Over(this->Slots.Hosts(), this->Slots.Largest())); // or throws
  this->Rules = policy;
  this->Current = std::move(made);
  this->Table.SetCheckpoints(policy.Checkpoints);
}

// The map of an image that begins now and will likely have that size; kept for those that wait and
// try again.
const AddressMap& ImageManager::MapFor(std::uint64_t likelySize, bool mayOutgrow)
{
  const std::uint64_t expected = likelySize + likelySize / 32;
  const MapParameters wanted =
    this->Rules.Map.Over(this->Slots.Hosts(), this->HostCapacity(mayOutgrow), expected);
  if (wanted != this->Current.Parameters())
  {
    this->Current = AddressMap(wanted);
  }
  return this->Current;
}

// One that may go to disk leaves some memory to what its flushes show, and to others.
std::uint64_t ImageManager::HostCapacity(bool mayOutgrow) const
{
  const std::uint64_t all = this->Slots.Largest();
  const std::uint64_t most = (all - all / LeftShare) / Segment::HugePage * Segment::HugePage;
  return mayOutgrow && most >= this->Rules.Map.BlockSize && most > 0 ? most : all;
}

// The size an image of that file will likely have; 0 when there is nothing to learn from.
std::uint64_t ImageManager::Expected(const std::string& fileName) const
{
  return this->Streams.LastSize(fileName).value_or(this->Rules.ExpectedFileSize);
}

const ImageManager::OpenImage& ImageManager::Image(std::uint64_t image) const
{
  const auto found = this->Open.find(image);
  if (found == this->Open.end())
  {
    const auto lost = this->Lost.find(image);
    throw Error(Fault::PeerLost, "the DSM server has given up the image being written: {}",
      lost == this->Lost.end() ? "it was closed" : lost->second);
  }
  return found->second;
}

void ImageManager::EnterStream(std::uint64_t image, const StreamBook::Place& place,
  const std::string& program, const std::string& machine)
{
  const auto found = this->Open.find(image);
  if (found != this->Open.end())
  {
    found->second.Place = place;
    found->second.Program = program;
    found->second.Machine = machine;
  }
}

void ImageManager::NoteNamed(std::uint64_t image, std::uint64_t family)
{
  if (const auto found = this->Open.find(image); found != this->Open.end())
  {
    found->second.Named = true;
    found->second.Family = family;
  }
}

void ImageManager::RequireOwner(std::uint64_t image, const std::string& owner) const
{
  const OpenImage& open = this->Image(image);
  if (open.Owner != owner)
  {
    throw Error(Fault::Refused, "the image of {} is written by another program", open.FileName);
  }
}

void ImageManager::RequireKey(std::uint64_t image, std::uint64_t key) const
{
  const OpenImage& open = this->Image(image);
  if (open.Key != key)
  {
    throw Error(Fault::Refused, "the image of {} is written by another program", open.FileName);
  }
}

void ImageManager::RequirePossible(std::uint64_t image, std::uint64_t size) const
{
  const OpenImage& open = this->Image(image);
  if (size > open.Map.Capacity())
  {
    throw Error(Fault::Refused, "{} cannot have {} bytes: its image ends at {}", open.FileName,
      size, open.Map.Capacity());
  }
}

std::vector<std::uint64_t> ImageManager::ImagesOf(const std::string& owner) const
{
  std::vector<std::uint64_t> found;
  for (const auto& [number, image] : this->Open)
  {
    if (image.Owner == owner)
    {
      found.push_back(number);
    }
  }
  return found;
}

std::string ImageManager::FullText() const
{
  std::string text = fmt::format("the DSM server's ring is full: {} snapshots (at most {}) and {} "
                                 "images being written use {} of "
                                 "{} on {} hosts",
    this->Table.Count(), this->Rules.MaximumSnapshots, this->Open.size(),
    environment::FormatBytes(this->Slots.UsedByAll()),
    environment::FormatBytes(this->Slots.Budget() * this->Slots.Hosts()), this->Slots.Hosts());
  if (this->Slots.IsPinned())
  {
    text += fmt::format(", whose memory is pinned, in {} slots of {}", this->Slots.Count(),
      environment::FormatBytes(this->Slots.Largest()));
  }
  if (!this->Open.empty())
  {
    text += " (" + this->LargestImagesText() + ")";
  }
  return text;
}

std::optional<ImageManager::Work> ImageManager::TakeForgotten()
{
  Work work;
  work.Plan = this->Slots.TakeForgotten();
  if (work.Plan.Forget.empty())
  {
    return std::nullopt;
  }
  work.Slot = work.Plan.Forget.front().Slot;
  return work;
}

// The images being written that were granted most, with what they were granted.
std::string ImageManager::LargestImagesText() const
{
  std::vector<const OpenImage*> images;
  images.reserve(this->Open.size());
  for (const auto& [number, image] : this->Open)
  {
    images.push_back(&image);
  }
  std::stable_sort(images.begin(), images.end(),
    [](const OpenImage* one, const OpenImage* other) { return one->Grant > other->Grant; });
  std::string text;
  for (const OpenImage* image : images)
  {
    if (image == images[std::min(images.size(), MostNamed) - 1] && images.size() > MostNamed)
    {
      return text + fmt::format(" and {} more", images.size() - MostNamed + 1);
    }
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", image->FileName,
      environment::FormatBytes(image->Grant));
  }
  return text;
}

std::string ImageManager::RoomAdvice() const
{
  if (this->Open.size() == this->Slots.Count())
  {
    return fmt::format(
      "As many files are open as there are slots for: {}. Open fewer at once, or {}",
      this->Slots.Count(),
      this->Slots.IsPinned()
        ? "start the server for more snapshots, or expect smaller files, which makes more slots"
        : "lend less memory per host, which leaves address space for more slots");
  }
  if (this->Victims().size() == this->Table.Size())
  {
    return "All of it is wanted for files being written: raise the memory per host, or write less "
           "at once";
  }
  if (const auto checkpoints = this->Table.KeptCheckpoints(); !checkpoints.empty())
  {
    return fmt::format(
      "{} of them {} checkpoint{}, of each kind the newest, which stay until there is a newer one: "
      "raise the memory per host, or the most snapshots, or have fewer files be checkpoints",
      checkpoints.size(), checkpoints.size() == 1 ? "is a" : "are",
      checkpoints.size() == 1 ? "" : "s");
  }
  return this->KeepsUnread()
    ? "A viewer must read snapshots (the server's policy keeps unread ones), or the memory per "
      "host "
      "must grow, or the policy must be to drop the oldest"
    : "A viewer holds them open: it must let go, or the memory per host must grow";
}

// The snapshots that may go to make room, in that order. Where new ones are to be dropped, they
// were, at their seal; if there is no room all the same (files grow), the newest that nobody has
// seen goes rather than let a simulation wait.
std::vector<std::uint64_t> ImageManager::Victims() const
{
  auto victims = this->Table.Evictable(this->Rules.WhenFull == FullRing::DropOldest);
  if (this->Rules.WhenFull == FullRing::DropNewest)
  {
    auto unread = this->Table.Evictable(true);
    std::erase_if(unread, [this](std::uint64_t number) { return this->Table.WasRead(number); });
    victims.insert(victims.end(), unread.rbegin(), unread.rend());
  }
  return victims;
}

// The memory as it would be if these had gone.
Ring ImageManager::Without(const std::vector<std::uint64_t>& snapshots) const
{
  Ring memory = this->Slots;
  SharedSlots sharing = this->Sharing;
  for (const std::uint64_t number : snapshots)
  {
    sharing.Free(memory, *this->Table.Find(number));
  }
  return memory;
}

// Evicts snapshots until there is enough room; none when that could not help, since snapshots in
// use or images being written hold it. `enough` gets the ring's books and the number of snapshots.
template <typename Predicate>
bool ImageManager::MakeRoom(const Predicate& enough)
{
  if (enough(this->Slots, this->Table.Count()))
  {
    return true;
  }
  const auto victims = this->Victims();
  // Where there are as many snapshots as may be, the books are not copied to see that one may go.
  const bool oneIsEnough =
    !victims.empty() && enough(this->Slots, this->Table.Count({ victims.front() }));
  if (!oneIsEnough && !enough(this->Without(victims), this->Table.Count(victims)))
  {
    return false;
  }
  for (const std::uint64_t number : victims)
  {
    this->Evict(number);
    if (enough(this->Slots, this->Table.Count()))
    {
      break;
    }
  }
  return true;
}

void ImageManager::Evict(std::uint64_t number)
{
  if (!this->Table.WasRead(number))
  {
    ++this->Count.SnapshotsDropped;
  }
  this->Keeping.erase(number);
  SnapshotDescription gone = this->Table.Remove(number);
  this->Sharing.Free(this->Slots, gone);
  this->Evicted.push_back(std::move(gone));
}

std::optional<ImageManager::Granted> ImageManager::Begin(const BeginRequest& request)
{
  this->WritersClear = request.Clears;
  std::optional<SnapshotDescription> source;
  if (request.Source)
  {
    source = *this->Table.Find(*request.Source);
  }
  if (source && this->MayBeWrittenFurther(request, *source))
  {
    if (auto granted = this->BeginInPlace(request, *source))
    {
      this->Open.at(granted->Image).MayOutgrow = request.MayOutgrow;
      return granted;
    }
  }
  std::uint64_t expected = source ? source->FileSize : this->Expected(request.FileName);
  const AddressMap& map = this->MapFor(expected, request.MayOutgrow);
  if (source)
  {
    if (!request.MayOutgrow && !this->Slots.CouldEverFit(map, source->FileSize))
    {
      throw Error(Fault::RingFull, "a copy of {} ({}) does not fit the DSM server's hosts",
        request.FileName, environment::FormatBytes(source->FileSize));
    }
    // It must stay until the writer has copied it.
    this->Table.Retain(source->Number);
  }
  if (!this->Slots.CouldEverFit(map, expected))
  {
    expected = 0; // learned under another map; this one will show its limits itself
  }

  const std::uint64_t least = expected > 0 ? expected : this->FirstGrant(map);
  const bool fits = this->MakeRoom(
    [&](const Ring& memory, std::uint64_t snapshots)
    {
      return (request.HasOthers || snapshots < this->Rules.MaximumSnapshots) &&
        memory.Room(map) >= least;
    });
  std::uint64_t grant = 0;
  std::optional<Ring::Reservation> reserved;
  if (fits)
  {
    grant = this->GrantFor(map, expected);
    reserved = this->Slots.Reserve(map, expected, grant, request.Clears);
  }
  if (!reserved)
  {
    if (source)
    {
      this->Table.Release(source->Number, false);
    }
    return std::nullopt;
  }
  const std::uint64_t number = ++this->LastImage;
  OpenImage& image = this->Open[number];
  image = { request.Owner, request.Key, request.FileName, map, reserved->Slot, reserved->Generation,
    grant, 0, false, source ? source->Number : 0 };
  image.Stale = std::move(reserved->Stale);
  image.Foreseen = expected > 0 || this->Slots.IsPinned();
  image.MayOutgrow = request.MayOutgrow;
  image.Begins = source ? source->FileSize : 0;
  return Granted{ number, { reserved->Slot, std::move(reserved->Plan) }, std::move(source), {} };
}

// Not what somebody may be reading in place, nor a checkpoint. Nor where its slot holds something
// else than it, since another image has that, or had it, or older snapshots have more there.
bool ImageManager::MayBeWrittenFurther(
  const BeginRequest& request, const SnapshotDescription& snapshot) const
{
  const std::uint64_t slot = SlotOf(snapshot);
  if (this->Table.IsKept(snapshot.Number) ||
    (snapshot.Shared && !this->Sharing.IsWhole(slot, snapshot.Number)) ||
    this->Sharing.SizeIn(slot) > snapshot.FileSize)
  {
    return false;
  }
  // If most of a file is written anew, copying it by all ranks is faster than asking for each
  // piece. A single process has a connection to ask by. Of several ranks, each that asks needs one.
  return this->Streams.IsAppended(request.FileName).value_or(request.Ranks == 1) &&
    this->WouldBeSpreadSo(snapshot, request.MayOutgrow);
}

// Whether a file of that size would be spread over the hosts in the same way now: settings may have
// changed, and what is automatic follows from the size. So does the window of a mask, which may be
// too small by half.
bool ImageManager::WouldBeSpreadSo(const SnapshotDescription& snapshot, bool mayOutgrow) const
{
  MapParameters now = this->Rules.Map.Over(
    this->Slots.Hosts(), this->HostCapacity(mayOutgrow), WithMargin(snapshot.FileSize));
  now.Disk = snapshot.Map.Disk;
  const auto& all = Strategies();
  const bool depends = std::any_of(all.begin(), all.end(),
    [&](const StrategyKind& kind) { return kind.Name == now.Strategy && kind.NeedsExpected; });
  if (!depends || now.ExpectedSize / 2 <= snapshot.Map.ExpectedSize)
  {
    now.ExpectedSize = snapshot.Map.ExpectedSize;
  }
  return now == snapshot.Map;
}

// The snapshot gets a slot for what will change, and shares the rest with the image, which has its
// slot from now on. That is of another generation then, so whoever has found the snapshot there
// without asking asks now.
std::optional<ImageManager::Granted> ImageManager::BeginInPlace(
  const BeginRequest& request, const SnapshotDescription& source)
{
  const AddressMap map(source.Map);
  const std::uint64_t slot = SlotOf(source);
  const Ring::Sizes nothing(this->Slots.Hosts(), 0);
  this->Table.Retain(source.Number);
  const bool fits = this->MakeRoom(
    [&](const Ring& memory, std::uint64_t snapshots)
    {
      return (request.HasOthers || snapshots < this->Rules.MaximumSnapshots) &&
        memory.Room(map, slot) >= source.FileSize &&
        (source.Shared || memory.HasRoomAside(nothing));
    });
  this->Table.Release(source.Number, false);
  // As much more as it got the last time, or a little.
  const std::uint64_t wanted = source.FileSize +
    std::max(WithMargin(this->Streams.LastGrowth(request.FileName)), this->FirstGrant(map));
  const std::uint64_t room = this->Slots.Room(map, slot);
  const std::uint64_t grant = this->Slots.IsPinned() ? room : std::min(wanted, room);
  auto reopened = fits ? this->Slots.Reopen(slot, map, source.FileSize, grant) : std::nullopt;
  if (!reopened)
  {
    return std::nullopt;
  }
  Granted granted{ ++this->LastImage, { slot, std::move(reopened->Plan) }, {}, {} };
  if (source.Shared)
  {
    this->Sharing.Reopen(slot);
  }
  else
  {
    granted.Moved = this->MakeShared(source, reopened->Generation, granted.BeforeWriting.Plan);
  }
  OpenImage& image = this->Open[granted.Image];
  image = { request.Owner, request.Key, request.FileName, map, slot, reopened->Generation, grant, 0,
    false, source.Number };
  image.Foreseen = true;
  image.IsInPlace = true;
  image.Begins = source.FileSize;
  image.Shown = source.Number;
  return granted;
}

// A snapshot shares its slot, which is of that generation, from now on. There must be room.
SnapshotDescription ImageManager::MakeShared(
  SnapshotDescription snapshot, std::uint64_t generation, CleaningPlan& plan)
{
  const std::uint64_t hosts = this->Slots.Hosts();
  const auto aside = this->Slots.ReserveAside(Ring::Sizes(hosts, 0));
  if (!aside)
  {
    throw Error(Fault::RingFull, "there is no slot for what {} is to keep", snapshot.FileName);
  }
  plan.Raise.insert(plan.Raise.end(), aside->Plan.Raise.begin(), aside->Plan.Raise.end());
  plan.Release.insert(plan.Release.end(), aside->Plan.Release.begin(), aside->Plan.Release.end());
  this->Sharing.Share(snapshot.Slot, AddressMap(snapshot.Map), snapshot.FileSize);
  snapshot.Shared = { snapshot.Slot, generation, std::vector<AsideBytes>(hosts) };
  snapshot.Slot = aside->Slot;
  snapshot.Generation = aside->Generation;
  this->Table.Update(snapshot);
  return snapshot;
}

// What a new image gets: a little more than the last of its stream had. What has been made ready it
// gets whole, if that is not much more, for what is beyond its grant would have to be given back;
// and where nothing is known of its size, in any case: it is a part of what is lent, and the next
// will ask for less.
std::uint64_t ImageManager::GrantFor(const AddressMap& map, std::uint64_t expected) const
{
  if (this->Slots.IsPinned())
  {
    return this->Slots.Room(map); // a whole slot, which no other can have
  }
  const std::uint64_t least = expected > 0 ? WithMargin(expected) : this->FirstGrant(map);
  std::uint64_t ready = this->Slots.Ready(map);
  if (expected == 0)
  {
    ready = std::min(ready, this->LargeFirstWarm());
    if (this->GrantedUnforeseen() + ready > this->Slots.Budget() / UnforeseenShare)
    {
      return least;
    }
  }
  const bool fits = least < ready && (expected == 0 || ready <= 2 * least);
  return std::min(fits ? ready : least, this->Slots.Room(map));
}

// File bytes that open images have whose sizes nobody foresaw.
std::uint64_t ImageManager::GrantedUnforeseen() const
{
  std::uint64_t granted = 0;
  for (const auto& [number, image] : this->Open)
  {
    granted += image.Foreseen ? 0 : image.Grant;
  }
  return granted;
}

// What is made ready for each of many files of unknown size, and for the one that comes first.
std::uint64_t ImageManager::FirstWarm() const
{
  return std::min(this->Slots.Budget() / FirstWarmShare, LargestFirstWarm);
}

std::uint64_t ImageManager::LargeFirstWarm() const
{
  return this->Slots.Budget() / LargeFirstShare;
}

std::uint64_t ImageManager::FirstGrant(const AddressMap& map) const
{
  const std::uint64_t share = this->Slots.Budget() * this->Slots.Hosts() / FirstShare;
  return std::min(std::clamp(share, SmallestFirstGrant, LargestFirstGrant), map.Capacity());
}

// Whether an image has outgrown the memory, or does so with that many bytes: when all that may go
// has gone. From then on it is on disk behind what it may write now, or could have had in memory.
bool ImageManager::GoesToDisk(OpenImage& image, std::uint64_t bytes)
{
  if (image.Map.ReachesDisk())
  {
    return true;
  }
  const auto fits = [&](const Ring& memory, std::uint64_t)
  { return bytes <= image.Map.Capacity() && memory.Room(image.Map, image.Slot) >= bytes; };
  if (!image.MayOutgrow || this->MakeRoom(fits))
  {
    return false;
  }
  auto share = this->Slots.Outgrow(image.Slot);
  if (!share)
  {
    return false;
  }
  MapParameters parameters = image.Map.Parameters();
  const std::uint64_t room = this->Slots.Room(image.Map, image.Slot);
  share->From = std::max(image.Grant, room / AsideBytes::Page * AsideBytes::Page);
  parameters.Disk = *share;
  image.Map = AddressMap(parameters);
  return true;
}

// By how much an image is to grow at once.
std::uint64_t ImageManager::PieceFor(const OpenImage& image) const
{
  const std::uint64_t each = image.Map.ReachesDisk() ? DiskPiece : GrowthPiece;
  return each * this->Slots.Hosts();
}

std::optional<ImageManager::Extended> ImageManager::Extend(
  std::uint64_t number, std::uint64_t bytes)
{
  this->Image(number); // throws where it is not there
  OpenImage& image = this->Open.at(number);
  Extended extended{ image.Grant, { image.Slot, {} } };
  if (bytes <= image.Grant)
  {
    return extended;
  }
  if (this->GoesToDisk(image, bytes))
  {
    if (bytes > image.Map.Capacity())
    {
      throw Error(Fault::RingFull,
        "the image of {} needs {} or more, and the DSM server's hosts can have {} of it on disk: "
        "write less per file",
        image.FileName, environment::FormatBytes(bytes),
        environment::FormatBytes(image.Map.Capacity() - image.Map.Parameters().Disk.From));
    }
    const std::uint64_t grant = std::min(image.Map.Capacity(), bytes + this->PieceFor(image));
    if (!this->Slots.Extend(image.Slot, image.Map, grant, extended.BeforeWriting.Plan))
    {
      return std::nullopt;
    }
    extended.BeforeWriting.Plan.Folder = FolderOf(image.FileName);
    extended.Grant = image.Grant = image.Goal = grant;
    image.IsAwaited = true;
    return extended;
  }
  const bool fits = this->MakeRoom(
    [&](const Ring& memory, std::uint64_t) { return memory.Room(image.Map, image.Slot) >= bytes; });
  const std::uint64_t room = this->Slots.Room(image.Map, image.Slot);
  if (!fits)
  {
    if (this->Victims().size() == this->Table.Size() && this->Open.size() == 1)
    {
      throw Error(Fault::RingFull,
        "the image of {} needs {} or more, and the DSM server's {} hosts lend {} each ({} with "
        "strategy \"{}\"): raise the memory per host, or write less per file",
        image.FileName, environment::FormatBytes(bytes), this->Slots.Hosts(),
        environment::FormatBytes(this->Slots.Largest()), environment::FormatBytes(room),
        image.Map.Parameters().Strategy);
    }
    return std::nullopt;
  }
  // Doubling keeps the number of questions small; half of what is left stays for others.
  const std::uint64_t goal =
    std::max(bytes, std::min({ 2 * image.Grant, bytes + LargestStep, bytes + (room - bytes) / 2 }));
  const std::uint64_t grant = std::min(goal, bytes + GrowthPiece * this->Slots.Hosts());
  if (!this->Slots.Extend(image.Slot, image.Map, grant, extended.BeforeWriting.Plan))
  {
    return std::nullopt;
  }
  extended.Grant = image.Grant = grant;
  image.Goal = goal;
  image.IsAwaited = true;
  return extended;
}

std::optional<ImageManager::Extended> ImageManager::ExtendFurther(std::uint64_t number)
{
  const auto found = this->Open.find(number);
  if (found == this->Open.end() || found->second.Grant >= found->second.Goal)
  {
    return std::nullopt;
  }
  OpenImage& image = found->second;
  Extended extended{ std::min(image.Goal, image.Grant + this->PieceFor(image)),
    { image.Slot, {} } };
  if (!this->Slots.Extend(image.Slot, image.Map, extended.Grant, extended.BeforeWriting.Plan))
  {
    image.Goal = image.Grant; // others have it now
    return std::nullopt;
  }
  CleaningPlan& plan = extended.BeforeWriting.Plan;
  plan.InWriting = image.IsAwaited;
  plan.Folder = FolderOf(image.FileName);
  // The kernel clears a page when it is first touched, and then only enters many at once: that need
  // not be the writer.
  plan.Populate = plan.Reserve;
  image.Grant = extended.Grant;
  return extended;
}

std::optional<ImageManager::Extended> ImageManager::ExtendAhead(
  std::uint64_t number, std::uint64_t reached)
{
  const auto found = this->Open.find(number);
  if (found == this->Open.end())
  {
    return std::nullopt;
  }
  OpenImage& image = found->second;
  const bool grows = image.Grant < image.Goal || image.Reserved < image.Grant;
  if (image.Map.ReachesDisk())
  {
    if (grows || reached + this->PieceFor(image) < image.Grant)
    {
      return std::nullopt;
    }
    image.Goal = std::min(image.Map.Capacity(), image.Grant + this->PieceFor(image));
    image.IsAwaited = false;
    return this->ExtendFurther(number);
  }
  const std::uint64_t room = this->Slots.Room(image.Map, image.Slot);
  if (grows || reached < SegmentLayout::MostOf(image.Grant) || room <= image.Grant)
  {
    return std::nullopt;
  }
  image.Goal = image.Grant + std::min({ image.Grant / 2, LargestStep, (room - image.Grant) / 2 });
  image.IsAwaited = false;
  return this->ExtendFurther(number);
}

bool ImageManager::ConfirmGrant(std::uint64_t number, std::uint64_t grant)
{
  const auto image = this->Open.find(number);
  if (image == this->Open.end() || image->second.Grant < grant)
  {
    return false;
  }
  image->second.Reserved = std::max(image->second.Reserved, grant);
  return true;
}

void ImageManager::WithdrawGrant(std::uint64_t number)
{
  const auto found = this->Open.find(number);
  if (found != this->Open.end())
  {
    OpenImage& image = found->second;
    image.Grant = image.Goal = image.Reserved;
    this->Slots.Shrink(image.Slot, image.Map, image.Grant);
  }
}

// What a snapshot of an image is, but for its number, its step and when it was entered.
SnapshotDescription ImageManager::Describe(
  const OpenImage& image, std::uint64_t size, const WriteStatistics& statistics) const
{
  SnapshotDescription snapshot;
  snapshot.FileName = image.FileName;
  snapshot.FileSize = size;
  snapshot.Slot = image.Slot;
  snapshot.Generation = image.Generation;
  snapshot.Map = image.Map.Parameters();
  snapshot.Statistics = statistics;
  snapshot.Stream = image.Place.Stream;
  snapshot.Run = image.Place.Run;
  snapshot.Program = image.Program;
  snapshot.Machine = image.Machine;
  snapshot.Named = image.Named;
  snapshot.Family = image.Family;
  return snapshot;
}

// What a snapshot gets when it is complete.
void ImageManager::Date(SnapshotDescription& snapshot, double now)
{
  snapshot.SealedAt = now;
  snapshot.Step = this->Streams.Enter(snapshot.FileName, snapshot.FileSize);
  const WriteStatistics& statistics = snapshot.Statistics;
  this->Count.BytesReceived += statistics.Bytes;
  this->Count.BlockedSeconds += statistics.BlockedSeconds;
  const std::size_t hosts = std::min(statistics.HostBytes.size(), this->Count.HostBytes.size());
  for (std::size_t host = 0; host < hosts; ++host)
  {
    this->Count.HostBytes[host] += statistics.HostBytes[host];
  }
}

std::uint64_t ImageManager::Enter(SnapshotDescription snapshot, std::uint64_t group)
{
  ++this->Count.SnapshotsSealed;
  return this->Table.Add(std::move(snapshot), group).Number;
}

ImageManager::OpenImage ImageManager::Take(std::uint64_t number)
{
  OpenImage image = this->Image(number);
  this->Open.erase(number);
  return image;
}

ImageManager::Sealed ImageManager::Seal(const SealRequest& request)
{
  this->RequirePossible(request.Image, std::max(request.Size, request.Reach));
  Sealed sealed;
  const OpenImage image = this->Take(request.Image);
  this->Table.ReplaceHidden(image.Source);
  this->DiscardCopies(request.Image);
  // What is shared stays, also where the file has become shorter.
  const std::uint64_t reach =
    std::max({ request.Reach, request.Size, this->Sharing.SizeIn(image.Slot) });
  sealed.Clearing = ToRelease(this->Slots.Seal(image.Slot, image.Map, reach));
  SnapshotDescription snapshot = this->Describe(image, request.Size, request.Statistics);
  this->Date(snapshot, request.SealedAt);
  if (image.Source != 0)
  {
    this->Streams.EnterFurther(
      image.FileName, image.Begins, image.Written + request.Statistics.Bytes);
  }
  if (!request.MayKeepOnDisk && this->IsToBeSkipped(image, request.Size))
  {
    ++this->Count.SnapshotsSkipped;
    this->Sharing.Finish(this->Slots, image.Slot, image.Map, reach);
  }
  else
  {
    sealed.Number = this->Enter(std::move(snapshot), request.Group);
  }
  this->EvictSurplus();
  return sealed;
}

// Files that were open at once, or that flushes have shown as well, come on top of what was left
// room for.
void ImageManager::EvictSurplus()
{
  if (this->Table.Count() <= this->Rules.MaximumSnapshots)
  {
    return;
  }
  for (const std::uint64_t victim : this->Table.Evictable(!this->KeepsUnread()))
  {
    const auto group = this->Table.GroupOf(victim);
    if (group.back() == this->Table.LastNumber())
    {
      break;
    }
    if (!this->Table.Find(victim) || (group.size() == 1 && !this->Table.Counts(victim)))
    {
      continue; // it has gone with its group, or would not help
    }
    for (const std::uint64_t part : group)
    {
      this->Evict(part);
    }
    if (this->Table.Count() <= this->Rules.MaximumSnapshots)
    {
      break;
    }
  }
}

// Whether a new image, sealed just now, goes at once, so that there is room for the next of its
// size without dropping what was not read. The first is kept anyway, or nobody would see any.
bool ImageManager::IsToBeSkipped(const OpenImage& image, std::uint64_t size) const
{
  if (this->Rules.WhenFull != FullRing::DropNewest || this->Table.Count() == 0)
  {
    return false;
  }
  const auto read = this->Table.Evictable(false);
  const Ring without = this->Without(read);
  const std::uint64_t kept = this->Table.Count(read);
  return kept + 1 >= this->Rules.MaximumSnapshots || without.Room(image.Map) < size;
}

std::optional<ImageManager::Published> ImageManager::Publish(std::uint64_t number,
  std::uint64_t size, const SlotBytes& changing, const WriteStatistics& statistics, bool joins)
{
  this->RequirePossible(number, size);
  SnapshotDescription snapshot = this->Describe(this->Image(number), size, statistics);
  OpenImage& image = this->Open.at(number);
  const std::uint64_t hosts = this->Slots.Hosts();
  SharedBytes& shared = snapshot.Shared.emplace();
  shared.Slot = image.Slot;
  shared.Generation = image.Generation;
  shared.Aside.resize(hosts);
  CleaningPlan::Copying copy{ image.Slot, {} };
  copy.Bytes.resize(hosts);
  for (std::uint64_t host = 0; host < std::min<std::uint64_t>(hosts, changing.size()); ++host)
  {
    for (const ByteRange& range : changing[host])
    {
      const auto added = shared.Aside[host].Add(range, image.Map.Held(host, range.Begin, size));
      copy.Bytes[host].insert(copy.Bytes[host].end(), added.begin(), added.end());
    }
  }
  const Ring::Sizes sizes = SizesOf(shared);
  // The newest flush of a file may use the place that the file itself has among the snapshots.
  const auto enough = [&](const Ring& memory, std::uint64_t snapshots)
  {
    return (joins || snapshots + this->Copies.size() < this->Rules.MaximumSnapshots) &&
      memory.HasRoomAside(sizes);
  };
  std::optional<Ring::Reservation> reserved;
  if (this->MakeRoom(enough))
  {
    reserved = this->Slots.ReserveAside(sizes);
  }
  Published published;
  if (reserved)
  {
    published.Copy = ++this->LastCopy;
    published.Copying = { reserved->Slot, std::move(reserved->Plan) };
    published.Copying.Plan.Copy = std::move(copy);
    snapshot.Slot = reserved->Slot;
    snapshot.Generation = reserved->Generation;
    this->Sharing.Share(image.Slot, image.Map, size);
    this->Copies[published.Copy] = { number, std::move(snapshot) };
    return published;
  }
  std::vector<std::uint64_t> all;
  for (const auto& kept : this->Table.All())
  {
    all.push_back(kept.Number);
  }
  const bool never = !enough(this->Without(all), 0);
  if (this->Rules.WhenFull == FullRing::Block && !never)
  {
    return std::nullopt;
  }
  published.Skipped = fmt::format("a flush of {} ({}) could not be shown: {}. {}", image.FileName,
    environment::FormatBytes(size), this->FullText(),
    never ? "What a file changes between two flushes needs as much memory again: raise the memory "
            "per host, or show files when they are closed"
          : "Viewers hold all snapshots open, or the memory per host must grow");
  published.FirstSkipped = !std::exchange(image.ReportedUnpublished, true);
  return published;
}

ImageManager::Sealed ImageManager::Confirm(
  std::uint64_t image, std::uint64_t number, double now, std::uint64_t group)
{
  const auto found = this->Copies.find(number);
  if (found == this->Copies.end() || found->second.Image != image)
  {
    this->Image(image); // throws where that is why
    throw Error(Fault::Refused, "the DSM server has discarded the copy made at a flush");
  }
  FlushCopy copy = std::move(found->second);
  this->Copies.erase(found);
  this->Table.ReplaceHidden(this->Image(image).Source);
  this->Date(copy.Snapshot, now);
  copy.Snapshot.Named = this->Image(image).Named;
  copy.Snapshot.Family = this->Image(image).Family;
  OpenImage& open = this->Open.at(image);
  open.Written += copy.Snapshot.Statistics.Bytes;
  open.Shown = this->Enter(std::move(copy.Snapshot), group);
  return { open.Shown, {} };
}

// What a snapshot will be when the hosts have done what is under way.
const SnapshotDescription& ImageManager::Latest(const SnapshotDescription& snapshot) const
{
  const auto coming = this->Keeping.find(snapshot.Number);
  return coming == this->Keeping.end() ? snapshot : coming->second.Snapshot;
}

// None when there is no room.
std::optional<ImageManager::Kept> ImageManager::Copied(
  const SnapshotDescription& before, std::uint64_t host, ByteRange bytes)
{
  Kept kept{ before, { before.Slot, {} } };
  if (!kept.Snapshot.Shared)
  {
    return kept;
  }
  SharedBytes& shared = *kept.Snapshot.Shared;
  const AddressMap map(before.Map);
  const auto added = shared.Aside[host].Add(bytes, map.Held(host, bytes.Begin, before.FileSize));
  if (added.empty())
  {
    return kept; // but perhaps under way
  }
  auto widened = this->Slots.WidenAside(before.Slot, SizesOf(shared));
  if (!widened)
  {
    return std::nullopt;
  }
  kept.Snapshot.Generation = widened->Generation;
  kept.Copying.Plan = std::move(widened->Plan);
  kept.Copying.Plan.Copy.Slot = shared.Slot;
  kept.Copying.Plan.Copy.Bytes.resize(shared.Aside.size());
  kept.Copying.Plan.Copy.Bytes[host] = added;
  return kept;
}

// Those that share some of these bytes and have no copies, oldest first, or for which hosts are
// copying. What a snapshot has copies of, those before it have as well: so there are few, though
// there may be thousands.
std::vector<std::uint64_t> ImageManager::WhoLacks(
  const OpenImage& image, std::uint64_t host, ByteRange bytes) const
{
  const bool onlyGrew = this->Sharing.OnlyGrew(image.Slot);
  const auto& sharers = this->Table.SharersOf(image.Slot);
  std::vector<std::uint64_t> lacking;
  for (const std::uint64_t number : std::views::reverse(sharers))
  {
    const SnapshotDescription& snapshot = *this->Table.Find(number);
    const auto& shared = snapshot.Shared;
    const std::uint64_t end = image.Map.Held(host, bytes.Begin, snapshot.FileSize).End;
    const bool underway = this->Keeping.contains(number);
    if (!underway && end <= bytes.Begin)
    {
      if (onlyGrew)
      {
        break;
      }
      continue;
    }
    if (underway || !shared || !shared->Aside[host].Has({ bytes.Begin, std::min(end, bytes.End) }))
    {
      lacking.push_back(number);
    }
    else if (end >= bytes.End)
    {
      break;
    }
  }
  return { lacking.rbegin(), lacking.rend() };
}

ImageManager::KeptByAll ImageManager::Keep(
  std::uint64_t number, std::uint64_t host, ByteRange bytes)
{
  const OpenImage& image = this->Image(number);
  if (host >= this->Slots.Hosts())
  {
    throw Error(Fault::Refused, "{} is on {} hosts: there is none of number {}", image.FileName,
      this->Slots.Hosts(), host);
  }
  KeptByAll all;
  all.Telling.Slot = image.Slot;
  for (const std::uint64_t sharer : this->WhoLacks(image, host, bytes))
  {
    // What goes to make room may be the snapshot itself, or one whose copies were just ordered.
    while (const SnapshotDescription* snapshot = this->Table.Find(sharer))
    {
      if (auto kept = this->Copied(this->Latest(*snapshot), host, bytes))
      {
        Coming& coming = this->Keeping[sharer];
        coming.Snapshot = kept->Snapshot;
        ++coming.Underway;
        all.Snapshots.push_back(std::move(*kept));
        break;
      }
      const auto victims = this->Victims();
      const bool mustStay =
        this->Rules.WhenFull == FullRing::Block || this->Table.KeptCheckpoints().contains(sharer);
      if (victims.empty() && mustStay)
      {
        all.Complete = false;
        return all;
      }
      this->Evict(victims.empty() ? sharer : victims.front());
    }
  }
  // Those that have gone shared the bytes as well, and somebody may read them still.
  all.Telling.Plan = this->Slots.RaiseAll();
  return all;
}

void ImageManager::ConfirmKept(const SnapshotDescription& snapshot)
{
  const auto coming = this->Keeping.find(snapshot.Number);
  if (coming == this->Keeping.end())
  {
    return; // it has gone
  }
  this->Table.Update(snapshot);
  if (--coming->second.Underway == 0)
  {
    this->Keeping.erase(coming);
  }
}

ImageManager::Work ImageManager::Revoke(std::uint64_t snapshot)
{
  Work telling;
  if (const auto* revoked = this->Table.Find(snapshot))
  {
    telling.Slot = revoked->Slot;
    this->Evict(snapshot);
    telling.Plan = this->Slots.RaiseAll();
  }
  return telling;
}

// The hosts may still be copying: they do what the slot is wanted for next afterwards, since they
// work through their tasks in order.
void ImageManager::DiscardCopies(std::uint64_t image)
{
  std::erase_if(this->Copies,
    [&](const auto& copy)
    {
      const bool discarded = copy.second.Image == image;
      if (discarded)
      {
        this->Sharing.Free(this->Slots, copy.second.Snapshot);
      }
      return discarded;
    });
}

std::vector<ImageManager::Work> ImageManager::Finish(std::uint64_t number, std::uint64_t reach)
{
  this->RequirePossible(number, reach);
  const OpenImage image = this->Take(number);
  this->DiscardCopies(number);
  return ToRelease(this->Sharing.Finish(this->Slots, image.Slot, image.Map, reach, image.Shown));
}

std::vector<ImageManager::Work> ImageManager::Drop(
  std::uint64_t number, const std::string& why, bool changed)
{
  if (!this->Open.contains(number))
  {
    return {};
  }
  const OpenImage image = this->Take(number);
  ++this->Count.ImagesAbandoned;
  this->Lost[number] = why;
  if (this->Lost.size() > MostLost)
  {
    this->Lost.erase(this->Lost.begin());
  }
  this->DiscardCopies(number);
  if (changed)
  {
    for (const auto sharers = this->Table.SharersOf(image.Slot);
      const std::uint64_t sharer : sharers)
    {
      this->Evict(sharer);
    }
  }
  std::vector<Work> clearing;
  clearing.push_back({ image.Slot, this->Sharing.Discard(this->Slots, image.Slot) });
  return clearing;
}

// What was read goes first; when the policy drops unread snapshots anyway, the oldest of those goes
// now instead of then, but never the newest.
std::optional<ImageManager::Work> ImageManager::PrepareNext(const std::string& fileName)
{
  if (this->Streams.GoesOn(fileName))
  {
    return std::nullopt;
  }
  const std::uint64_t expected = this->Expected(fileName);
  const AddressMap& map = this->MapFor(expected);
  if (!this->Slots.CouldEverFit(map, expected))
  {
    return std::nullopt; // it goes on on disk
  }
  while (this->Slots.Room(map) < expected)
  {
    auto victim = this->Table.OldestEvictable(false);
    if (!victim && !this->KeepsUnread())
    {
      victim = this->Table.OldestEvictable(true);
    }
    if (!victim || *victim == this->Table.LastNumber())
    {
      break;
    }
    this->Evict(*victim);
  }
  if (auto ready =
        this->Slots.Prepare(map, expected, this->GrantFor(map, expected), this->WritersClear))
  {
    return Work{ ready->Slot, std::move(ready->Plan) };
  }
  return std::nullopt;
}

std::vector<CleaningPlan::Range> ImageManager::Warm(const std::string& fileName, bool untilHalf)
{
  if (this->Streams.GoesOn(fileName))
  {
    return {};
  }
  const std::uint64_t known = this->Expected(fileName);
  const AddressMap& map = this->MapFor(known);
  std::uint64_t expected = known > 0 ? WithMargin(known) : this->FirstWarm();
  const std::uint64_t ready = known > 0 ? 0 : this->Slots.Ready(map);
  if (ready >= expected && ready < std::min(this->LargeFirstWarm(), map.Capacity()))
  {
    expected = this->LargeFirstWarm();
  }
  return this->Slots.Warm(map, expected, this->Slots.Budget(), WarmPiece, untilHalf);
}

bool ImageManager::AreSmall(const std::vector<CleaningPlan::Range>& pages)
{
  return std::all_of(pages.begin(), pages.end(),
    [](const auto& range)
    {
      return std::all_of(
        range.End.begin(), range.End.end(), [](std::uint64_t end) { return end < WarmPiece; });
    });
}

std::vector<ImageManager::Work> ImageManager::Cool(std::uint64_t slot)
{
  return ToRelease(this->Slots.ForgetPages(slot));
}

std::vector<ImageManager::Work> ImageManager::SetBudget(std::uint64_t budget)
{
  return budget == this->Slots.Budget() ? std::vector<Work>()
                                        : ToRelease(this->Slots.SetBudget(budget));
}

std::vector<ImageManager::Work> ImageManager::HostIsBack(std::uint64_t host)
{
  auto work = ToRelease(this->Slots.ReleaseAllSpare(host));
  for (const auto& [number, image] : this->Open)
  {
    work.push_back({ image.Slot, this->Slots.ReserveAgain(image.Slot, host) });
  }
  return work;
}

}
