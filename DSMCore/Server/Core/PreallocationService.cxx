// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/PreallocationService.h"

#include "Base/Log.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace dsm
{

namespace
{
// Writers that take longer than this leave cores idle. No background work is done before then.
constexpr Seconds BriefWriting(0.5);
// After so long without a file the next one is not expected at once.
constexpr Seconds BetweenFiles(0.1);
// Hosts leave the cores to the readers of a sealed file for this share of the expected pause, up to
// the limit. Hosts in ParaView's process would also delay each of its mmap calls meanwhile.
constexpr double ReadersShare = 0.25;
constexpr Seconds LongestReading(0.5);
// In a shorter pause hosts cannot make several small files' memory ready.
constexpr Seconds BriefPause(0.01);
}

PreallocationService::PreallocationService(
  const CoreState& state, const HostPresence& presence, ImageManager& images, HostService& hosts)
  : State(state)
  , Presence(presence)
  , Images(images)
  , Hosts(hosts)
{
}

bool PreallocationService::IsBusyWriting() const
{
  return !this->Images.OpenImages().empty() &&
    this->State.Time.Now - this->LastBegin < BriefWriting;
}

void PreallocationService::NoteSealed(const std::string& fileName)
{
  const auto now = this->State.Time.Now;
  const bool isFirst = this->LastFile.empty();
  const Seconds pause = this->LastBegin - this->LastSealed;
  this->LastFile = fileName;
  this->WasBrief = pause < BriefPause;
  this->LastSealed = now;
  this->IsScarce = false;
  this->NextIsDue = true;
  this->Due = now;
  if (!isFirst && pause > BetweenFiles)
  {
    this->Due +=
      std::chrono::duration_cast<Clock::duration>(std::min(ReadersShare * pause, LongestReading));
    this->State.Around.TickBy(this->Due);
  }
  this->Continue();
}

void PreallocationService::PrepareNext(const std::string& fileName)
{
  if (const auto work = this->Images.PrepareNext(fileName))
  {
    this->Hosts.Submit(*work,
      [this, slot = work->Slot](const TaskFailure& failure)
      {
        if (!failure.IsEmpty())
        {
          this->Hosts.Cool(slot);
        }
      });
  }
}

void PreallocationService::Continue()
{
  if (this->State.Time.Now < this->Due)
  {
    return;
  }
  if (std::exchange(this->NextIsDue, false))
  {
    this->PrepareNext(this->LastFile);
  }
  if (this->IsWarming || this->IsScarce || this->State.IsEnding || !this->State.IsOpen ||
    !this->Presence.Lost.empty() || this->IsBusyWriting() || this->State.Around.Rarely())
  {
    return;
  }
  const bool hurries = this->State.Time.Now - this->LastSealed < BetweenFiles;
  // Memory for files behind the next one can wait, so the cores are left to programs.
  const bool rests = this->Images.IsNextReady(this->LastFile);
  const auto pages = this->Images.Warm(this->LastFile, hurries);
  if (pages.empty())
  {
    return;
  }
  this->IsWarming = true;
  // If there is no pause at all, small files' pages are only reserved: clearing them takes their
  // writers less time than it takes the hosts, which have to map them for it.
  const bool leavesRest = hurries && this->WasBrief && ImageManager::AreSmall(pages);
  this->Hosts.SubmitAhead({ .Pages = pages, .Touches = !leavesRest, .Rests = rests },
    [this, pages](const TaskFailure& failure)
    {
      this->IsWarming = false;
      this->Images.NoteWarm(pages);
      if (!failure.IsEmpty())
      {
        Log().info("no more memory is made ready ahead for now: {}", failure.Why);
        this->IsScarce = true;
        for (const auto& range : pages)
        {
          this->Hosts.Cool(range.Slot);
        }
      }
      this->Continue();
    });
}

}
