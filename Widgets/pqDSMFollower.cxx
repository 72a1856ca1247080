// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMFollower.h"

#include "pqDSMRepresentation.h"
#include "pqDSMSceneTime.h"
#include "pqDSMStream.h"
#include "pqDSMTrace.h"

#include <pqApplicationCore.h>
#include <pqPipelineSource.h>
#include <pqServer.h>
#include <pqUndoStack.h>
#include <vtkSMSourceProxy.h>
#include <vtkSMTrace.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace
{
using Action = pqDSMFollowState::Action;
using Listed = pqDSMFollowState::Listed;

// How often times are asked for that nobody looks at, in milliseconds.
constexpr int TimesInterval = 1000;
}

pqDSMFollower::pqDSMFollower(std::shared_ptr<pqDSMSharedTime> time, QObject* parent)
  : Superclass(parent)
  , Time(std::move(time))
{
  this->Time->add(this);
}

pqDSMFollower::~pqDSMFollower()
{
  this->Time->remove(this);
}

void pqDSMFollower::connectionChanged()
{
  this->Streams.clear();
  this->Seen.clear();
  this->Noted.clear();
  this->TimesOf.clear();
  this->Compared.clear();
  this->Fixed.clear();
  this->Colors.clear();
  this->Waiting.reset();
  this->Note.clear();
}

QList<pqPipelineSource*> pqDSMFollower::readers() const
{
  QList<pqPipelineSource*> readers;
  for (const auto* stream : this->Streams.shown())
  {
    readers.append(stream->reader());
  }
  return readers;
}

void pqDSMFollower::want(const QString& name)
{
  if (auto* stream = this->Streams.find(name))
  {
    stream->state().want();
  }
}

qint64 pqDSMFollower::shown() const
{
  const auto all = this->allShown();
  return all.empty() ? 0 : *std::max_element(all.begin(), all.end());
}

QVector<qint64> pqDSMFollower::allShown() const
{
  QVector<qint64> shown;
  for (const auto& stream : this->Streams)
  {
    if (stream->isWanted() && stream->state().shown() > 0)
    {
      shown.append(stream->state().shown());
    }
  }
  return shown;
}

qint64 pqDSMFollower::skipped() const
{
  qint64 skipped = 0;
  for (const auto& stream : this->Streams)
  {
    skipped += stream->state().skipped();
  }
  return skipped;
}

// The readers' lists are as long as the list of snapshots, and rarely change between two calls.
QHash<qint64, double> pqDSMFollower::times()
{
  QVector<vtkMTimeType> changes;
  for (const auto& stream : this->Streams)
  {
    if (stream->reader())
    {
      changes.append(stream->listChange());
    }
  }
  if (changes != this->TimesOf)
  {
    this->TimesOf = changes;
    this->Times.clear();
    for (const auto& stream : this->Streams)
    {
      for (const auto& one : stream->reader() ? stream->listed() : std::vector<Listed>())
      {
        this->Times[one.Number] = one.Time;
      }
    }
  }
  return this->Times;
}

QString pqDSMFollower::error() const
{
  for (const auto& stream : this->Streams)
  {
    if (stream->isWanted() && !stream->error().isEmpty())
    {
      return stream->error();
    }
  }
  return {};
}

bool pqDSMFollower::isWanted(const QString& name) const
{
  const auto* stream = this->Streams.find(name);
  return stream && stream->isWanted();
}

double pqDSMFollower::sceneTime() const
{
  return pqDSMSceneTime::get(this->Server);
}

// Without snapshots ParaView's time may move by itself.
bool pqDSMFollower::isElsewhere(double time) const
{
  const auto shown = this->Streams.shown();
  return this->Status.running() && this->Status.State != "hosts lost" &&
    std::any_of(shown.begin(), shown.end(), [&](const auto* stream)
      { return this->Streams.present(stream->name()) && stream->state().isElsewhere(time); });
}

void pqDSMFollower::wentTo(double time)
{
  for (const auto& stream : this->Streams)
  {
    stream->state().wentTo(time);
  }
}

// Whether the times of a stream are others now, which are listed then.
bool pqDSMFollower::takeOtherTimes()
{
  bool others = false;
  for (const auto& stream : this->Streams)
  {
    if (stream->reader() && stream->takeOtherTimes())
    {
      stream->updateTimes();
      others = true;
    }
  }
  return others;
}

// Readers of a server that has stopped list what they had.
std::optional<double> pqDSMFollower::newestTime() const
{
  std::optional<double> newest;
  for (const auto* stream : this->Streams.shown())
  {
    const auto listed = this->Status.running() ? stream->listed() : std::vector<Listed>();
    if (!listed.empty())
    {
      newest = std::max(newest.value_or(listed.back().Time), listed.back().Time);
    }
  }
  return newest;
}

