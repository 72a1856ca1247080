// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/GrowthService.h"

#include "Base/Environment.h"
#include "Base/Error.h"
#include "Base/Log.h"
#include "Server/Core/RequestRouter.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace dsm
{
void GrowthService::Serve(RequestRouter& router)
{
  router.On<ExtendImage>(*this);
}

void GrowthService::Handle(const Call& call, const ExtendImage& message)
{
  this->Part.Images.RequireKey(message.Image, message.Key);
  auto growth = std::make_shared<Growth>();
  growth->Owner = call.Peer(); // a rank may have a channel of its own
  growth->Image = message.Image;
  growth->Bytes = message.Bytes;
  growth->Since = this->Part.State.Time.Now;
  growth->Granted = [this, call, image = message.Image](std::uint64_t grant)
  {
    if (this->Part.Peers.Has(call.Peer()))
    {
      this->Part.Settings.AnnounceServer(call.Peer());
      call.Reply(Extension{ grant, this->Part.Images.Image(image).Map.Parameters().Disk });
    }
  };
  growth->Refused = [call](const std::exception& error) { call.Refuse(error); };
  this->Grow(std::move(growth));
}

// Collects once, for each image, the most that its ranks want.
void GrowthService::LookForWants()
{
  const auto& images = this->Part.Images.OpenImages();
  std::erase_if(this->Wants, [&](const auto& want) { return !images.contains(want.first); });
  std::vector<std::shared_ptr<Growth>> wanted;
  for (auto& [number, asked] : this->Wants)
  {
    const auto& image = images.at(number);
    const std::uint64_t bytes = this->Part.Slots.Wanted(image.Slot, image.Generation);
    if (bytes > std::max(asked, image.Reserved))
    {
      asked = bytes;
      auto growth = std::make_shared<Growth>();
      growth->Owner = image.Owner;
      growth->Image = number;
      growth->Since = this->Part.State.Time.Now;
      // Whole pages are asked for, and a map may end within the last.
      growth->Bytes = image.MayOutgrow ? bytes : std::min(bytes, image.Map.Capacity());
      // The ranks that wait see both in memory.
      growth->Granted = [](std::uint64_t) {};
      growth->Refused = [](const std::exception&) {};
      wanted.push_back(std::move(growth));
    }
  }
  std::erase_if(this->Reached, [&](const auto& one) { return !images.contains(one.first); });
  std::vector<ImageId> further;
  for (const auto& [number, image] : images)
  {
    const std::uint64_t reached = this->ReachedBy(number);
    if (reached > this->Reached[number] && !this->Part.Preallocation.IsBusyWriting())
    {
      this->Reached[number] = reached;
      further.push_back(number);
    }
  }
  for (const ImageId number : further)
  {
    this->GrowFurther(number);
  }
  for (auto& growth : wanted)
  {
    try
    {
      this->Grow(growth);
    }
    catch (const Error& error)
    {
      this->TellRefusal(growth->Image, growth->Bytes, error);
    }
  }
}

void GrowthService::Grow(const std::shared_ptr<const Growth>& growth)
{
  this->Part.Allocations.TryOrWait(
    growth->Owner, [this, growth] { return this->TryGrow(growth); },
    [this, growth](const std::exception& error) { this->Refuse(*growth, error); });
}

bool GrowthService::TryGrow(const std::shared_ptr<const Growth>& growth)
{
  const bool wasInMemory = !this->Part.Images.Image(growth->Image).Map.ReachesDisk();
  const auto extended = this->Part.Images.Extend(growth->Image, growth->Bytes);
  if (!extended)
  {
    return false;
  }
  if (const auto& image = this->Part.Images.Image(growth->Image);
    wasInMemory && image.Map.ReachesDisk())
  {
    Log().info("{} does not fit the hosts' memory: what comes after its first {} is on disk in {}, "
               "and in memory as far as that is used",
      image.FileName, environment::FormatBytes(image.Map.Parameters().Disk.From),
      extended->BeforeWriting.Plan.Folder);
  }
  // Submitted even if there is nothing to do: other ranks may have asked, and wait for the grant.
  this->Part.Hosts.Submit(extended->BeforeWriting,
    [this, growth, grant = extended->Grant](const TaskFailure& failure)
    { this->Finish(growth, grant, failure); });
  return true;
}

// The hosts have done what was needed, or have not.
void GrowthService::Finish(
  const std::shared_ptr<const Growth>& growth, std::uint64_t grant, const TaskFailure& failure)
{
  if (failure.IsEmpty() && this->Part.Images.ConfirmGrant(growth->Image, grant))
  {
    this->TellGrant(growth->Image);
    growth->Granted(grant);
    this->GrowFurther(growth->Image);
    return;
  }
  if (!failure.IsEmpty())
  {
    this->Part.Images.WithdrawGrant(growth->Image);
  }
  // Snapshots are evicted for the next attempt.
  if (failure.LacksMemory && this->Part.Images.OpenImages().contains(growth->Image) &&
    this->Part.Peers.Has(growth->Owner))
  {
    this->Part.Allocations.TryAgain(
      growth->Owner, growth->Since, [this, growth] { return this->TryGrow(growth); },
      [this, growth, lack = failure.Why](const std::exception& error)
      {
        const Error why = Error::From(error);
        this->Refuse(*growth, Error(why.GetFault(), "{} ({})", why.what(), lack));
      });
    return;
  }
  Error why(Fault::System, "{}", failure.Why);
  // The bytes written so far are worth waiting for a host that is away.
  const bool mayWait = failure.IsEmpty() || !this->Part.Presence.Lost.empty();
  if (mayWait && this->Part.Peers.Has(growth->Owner))
  {
    try
    {
      this->Grow(growth);
      return;
    }
    catch (const Error& error)
    {
      why = error;
    }
  }
  this->Refuse(*growth, why);
}

// Its writer goes on meanwhile, and finds what it will want next.
void GrowthService::GrowFurther(ImageId image)
{
  if (this->Growing.contains(image))
  {
    return;
  }
  auto further = this->Part.Images.ExtendFurther(image);
  if (!further)
  {
    further = this->Part.Images.ExtendAhead(image, this->ReachedBy(image));
  }
  if (!further)
  {
    return;
  }
  this->Growing.insert(image);
  this->Part.Hosts.Submit(further->BeforeWriting,
    [this, image, grant = further->Grant](const TaskFailure& failure)
    {
      this->Growing.erase(image);
      if (!failure.IsEmpty())
      {
        this->Part.Images.WithdrawGrant(image);
      }
      else if (this->Part.Images.ConfirmGrant(image, grant))
      {
        this->TellGrant(image);
        this->GrowFurther(image);
      }
    });
}

// What its ranks have reported last.
std::uint64_t GrowthService::ReachedBy(ImageId number) const
{
  const auto& images = this->Part.Images.OpenImages();
  const auto found = images.find(number);
  return found == images.end()
    ? 0
    : this->Part.Slots.Reached(found->second.Slot, found->second.Generation);
}

void GrowthService::TellGrant(ImageId number) const
{
  const auto& image = this->Part.Images.Image(number);
  this->Part.Slots.TellGrant(image.Slot, image.Reserved, image.Map.Parameters().Disk);
}

void GrowthService::Refuse(const Growth& growth, const std::exception& why)
{
  this->TellRefusal(growth.Image, growth.Bytes, why);
  growth.Refused(why);
}

// So much, or more, is refused.
void GrowthService::TellRefusal(ImageId number, std::uint64_t bytes, const std::exception& why)
{
  const auto& images = this->Part.Images.OpenImages();
  const auto found = images.find(number);
  if (found == images.end())
  {
    return; // its slot has another generation, which says it
  }
  const auto& image = found->second;
  this->Part.Slots.TellRefusal(
    image.Slot, image.Generation, bytes, Error::From(why), image.FileName);
  if (const auto want = this->Wants.find(number); want != this->Wants.end())
  {
    want->second = 0;
  }
}

}
