// SPDX-License-Identifier: BSD-3-Clause
#include "NameModel.h"

#include <fmt/core.h>

#include <algorithm>

namespace dsm::simulation
{

std::optional<std::string> NameModel::Check(const NameHistory& history)
{
  NameModel model;
  // A snapshot leaves within an event, and observers hear of it at the event's end.
  for (const NameEvent& event : history)
  {
    if (event.What == NameEvent::Kind::Evicted)
    {
      model.LeftIn[event.Number] = event.Event;
    }
  }
  for (const NameEvent& event : history)
  {
    if (const auto wrong = model.Step(event))
    {
      return fmt::format("names: event {}: {}: {}", event.Event, event.File, *wrong);
    }
  }
  return std::nullopt;
}

std::uint64_t NameModel::Newest(const Name& name) const
{
  return name.Snapshots.empty() ? 0 : *name.Snapshots.rbegin();
}

// Returns false if the snapshot may have left within this event.
bool NameModel::IsThere(std::uint64_t snapshot, const NameEvent& event) const
{
  const auto left = this->LeftIn.find(snapshot);
  return left == this->LeftIn.end() || left->second > event.Event;
}

std::optional<std::string> NameModel::Step(const NameEvent& event)
{
  Name& name = this->Names[event.File];
  switch (event.What)
  {
    case NameEvent::Kind::Created:
      break;
    case NameEvent::Kind::Sealed:
    case NameEvent::Kind::Published:
      name.Snapshots.insert(event.Number);
      break;
    case NameEvent::Kind::Announced:
      this->Announced.insert(event.Number);
      break;
    case NameEvent::Kind::Joined:
      this->Announced.insert(event.Number);
      this->Parts.insert(event.Number);
      break;
    case NameEvent::Kind::Opened:
      if (name.Gone > this->Newest(name) && this->LeftIn[name.Gone] < event.Event)
      {
        return fmt::format(
          "snapshot {} was opened, and the newest was {}, which has left", event.Number, name.Gone);
      }
      if (event.Number != this->Newest(name))
      {
        return fmt::format(
          "snapshot {} was opened, and the newest is {}", event.Number, this->Newest(name));
      }
      break;
    case NameEvent::Kind::Gone:
      if (name.Gone < this->Newest(name) && this->IsThere(this->Newest(name), event))
      {
        return fmt::format("the newest has left, and snapshot {} is there", this->Newest(name));
      }
      break;
    case NameEvent::Kind::Unknown:
      if (!name.Snapshots.empty() && this->IsThere(this->Newest(name), event))
      {
        return fmt::format("there is no snapshot, and {} is there", this->Newest(name));
      }
      if (name.Gone > 0)
      {
        return fmt::format("there is no snapshot, and {} has left", name.Gone);
      }
      break;
    case NameEvent::Kind::Awaited:
      return this->Awaited(event);
    case NameEvent::Kind::Evicted:
      if (name.Snapshots.erase(event.Number) > 0)
      {
        name.Gone = std::max(name.Gone, event.Number);
      }
      break;
    case NameEvent::Kind::Deleted:
    {
      const auto there = static_cast<std::uint64_t>(std::count_if(name.Snapshots.begin(),
        name.Snapshots.end(), [&](std::uint64_t one) { return this->IsThere(one, event); }));
      name = {};
      if (event.Number != there)
      {
        return fmt::format("{} snapshots were deleted, and {} were there", event.Number, there);
      }
    }
    break;
  }
  return std::nullopt;
}

std::optional<std::string> NameModel::Awaited(const NameEvent& event)
{
  const Name& name = this->Names[event.File];
  if (!name.Snapshots.contains(event.Number) || !this->Announced.contains(event.Number))
  {
    return fmt::format("snapshot {} was awaited, which is not to be seen", event.Number);
  }
  for (auto one = name.Snapshots.upper_bound(event.After); *one < event.Number; ++one)
  {
    if (this->Announced.contains(*one) && !this->Parts.contains(*one) && this->IsThere(*one, event))
    {
      return fmt::format("snapshot {} was awaited behind {}, and {} comes before it", event.Number,
        event.After, *one);
    }
  }
  return event.Number > event.After
    ? std::nullopt
    : std::optional(fmt::format("snapshot {} was awaited behind {}", event.Number, event.After));
}

}