void pqDSMFollower::makeReader(pqDSMStream& stream)
{
  const bool isFirst = !this->reader();
  auto* reader = stream.makeReader(this->Server, this->Status.ContactPath, isFirst);
  if (!reader)
  {
    return;
  }
  stream.updateList();
  // Another server's data may be of another place and size.
  const bool isApart = isFirst && this->Time->hasOthers(this);
  // The time first: the view then asks for the snapshot that the reader has open, which is read
  // once. If it asked for another time later, that snapshot might be gone.
  if (this->following() || (isFirst && !isApart))
  {
    this->Time->goToNewest(this->Server);
  }
  isApart ? pqDSMRepresentation::showApart(reader, this->sceneTime())
          : pqDSMRepresentation::show(reader, this->sceneTime(), !isFirst);
  stream.state().readerMade(stream.kind().toStdString());
  stream.state().wentTo(this->sceneTime());
}

void pqDSMFollower::askAll()
{
  for (auto* stream : this->Streams.shown())
  {
    stream->state().shown(stream->askShown());
  }
}

// A reader of a state file reads when ParaView draws, which may be after the status that found it.
void pqDSMFollower::askUnknown()
{
  for (auto* stream : this->Streams.shown())
  {
    if (stream->state().shown() == 0 && stream->error().isEmpty())
    {
      stream->state().shown(stream->askShown());
    }
  }
}

void pqDSMFollower::ask()
{
  for (auto* stream : this->Streams.shown())
  {
    stream->askShown();
  }
}

// So that what other streams have is not counted as skipped.
void pqDSMFollower::noteNumbers()
{
  const auto shown = this->allShown();
  const qint64 oldest = shown.empty() ? 0 : *std::min_element(shown.begin(), shown.end());
  this->Seen.removeBelow(oldest);
  if (pqDSMStatus::isSame(this->Noted, this->Status.Snapshots) && oldest >= this->NotedFrom)
  {
    return;
  }
  this->Noted = this->Status.Snapshots;
  this->NotedFrom = oldest;
  for (const auto& snapshot : this->Status.Snapshots)
  {
    if (snapshot.Number >= oldest)
    {
      this->Seen.add(snapshot.Number, snapshot.Stream.toStdString());
    }
  }
}

// The list and ParaView's time controls have the times of what came while another snapshot is held.
void pqDSMFollower::updateTimes()
{
  if (this->SinceTimes.isValid() && this->SinceTimes.elapsed() < TimesInterval)
  {
    return;
  }
  for (const auto& group : this->Streams.groups())
  {
    auto* stream = group.Current ? this->Streams.find(group.Stream) : nullptr;
    if (stream && stream->reader())
    {
      const auto listed = stream->listed();
      if (listed.empty() || listed.back().Number < group.newest())
      {
        stream->updateTimes();
        pqDSMSceneTime::takeTimes(this->Server);
        this->SinceTimes.start();
      }
    }
  }
}

// In the middle of a tick ParaView ignores another time, and a pipeline must not change while it
// runs.
bool pqDSMFollower::isBusy() const
{
  return this->Time->ticks().isUnderway() || (this->Server && this->Server->isProgressPending());
}

void pqDSMFollower::userWentTo(double time)
{
  this->Note.clear();
  for (const auto& stream : this->Streams)
  {
    stream->state().hold(time);
    stream->state().wentTo(time);
  }
  this->askAll();
  Q_EMIT this->followingChanged(false);
}

// While ParaView plays, the list goes along with what is shown. Other ticks need not be the user's:
// ParaView itself goes to another time if the times have changed.
void pqDSMFollower::watchPlaying()
{
  const double time = this->sceneTime();
  const auto shown = this->Streams.shown();
  if (this->Time->ticks().isPlaying() && !this->Server->isProgressPending() &&
    this->Status.running() &&
    std::any_of(shown.begin(), shown.end(),
      [time](const auto* stream) { return stream->state().isElsewhere(time); }))
  {
    this->Time->holdAt(time);
  }
}

