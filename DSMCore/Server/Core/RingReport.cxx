// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/RingReport.h"

#include "Base/Environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace dsm
{

namespace
{
constexpr std::size_t MostNamed = 4;
}

RingReport::RingReport(const ImageState& state, Evictor& evictor)
  : State(state)
  , Evictions(evictor)
{
}

std::string RingReport::FullText() const
{
  const Ring& memory = this->State.Memory;
  std::string text = fmt::format("the DSM server's ring is full: {} snapshots (at most {}) and {} "
                                 "images being written use {} of {} on {} hosts",
    this->State.Snapshots.Count(), this->State.Policy.MaximumSnapshots,
    this->State.Images.All().size(), environment::FormatBytes(memory.UsedByAll()),
    environment::FormatBytes(memory.Budget() * memory.Hosts()), memory.Hosts());
  if (memory.IsPinned())
  {
    text += fmt::format(", whose memory is pinned, in {} slots of {}", memory.Count(),
      environment::FormatBytes(memory.Largest()));
  }
  if (!this->State.Images.All().empty())
  {
    text += " (" + this->LargestImagesText() + ")";
  }
  return text;
}

// The images that were granted most, with their grants.
std::string RingReport::LargestImagesText() const
{
  std::vector<const OpenImage*> images;
  images.reserve(this->State.Images.All().size());
  for (const auto& [number, image] : this->State.Images.All())
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

std::string RingReport::Advice() const
{
  const Ring& memory = this->State.Memory;
  if (this->State.Images.All().size() == memory.Count())
  {
    return fmt::format(
      "As many files are open as there are slots for: {}. Open fewer at once, or {}",
      memory.Count(),
      memory.IsPinned()
        ? "start the server for more snapshots, or expect smaller files, which makes more slots"
        : "share less memory per host, which leaves address space for more slots");
  }
  if (this->Evictions.Candidates().size() == this->State.Snapshots.Size())
  {
    return "All of it is wanted for files being written: raise the memory per host, or write less "
           "at once";
  }
  if (const auto checkpoints = this->State.Snapshots.KeptCheckpoints(); !checkpoints.empty())
  {
    return fmt::format(
      "{} of them {} checkpoint{}, of each kind the newest, which stay until there is a newer one: "
      "raise the memory per host, or the most snapshots, or have fewer files be checkpoints",
      checkpoints.size(), checkpoints.size() == 1 ? "is a" : "are",
      checkpoints.size() == 1 ? "" : "s");
  }
  return this->Evictions.KeepsUnread()
    ? "A viewer must read snapshots (the server's policy keeps unread ones), or the memory per "
      "host must grow, or the policy must be to drop the oldest"
    : "A program or a viewer holds them open: it must let go, or the memory per host must grow";
}

}
