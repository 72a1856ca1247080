// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMFollowState.h"

#include <algorithm>
#include <utility>

pqDSMFollowState::Action pqDSMFollowState::statusSeen(const Status& status, double time)
{
  this->Seen = status;
  if (!status.Running)
  {
    // With the next Start, a reader is made again.
    this->Reader = this->hasReader() ? ReaderState::Found : ReaderState::Missing;
    this->catchUp();
    this->forgetDisplayed();
    this->SkippedCount = 0;
    return Action::None;
  }
  if (status.Lost)
  {
    this->catchUp();
  }
  if (status.Lost || status.Newest == 0)
  {
    return Action::None;
  }
  if (this->Reader == ReaderState::Missing && this->Automatic)
  {
    // Tried once, whatever comes of it.
    this->Reader = ReaderState::Dismissed;
    return Action::MakeReader;
  }
  if (!this->hasReader())
  {
    return Action::None;
  }
  if (this->isElsewhere(time))
  {
    this->setMode(Mode::Hold, time);
    this->Time = time;
    return Action::ReportShown;
  }
  if (this->CurrentMode == Mode::Hold ||
    (this->CurrentMode == Mode::Follow && status.Newest == this->Newest))
  {
    return Action::None;
  }
  if (this->CurrentMode == Mode::Follow && status.Newest < this->Newest)
  {
    // The server has started anew, and counts from 1.
    this->ShownNumber = 0;
    this->forgetDisplayed();
  }
  this->CurrentMode = Mode::Follow;
  this->Newest = status.Newest;
  this->ShownBefore = this->ShownNumber;
  return Action::GoToNewest;
}

void pqDSMFollowState::connectionChanged()
{
  this->Reader = ReaderState::Missing;
  this->forgetReader();
  this->ShownNumber = 0;
  this->SkippedCount = 0;
}

void pqDSMFollowState::readerFound()
{
  this->forgetReader();
  this->Reader = this->Reader == ReaderState::Dismissed ? ReaderState::Made : ReaderState::Found;
}

void pqDSMFollowState::readerRemoved()
{
  this->forgetReader();
  this->Reader = this->Reader == ReaderState::Made ? ReaderState::Dismissed
    : this->Reader == ReaderState::Found           ? ReaderState::Missing
                                                   : this->Reader;
}

void pqDSMFollowState::follow(double time)
{
  if (this->CurrentMode == Mode::Hold)
  {
    this->setMode(Mode::CatchUp, time);
  }
}

void pqDSMFollowState::hold(double time)
{
  this->setMode(Mode::Hold, time);
}

void pqDSMFollowState::want()
{
  if (!this->hasReader())
  {
    this->Reader = ReaderState::Missing;
    this->Automatic = true;
  }
  this->catchUp();
}

pqDSMFollowState::Action pqDSMFollowState::contentsChanged()
{
  if (!this->following() || !this->Seen.Running)
  {
    return Action::Render;
  }
  // With the next status; what is shown now may have left the server's memory.
  this->catchUp();
  return Action::None;
}

pqDSMFollowState::Action pqDSMFollowState::pick(double time)
{
  this->hold(time);
  if (this->hasReader())
  {
    return Action::None;
  }
  this->Reader = ReaderState::Dismissed;
  return Action::MakeReader;
}

pqDSMFollowState::Action pqDSMFollowState::pickListed(
  std::int64_t number, const std::vector<Listed>& listed, const std::string& kind)
{
  const auto found = std::find_if(listed.begin(), listed.end(),
    [number](const Listed& snapshot) { return snapshot.Number == number; });
  if (found != listed.end() && (this->Kind.empty() || kind == this->Kind) &&
    std::count_if(listed.begin(), listed.end(),
      [&](const Listed& snapshot) { return snapshot.Time == found->Time; }) == 1)
  {
    this->PickedTime = found->Time;
    return Action::GoToTime;
  }
  this->forgetDisplayed();
  return Action::SelectNumber;
}

void pqDSMFollowState::readerMade(const std::string& kind)
{
  this->Reader = ReaderState::Made;
  this->Kind = kind;
  this->displayedAnew();
  if (this->CurrentMode == Mode::CatchUp)
  {
    // It shows the newest of when it was asked for. Later ones come with the next status: to make a
    // representation takes long, the first one most of all.
    this->CurrentMode = Mode::Follow;
    this->Newest = this->Seen.Newest;
  }
}

void pqDSMFollowState::newestShown(std::int64_t number, std::int64_t others)
{
  this->shown(number);
  if (this->ShownBefore > 0 && number > this->ShownBefore)
  {
    this->SkippedCount += std::max<std::int64_t>(number - this->ShownBefore - 1 - others, 0);
  }
}

bool pqDSMFollowState::kindSeen(const std::string& kind)
{
  // Of a reader that was found it is not known.
  const std::string before = std::exchange(this->Kind, kind);
  return !before.empty() && before != kind;
}

void pqDSMFollowState::catchUp()
{
  if (this->CurrentMode == Mode::Follow)
  {
    this->CurrentMode = Mode::CatchUp;
  }
}

void pqDSMFollowState::setMode(Mode mode, double time)
{
  if (mode != this->CurrentMode)
  {
    this->CurrentMode = mode;
    this->Time = time;
  }
}

void pqDSMFollowState::forgetReader()
{
  this->catchUp();
  this->Kind.clear();
  this->forgetDisplayed();
}