void pqDSMFollower::update(pqServer* server, const pqDSMStatus& status)
{
  this->Time->ticks().watch(server);
  if (server != this->Server)
  {
    this->connectionChanged();
    this->Server = server;
  }
  const bool running = server && status.running();
  const bool wasRunning = std::exchange(this->Running, running);
  // After a quick stop and start there is no status in between, but the new server counts from 0.
  const bool countsAnew = status.SnapshotsSealed < this->Status.SnapshotsSealed;
  this->ServerIsNew = this->ServerIsNew || (running && (!wasRunning || countsAnew));
  this->Status = status;
  if (this->isBusy())
  {
    this->watchPlaying();
    return;
  }
  if (const auto choice = std::exchange(this->Waiting, std::nullopt))
  {
    this->pick(choice->Number, choice->Stream, status);
    return;
  }
  const pqDSMSceneTicks::Quiet quiet(this->Time->ticks());
  this->Streams.setStatus(server, status);
  if (std::exchange(this->ServerIsNew, false))
  {
    for (const auto& stream : this->Streams)
    {
      stream->serverStarted();
    }
  }
  if (running)
  {
    this->noteNumbers();
    this->Streams.update(this->following());
    this->Fixed.update(this->Streams.fixedReaders(), status);
  }
  if (running && (this->takeOtherTimes() || pqDSMSceneTime::viewsAreElsewhere(server)) &&
    this->following())
  {
    // ParaView's time has gone elsewhere, but not since the user chose another one.
    this->Time->goToNewest(this->Server);
  }
  const bool compared = running && this->following() &&
    this->Compared.update(this->Streams.readersInPipeline(), this->Streams.groups());
  std::vector<pqDSMStream*> changed;
  std::vector<pqDSMStream*> made;
  const double time = this->sceneTime();
  bool moved = running && this->Time->isMoved(time);
  for (const auto& stream : this->Streams)
  {
    const auto* group = this->Streams.present(stream->name());
    const qint64 newest = stream->isWanted() && group ? group->newest() : qint64(0);
    const auto action = stream->state().statusSeen(
      { running, newest, status.WritersSeen, status.State == "hosts lost" }, time);
    if (!running)
    {
      stream->clearError();
    }
    moved = moved || action == Action::ReportShown;
    if (action == Action::MakeReader)
    {
      made.push_back(stream.get());
    }
    if (action == Action::GoToNewest)
    {
      changed.push_back(stream.get());
    }
  }
  if (moved)
  {
    this->Time->holdAt(time);
    return;
  }
  for (auto* stream : made)
  {
    pqDSMTrace::nextSnapshot(status.ContactPath, this->reader() ? stream->name() : QString());
    this->makeReader(*stream);
    if (stream->reader())
    {
      stream->state().shown(stream->askShown());
    }
  }
  if (running)
  {
    // Before ParaView's time changes, since that is when ParaView looks at the modes.
    this->Colors.update(this->readers());
  }
  for (auto* stream : changed)
  {
    stream->selectNumber(0);
    stream->updateList();
    stream->updateKind(this->sceneTime());
  }
  // The user may have chosen to hold while ParaView was reading.
  const bool gone = !changed.empty() && this->following() && this->Time->goToNewest(this->Server);
  for (auto* stream : changed)
  {
    const qint64 number = stream->askShown();
    stream->updateColours();
    stream->state().newestShown(number,
      this->Seen.others(stream->name().toStdString(), stream->state().shownBefore(), number));
  }
  if (running)
  {
    this->askUnknown();
  }
  if (!made.empty())
  {
    pqDSMTrace::toNewest();
  }
  else if (gone)
  {
    pqDSMTrace::followed(status.ContactPath);
  }
  else if (compared)
  {
    pqApplicationCore::instance()->render(); // at the same time of ParaView
  }
  if (running && !this->following())
  {
    this->updateTimes();
  }
}

void pqDSMFollower::contentsChanged(const pqPipelineSource* reader)
{
  for (const auto& stream : this->Streams)
  {
    if (stream->reader() == reader && stream->state().contentsChanged() == Action::Render)
    {
      pqApplicationCore::instance()->render();
    }
  }
}

void pqDSMFollower::setFollowing(bool following)
{
  this->Time->setFollowing(this->Server, following);
}

void pqDSMFollower::followingChosen(bool following, double time)
{
  this->Waiting.reset();
  this->Note.clear();
  for (const auto& stream : this->Streams)
  {
    following ? stream->state().follow(time) : stream->state().hold(time);
  }
  Q_EMIT this->followingChanged(following);
}

void pqDSMFollower::pick(qint64 number, const QString& name, const pqDSMStatus& status)
{
  if (!this->Server || !status.running())
  {
    return;
  }
  if (this->isBusy())
  {
    pqDSMSceneTime::stopPlaying(this->Server);
    this->Waiting = Choice{ number, name };
    return;
  }
  const QString gone = tr("Snapshot %1 has left the memory.").arg(number);
  if (!status.find(number))
  {
    this->Note = gone;
    return;
  }
  const pqDSMSceneTicks::Quiet quiet(this->Time->ticks());
  SCOPED_UNDO_SET(tr("Show Snapshot %1").arg(number));
  this->Status = status;
  this->Streams.setStatus(this->Server, status);
  this->Streams.update(this->following());
  auto* stream = this->Streams.owner(name);
  if (!stream)
  {
    return;
  }
  if (!stream->isWanted())
  {
    this->setWanted(stream->name(), true);
  }
  this->setFollowing(false);
  if (stream->state().pick(this->sceneTime()) == Action::MakeReader)
  {
    this->makeReader(*stream);
  }
  if (stream->reader())
  {
    this->show(*stream, number);
    this->askAll();
    if (stream->state().shown() != number && stream->error().isEmpty())
    {
      this->Note = gone; // since the status
    }
  }
}

void pqDSMFollower::show(pqDSMStream& stream, qint64 number)
{
  stream.selectNumber(0);
  stream.updateList();
  if (stream.state().pickListed(number, stream.listed(), stream.kind().toStdString()) ==
    Action::GoToTime)
  {
    for (auto* each : this->Streams.shown())
    {
      each->selectNumber(0);
    }
    this->Time->goTo(this->Server, stream.state().pickedTime());
    return;
  }
  {
    SM_SCOPED_TRACE(PropertiesModified).arg("proxy", stream.proxy());
    stream.selectNumber(number);
  }
  stream.updateList();
  stream.updateKind(this->sceneTime());
  stream.state().forgetDisplayed(); // the newest may be of another kind
  pqApplicationCore::instance()->render();
}
