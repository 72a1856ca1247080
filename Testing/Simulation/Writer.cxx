// SPDX-License-Identifier: BSD-3-Clause
#include "Writer.h"

#include "Steering/SteeringMessages.h"

#include <algorithm>

namespace dsm::simulation
{

namespace
{
constexpr std::uint64_t Page = HostMemory::Page;
// For the server's answer to a seal.
constexpr double SealLimit = 20;

PeerDescription DescriptionOf(const Writer::Place& place)
{
  PeerDescription description;
  description.Role = "writer";
  description.Program = fmt::format("writer{}", place.Number);
  description.Machine = "machine";
  description.Process = 100 + place.Number;
  description.Ranks = place.Ranks;
  if (place.JobProcesses > 1)
  {
    description.Job = "a job";
    description.JobProcesses = place.JobProcesses;
  }
  return description;
}
}

Writer::Writer(World& world, const Place& place, std::uint64_t files)
  : Process(world, fmt::format("writer{}", place.Number), DescriptionOf(place), World::Owner)
  , Number(place.Number)
  , Ranks(place.Ranks)
  , FilesLeft(files)
{
}

std::string Writer::FileName(std::uint64_t writer, std::uint64_t file)
{
  return fmt::format("/sim{}/file{}.h5", writer, file);
}

void Writer::Run()
{
  this->Image.reset();
  if (this->Surroundings.Chance.Chance(0.3))
  {
    DeclareProgram declared;
    declared.Program = this->Name;
    declared.Instance = this->Name;
    this->Ask(declared, [](const Nothing&) {}, [](const Error&) {});
  }
  this->Later([this] { this->NextFile(); });
}

void Writer::NextFile()
{
  Random& chance = this->Surroundings.Chance;
  if (this->FilesLeft == 0 || this->Ending)
  {
    this->Leave();
    return;
  }
  --this->FilesLeft;
  ++this->FileNumber;
  const std::uint64_t owner = chance.Chance(0.2) ? 0 : this->Number; // some files are everybody's
  this->File = FileName(owner, chance.Below(FilesOfEach));
  const SnapshotId last = this->LastSnapshots[this->File];
  if (last != 0 && chance.Chance(0.15))
  {
    this->LastSnapshots.erase(this->File);
    this->Ask(DeleteFile{ this->File }, [this](const DeletedFile&) { this->NextFile(); });
    return;
  }
  this->Begin(last != 0 && chance.Chance(0.5) ? last : SnapshotId(0));
}

void Writer::Begin(SnapshotId source)
{
  BeginImage begin;
  begin.File = this->File;
  begin.CopyOf = source;
  begin.Ranks = this->Ranks;
  begin.Locks = this->Surroundings.Chance.Chance(0.8);
  this->Ask(
    begin, [this](const ImageGranted& granted) { this->Granted(granted); },
    [this](const Error& error)
    {
      this->LastSnapshots.erase(this->File);
      this->Again(error);
    });
}

void Writer::Granted(const ImageGranted& granted)
{
  this->Image = granted.Image;
  this->Map = AddressMap(granted.Image.Map);
  if (!this->Surroundings.Memory.IsRaised(this->Image->Slot, this->Image->Generation))
  {
    this->Surroundings.Notes.Fail(
      "{} may write image {} into slot {}, and a host has not raised it", this->Name,
      this->Image->Image, this->Image->Slot);
  }
  this->Grant = granted.Image.Grant;
  this->Content.clear();
  this->Frozen.clear();
  this->Changed.clear();
  this->Rounds = this->Surroundings.Chance.Between(std::uint64_t(1), 5);
  this->IsShown = false;
  if (granted.Source)
  {
    this->CopyFrom(*granted.Source);
    return;
  }
  if (granted.Image.Begins > 0)
  {
    const auto* before = this->Surroundings.Expected(granted.CopyOf);
    this->Content = before ? *before : HostMemory::Contents();
    this->IsShown = true;
    for (std::uint64_t page = 0; page < this->Content.size(); ++page)
    {
      this->Frozen.insert(page);
    }
  }
  this->Continue();
}

// The snapshot stays until its lease ends.
void Writer::CopyFrom(const LeasedSnapshot& source)
{
  HostMemory::Contents before;
  const bool isRead = this->Surroundings.Memory.Read(source.Snapshot, before);
  this->Tell(CloseSnapshot{ source.Lease });
  const auto* expected = this->Surroundings.Expected(source.Snapshot.Number);
  if (!isRead || !expected)
  {
    this->Discard("its source has moved");
    return;
  }
  if (before != *expected)
  {
    this->Surroundings.Notes.Fail(
      "{} copies snapshot {} and finds other bytes", this->Name, source.Snapshot.Number);
  }
  this->EnsureGrant(before.size() * Page,
    [this, before]
    {
      for (std::uint64_t page = 0; page < before.size(); ++page)
      {
        if (!this->Surroundings.Memory.Write(*this->Image, this->Map, page, before[page]))
        {
          this->Discard("its slot is another's");
          return;
        }
        this->Changed.insert(page);
      }
      this->Content = before;
      this->Continue();
    });
}

void Writer::Continue()
{
  this->Later(
    [this]
    {
      if (!this->Surroundings.Memory.Holds(this->Image->Slot, this->Image->Generation))
      {
        this->Discard("its slot is another's");
      }
      else if (this->Rounds == 0)
      {
        this->End();
      }
      else
      {
        --this->Rounds;
        this->Surroundings.Chance.Chance(0.3) && !this->Content.empty() ? this->Flush()
                                                                        : this->WriteSome();
      }
    });
}

void Writer::WriteSome()
{
  Random& chance = this->Surroundings.Chance;
  const std::uint64_t most =
    std::min<std::uint64_t>(this->Map.Capacity() / Page, chance.Chance(0.1) ? 200 : 24);
  const std::uint64_t page = chance.Below(most);
  this->EnsureGrant((page + 1) * Page,
    [this, page, most, count = chance.Between(std::uint64_t(1), 6)]
    {
      // Pages behind the first that is frozen are written when that is kept.
      Next next = [this] { this->Continue(); };
      const std::uint64_t first = page - std::min(page, count);
      for (std::uint64_t one = page + 1; one > first && one <= most; --one)
      {
        next = [this, at = one - 1, then = std::move(next)] { this->WritePage(at, then); };
      }
      next();
    });
}

void Writer::WritePage(std::uint64_t page, const Next& next)
{
  this->EnsureKept(page,
    [this, page, next]
    {
      const std::uint64_t what = this->Surroundings.Chance.Next();
      if (!this->Surroundings.Memory.Write(*this->Image, this->Map, page, what))
      {
        this->Discard("its slot is another's");
        return;
      }
      this->Surroundings.Notes.Note("{} writes page {} of image {} in slot {}", this->Name, page,
        this->Image->Image, this->Image->Slot);
      this->Content.resize(std::max<std::size_t>(this->Content.size(), page + 1));
      this->Content[page] = what;
      this->Changed.insert(page);
      this->IsShown = false;
      next();
    });
}

// Ranks without a channel write what they want into host 0's memory.
void Writer::EnsureGrant(std::uint64_t bytes, const Next& next)
{
  if (bytes <= this->Grant)
  {
    next();
    return;
  }
  if (this->Ranks > 1 && this->Surroundings.Chance.Chance(0.6))
  {
    this->Surroundings.Memory.Want(this->Image->Slot, this->Image->Generation, bytes);
    this->AwaitGrant(
      bytes, this->Surroundings.Time.Now() + this->Surroundings.RequestLimit(), next);
    return;
  }
  this->Ask(
    ExtendImage{ this->Image->Image, this->Image->Key, bytes },
    [this, next](const Extension& extension)
    {
      this->Grant = extension.Grant;
      next();
    },
    this->GiveUpFile());
}

void Writer::AwaitGrant(std::uint64_t bytes, double until, const Next& next)
{
  HostMemory& memory = this->Surroundings.Memory;
  const SlotIndex slot = this->Image->Slot;
  const std::uint64_t generation = this->Image->Generation;
  if (!memory.Holds(slot, generation))
  {
    this->Discard("its slot is another's");
  }
  else if (memory.GrantOf(slot) >= bytes)
  {
    this->Grant = memory.GrantOf(slot);
    memory.Reach(slot, generation, bytes);
    next();
  }
  else if (memory.TakeRefusal(slot, generation))
  {
    this->Discard("there is no room");
  }
  else if (this->Surroundings.Time.Now() > until)
  {
    this->Surroundings.Notes.Fail("{} wants {} bytes for image {} in memory, and has had no answer",
      this->Name, bytes, this->Image->Image);
  }
  else
  {
    this->Later(0.1, [this, bytes, until, next] { this->AwaitGrant(bytes, until, next); });
  }
}

void Writer::EnsureKept(std::uint64_t page, const Next& next)
{
  if (!this->Frozen.contains(page))
  {
    next();
    return;
  }
  const Location place = this->Map.Locate(FileOffset(page * Page));
  const KeepBytes keep{ this->Image->Image, this->Image->Key, place.Host,
    { place.Offset, place.Offset + Page } };
  const auto kept = [this, page, next]
  {
    this->Frozen.erase(page);
    next();
  };
  if (this->Ranks > 1 && this->Surroundings.Chance.Chance(0.5))
  {
    this->Surroundings.AskInMemory(KeepBytes::Name, Encode(keep),
      [this, kept, file = this->FileNumber, peer = this->Peer()](const Envelope& answer)
      {
        if (file != this->FileNumber || peer != this->Peer() || !this->Image || !this->IsAlive())
        {
          return;
        }
        answer.What == Envelope::Kind::Reply ? this->Later(0.0, kept)
                                             : this->Discard("its bytes could not be kept");
      });
    return;
  }
  this->Ask(keep, [kept](const Nothing&) { kept(); }, this->GiveUpFile());
}

void Writer::Flush()
{
  PublishImage publish;
  publish.Image = this->Image->Image;
  publish.Size = this->Size();
  publish.Changing.resize(this->Map.Parameters().Hosts);
  for (const std::uint64_t page : this->Changed)
  {
    const Location place = this->Map.Locate(FileOffset(page * Page));
    publish.Changing[place.Host].push_back({ place.Offset, place.Offset + Page });
  }
  for (auto& ranges : publish.Changing)
  {
    std::sort(ranges.begin(), ranges.end(),
      [](const ByteRange& one, const ByteRange& other) { return one.Begin < other.Begin; });
  }
  for (std::uint64_t page = 0; page < this->Content.size(); ++page)
  {
    if (!this->Changed.contains(page))
    {
      this->Frozen.insert(page);
    }
  }
  this->Changed.clear();
  this->Surroundings.Promise(publish.Image, this->Content);
  this->Ask(
    publish, [this](const Published& published)
    { published.Copy == 0 ? this->Continue() : this->Confirm(published.Copy); },
    this->GiveUpFile());
}

void Writer::Confirm(std::uint64_t copy)
{
  this->Ask(
    ConfirmCopy{ this->Image->Image, copy, { true, 0 } },
    [this](const Sealed& sealed)
    {
      this->LastSnapshots[this->File] = sealed.Number;
      this->IsShown = true;
      this->Continue();
    },
    this->GiveUpFile());
}

void Writer::End()
{
  if (this->Surroundings.Chance.Chance(0.05) || this->Content.empty())
  {
    this->Discard("the simulation wants it so");
  }
  else
  {
    this->IsShown&& this->Surroundings.Chance.Chance(0.7) ? this->Finish() : this->Seal();
  }
}

void Writer::Seal()
{
  SealImage seal;
  seal.Image = this->Image->Image;
  seal.Size = this->Size();
  seal.Reach = seal.Size;
  seal.Until = this->Surroundings.Clocks().Steady() + SealLimit;
  seal.OnDisk.IsThere = this->Surroundings.Chance.Chance(0.5);
  this->Surroundings.Promise(seal.Image, this->Content);
  this->Ask(
    seal,
    [this](const Sealed& sealed)
    {
      this->LastSnapshots[this->File] = sealed.Number;
      sealed.Number == 0 ? this->Finish() : this->EndFile();
    },
    this->GiveUpFile());
  this->Later(SealLimit,
    [this, image = seal.Image]
    {
      if (this->Image && this->Image->Image == image &&
        this->Surroundings.Memory.GiveUp(this->Image->Slot, this->Image->Generation))
      {
        this->Discard("its writer has given up waiting");
      }
    });
}

void Writer::Finish()
{
  this->Ask(
    FinishImage{ this->Image->Image, this->Size() }, [this](const Nothing&) { this->EndFile(); },
    this->GiveUpFile());
}

Process::Failure Writer::GiveUpFile()
{
  return [this, file = this->FileNumber](const Error& error)
  {
    if (!this->Image || file != this->FileNumber)
    {
      return; // it was given up before
    }
    if (!this->Surroundings.HasGivenUp(this->Peer()))
    {
      this->Tell(DiscardImage{ this->Image->Image, error.what() });
    }
    this->Image.reset();
    this->Again(error);
  };
}

void Writer::Discard(const std::string& why)
{
  if (this->Image)
  {
    this->Tell(DiscardImage{ this->Image->Image, why });
  }
  this->EndFile();
}

void Writer::EndFile()
{
  this->Image.reset();
  ++this->FileNumber;
  this->Later([this] { this->NextFile(); });
}

}
