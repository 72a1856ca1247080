// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMFollower.h"

#include "pqDSMCheckpoint.h"
#include "pqDSMComparison.h"
#include "pqDSMRepresentation.h"
#include "pqDSMStream.h"
#include "pqDSMTrace.h"

#include <pqAnimationManager.h>
#include <pqAnimationScene.h>
#include <pqApplicationCore.h>
#include <pqPVApplicationCore.h>
#include <pqPipelineSource.h>
#include <pqServer.h>
#include <pqServerManagerModel.h>
#include <pqUndoStack.h>
#include <pqView.h>
#include <vtkSMAnimationSceneProxy.h>
#include <vtkSMPropertyHelper.h>
#include <vtkSMSourceProxy.h>
#include <vtkSMTimeKeeperProxy.h>
#include <vtkSMTrace.h>

#include <algorithm>
#include <optional>

namespace
{
using Action = pqDSMFollowState::Action;

// More are not shown by themselves: a simulation may give each file a name of its own.
constexpr int MostAutomatic = 4;

// How often times are asked for that nobody looks at, in milliseconds.
constexpr int TimesInterval = 1000;

pqAnimationScene* Scene(pqServer* server)
{
  return pqPVApplicationCore::instance()->animationManager()->getScene(server);
}

// What gives the views their time.
vtkSMProxy* TimeKeeper(const pqAnimationScene* scene)
{
  return vtkSMPropertyHelper(scene->getProxy(), "TimeKeeper").GetAsProxy();
}
}

pqDSMFollower::pqDSMFollower(QObject* parent)
  : Superclass(parent)
{
}

pqDSMFollower::~pqDSMFollower() = default;

void pqDSMFollower::connectionChanged()
{
  this->All.clear();
  this->Groups.clear();
  this->Seen.clear();
  this->Ticks.clear();
  this->Compared.clear();
}

void pqDSMFollower::setAutomatic(bool automatic)
{
  this->Automatic = automatic;
  for (const auto& stream : this->All)
  {
    stream->state().setAutomatic(automatic);
  }
}

pqDSMStream* pqDSMFollower::find(const QString& name) const
{
  const auto found = std::find_if(
    this->All.begin(), this->All.end(), [&](const auto& one) { return one->name() == name; });
  return found == this->All.end() ? nullptr : found->get();
}

// What is written of a stream in the present run; null: nothing.
const pqDSMStreams::Group* pqDSMFollower::present(const QString& name) const
{
  const auto found = std::find_if(this->Groups.begin(), this->Groups.end(),
    [&](const auto& group) { return group.Current && group.Stream == name; });
  return found == this->Groups.end() ? nullptr : &*found;
}

pqPipelineSource* pqDSMFollower::reader() const
{
  const auto found =
    std::find_if(this->All.begin(), this->All.end(), [](const auto& one) { return one->reader(); });
  return found == this->All.end() ? nullptr : (*found)->reader();
}

QList<pqPipelineSource*> pqDSMFollower::readers() const
{
  QList<pqPipelineSource*> readers;
  for (const auto& stream : this->All)
  {
    if (stream->reader() && stream->isWanted())
    {
      readers.append(stream->reader());
    }
  }
  return readers;
}

QString pqDSMFollower::withoutReader() const
{
  for (const auto& group : this->Groups)
  {
    const auto* stream = group.Current ? this->find(group.Stream) : nullptr;
    if (stream && stream->isWanted() && !stream->reader() &&
      stream->state().reader() == pqDSMFollowState::ReaderState::Dismissed)
    {
      return group.Stream;
    }
  }
  return {};
}

void pqDSMFollower::want(const QString& name)
{
  if (auto* stream = this->find(name))
  {
    stream->state().want();
  }
}

bool pqDSMFollower::has(const pqPipelineSource* reader) const
{
  return reader && this->isOwned(reader);
}

bool pqDSMFollower::isOwned(const pqPipelineSource* reader) const
{
  return std::any_of(
    this->All.begin(), this->All.end(), [&](const auto& one) { return one->reader() == reader; });
}

qint64 pqDSMFollower::shown() const
{
  const auto all = this->allShown();
  return all.empty() ? 0 : *std::max_element(all.begin(), all.end());
}

QVector<qint64> pqDSMFollower::allShown() const
{
  QVector<qint64> shown;
  for (const auto& stream : this->All)
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
  for (const auto& stream : this->All)
  {
    skipped += stream->state().skipped();
  }
  return skipped;
}

QHash<qint64, double> pqDSMFollower::times() const
{
  QHash<qint64, double> times;
  for (const auto& stream : this->All)
  {
    if (stream->reader())
    {
      for (const auto& one : stream->listed())
      {
        times[one.Number] = one.Time;
      }
    }
  }
  return times;
}

QString pqDSMFollower::error() const
{
  for (const auto& stream : this->All)
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
  const auto* stream = this->find(name);
  return stream && stream->isWanted();
}

void pqDSMFollower::setWanted(const QString& name, bool wanted)
{
  this->Ticks[name] = wanted;
  if (auto* stream = this->find(name))
  {
    stream->setWanted(wanted);
  }
}

// The readers of this server, in the order in which they were made.
std::vector<pqPipelineSource*> pqDSMFollower::readersInPipeline() const
{
  std::vector<pqPipelineSource*> readers;
  auto* model = pqApplicationCore::instance()->getServerManagerModel();
  for (auto* source : model->findItems<pqPipelineSource*>(this->Server))
  {
    if (QString(source->getProxy()->GetXMLName()) == "DSMReader")
    {
      const QString file = vtkSMPropertyHelper(source->getProxy(), "ContactFile").GetAsString();
      // The server knows the folder of a relative name; the panel does not.
      if (file == this->Status.ContactPath || this->Status.ContactPath.endsWith("/" + file))
      {
        readers.push_back(source);
      }
    }
  }
  return readers;
}

// A stream that has come: with its own reader, with that of a simulation that has ended, or none.
void pqDSMFollower::addStream(const QString& name)
{
  const auto readers = this->readersInPipeline();
  const auto own = std::find_if(readers.begin(), readers.end(), [&](pqPipelineSource* one)
    { return !this->isOwned(one) && pqDSMStream::pattern(one) == name; });
  const auto ended = std::find_if(this->All.begin(), this->All.end(), [&](const auto& one)
    { return one->reader() && one->isWanted() && !this->present(one->name()); });
  const auto count = std::count_if(this->All.begin(), this->All.end(),
    [&](const auto& one) { return one->isWanted() && this->present(one->name()); });
  const bool wanted =
    this->Ticks.value(name, !pqDSMCheckpoint::isName(name.toStdString()) && count < MostAutomatic);
  if (wanted && own == readers.end() && ended != this->All.end())
  {
    (*ended)->rename(name);
    return;
  }
  auto stream = std::make_unique<pqDSMStream>(name);
  stream->state().setAutomatic(this->Automatic);
  stream->setWanted(wanted);
  if (!this->Following)
  {
    stream->state().hold(this->sceneTime());
  }
  this->All.push_back(std::move(stream));
}

void pqDSMFollower::updateStreams()
{
  int current = 0;
  for (const auto& group : this->Groups)
  {
    current += group.Current ? 1 : 0;
    if (group.Current && !this->find(group.Stream))
    {
      this->addStream(group.Stream);
    }
  }
  std::erase_if(this->All,
    [this](const auto& one)
    {
      return !one->reader() && one->state().reader() == pqDSMFollowState::ReaderState::Missing &&
        !this->present(one->name());
    });
  for (const auto& stream : this->All)
  {
    this->updateReader(*stream);
    if (current > 1)
    {
      // A reader of all files was enough until now.
      stream->setPattern();
      stream->showName(this->Status.ContactPath);
    }
  }
}

// Readers come and go without us: by hand, by a state file, by undo.
void pqDSMFollower::updateReader(pqDSMStream& stream)
{
  if (stream.reader())
  {
    return;
  }
  stream.state().readerRemoved();
  const auto readers = this->readersInPipeline();
  const auto take = [&](const auto& suits)
  {
    const auto found = std::find_if(readers.begin(), readers.end(), [&](pqPipelineSource* one)
      { return !this->isOwned(one) && suits(pqDSMStream::pattern(one)); });
    if (found != readers.end())
    {
      stream.setReader(*found);
    }
    return stream.reader() != nullptr;
  };
  // Its own; one of all files; one of a stream that is not there now, as in a state file.
  if (take([&](const QString& pattern) { return pattern == stream.name(); }) ||
    (stream.isWanted() &&
      (take([](const QString& pattern) { return pattern.isEmpty(); }) ||
        take(
          [&](const QString& pattern)
          {
            return pattern.contains('#') && !pqDSMComparison::isPattern(pattern) &&
              !this->present(pattern);
          }))))
  {
    if (!pqDSMStream::pattern(stream.reader()).isEmpty())
    {
      stream.setPattern();
    }
    stream.state().readerFound();
  }
}

double pqDSMFollower::sceneTime() const
{
  auto* scene = this->Server ? Scene(this->Server) : nullptr;
  return scene ? scene->getAnimationTime() : 0;
}

void pqDSMFollower::toldTime()
{
  for (const auto& stream : this->All)
  {
    stream->state().wentTo(this->sceneTime());
  }
}

void pqDSMFollower::goToTime(double time)
{
  auto* scene = Scene(this->Server);
  if (!scene)
  {
    return;
  }
  auto* proxy = scene->getProxy();
  auto* keeper = TimeKeeper(scene);
  if (keeper)
  {
    vtkSMTimeKeeperProxy::UpdateTimeInformation(keeper);
  }
  // The time before the scene's list of times: when the time that it shows is no longer in the
  // list, the scene goes to the first one, which is the oldest snapshot and the next to be dropped.
  if (scene->getAnimationTime() != time)
  {
    scene->setAnimationTime(time);
  }
  else
  {
    // The scene may have come to it since its range is another one; the views have not, then.
    if (keeper && vtkSMPropertyHelper(keeper, "Time").GetAsDouble() != time)
    {
      vtkSMPropertyHelper(keeper, "Time").Set(time);
      keeper->UpdateVTKObjects();
    }
    // Another file with the same time, perhaps of the next simulation. Now, not when the window has
    // time: what is shown then is asked next.
    auto* model = pqApplicationCore::instance()->getServerManagerModel();
    for (auto* view : model->findItems<pqView*>(this->Server))
    {
      view->forceRender();
    }
  }
  vtkSMAnimationSceneProxy::UpdateAnimationUsingDataTimeSteps(proxy);
  this->toldTime();
}

// Whether the times of a stream are others now, which are listed then.
bool pqDSMFollower::takeOtherTimes()
{
  bool others = false;
  for (const auto& stream : this->All)
  {
    if (stream->reader() && stream->takeOtherTimes())
    {
      stream->updateTimes();
      others = true;
    }
  }
  return others;
}

// Whether the views have another time than the scene, which went alone to the end of a new range.
bool pqDSMFollower::viewsAreElsewhere() const
{
  auto* scene = Scene(this->Server);
  auto* keeper = scene ? TimeKeeper(scene) : nullptr;
  return keeper && vtkSMPropertyHelper(keeper, "Time").GetAsDouble() != scene->getAnimationTime();
}

// The newest time of all streams that are shown. Returns whether they list any.
bool pqDSMFollower::goToNewest()
{
  std::optional<double> newest;
  for (const auto& stream : this->All)
  {
    if (stream->reader() && stream->isWanted())
    {
      const auto listed = stream->listed();
      if (!listed.empty())
      {
        newest = std::max(newest.value_or(listed.back().Time), listed.back().Time);
      }
    }
  }
  if (newest)
  {
    this->goToTime(*newest);
  }
  return newest.has_value();
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
  // The time first: the view then asks for the snapshot that the reader has open, which is read
  // once. If it asked for another time later, that snapshot might be gone.
  if (isFirst || this->Following)
  {
    this->goToNewest();
  }
  pqDSMRepresentation::show(reader, this->sceneTime(), !isFirst);
  stream.state().readerMade(stream.kind().toStdString());
  stream.state().wentTo(this->sceneTime());
}

void pqDSMFollower::askAll()
{
  for (const auto& stream : this->All)
  {
    if (stream->reader() && stream->isWanted())
    {
      stream->state().shown(stream->askShown());
    }
  }
}

void pqDSMFollower::ask()
{
  for (const auto& stream : this->All)
  {
    if (stream->reader() && stream->isWanted())
    {
      stream->askShown();
    }
  }
}

// So that what other streams have is not counted as skipped.
void pqDSMFollower::noteNumbers()
{
  const auto shown = this->allShown();
  const qint64 oldest = shown.empty() ? 0 : *std::min_element(shown.begin(), shown.end());
  while (!this->Seen.empty() && this->Seen.firstKey() < oldest)
  {
    this->Seen.remove(this->Seen.firstKey());
  }
  for (const auto& snapshot : this->Status.Snapshots)
  {
    if (snapshot.Number >= oldest)
    {
      this->Seen[snapshot.Number] = snapshot.Stream;
    }
  }
}

qint64 pqDSMFollower::others(const QString& stream, qint64 after, qint64 before) const
{
  qint64 count = 0;
  for (auto each = this->Seen.upperBound(after); each != this->Seen.end() && each.key() < before;
    ++each)
  {
    count += each.value() == stream ? 0 : 1;
  }
  return count;
}

// The list has the times of what came while another snapshot is held.
void pqDSMFollower::updateTimes()
{
  if (this->SinceTimes.isValid() && this->SinceTimes.elapsed() < TimesInterval)
  {
    return;
  }
  for (const auto& group : this->Groups)
  {
    auto* stream = group.Current ? this->find(group.Stream) : nullptr;
    if (stream && stream->reader())
    {
      const auto listed = stream->listed();
      if (listed.empty() || listed.back().Number < group.newest())
      {
        stream->updateTimes();
        this->SinceTimes.start();
      }
    }
  }
}

// Readers that compare runs, of which each shows what the other has as well. Returns whether there
// is something new for them.
bool pqDSMFollower::updateCompared()
{
  QHash<QString, qint64> newest;
  for (const auto& group : this->Groups)
  {
    newest[pqDSMComparison::pattern(group)] = group.newest();
  }
  QHash<QString, qint64> compared;
  std::vector<vtkSMSourceProxy*> readers;
  bool isNew = false;
  for (auto* reader : this->readersInPipeline())
  {
    const QString pattern = pqDSMStream::pattern(reader);
    if (pqDSMComparison::isPattern(pattern))
    {
      readers.push_back(reader->getSourceProxy());
      compared[pattern] = newest.value(pattern);
      isNew = isNew || this->Compared.value(pattern) != compared[pattern];
    }
  }
  this->Compared = compared;
  for (auto* reader : isNew ? readers : std::vector<vtkSMSourceProxy*>())
  {
    reader->InvokeCommand("Refresh");
    reader->MarkModified(reader);
    reader->UpdatePipelineInformation();
  }
  return isNew;
}

void pqDSMFollower::update(pqServer* server, const pqDSMStatus& status)
{
  if (server != this->Server)
  {
    this->connectionChanged();
    this->Server = server;
  }
  this->Status = status;
  this->Groups = pqDSMStreams::groups(status);
  const bool running = server && status.running();
  if (running)
  {
    this->noteNumbers();
    this->updateStreams();
  }
  if (running && (this->takeOtherTimes() || this->viewsAreElsewhere()) && this->Following)
  {
    // ParaView's time has gone elsewhere, but not since the user chose another one.
    this->goToNewest();
  }
  const bool compared = running && this->Following && this->updateCompared();
  std::vector<pqDSMStream*> changed;
  std::vector<pqDSMStream*> made;
  bool moved = false;
  const double time = this->sceneTime();
  for (const auto& stream : this->All)
  {
    const auto* group = this->present(stream->name());
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
    // The user has moved ParaView's time, for all.
    for (const auto& stream : this->All)
    {
      stream->state().hold(time);
      stream->state().wentTo(time);
    }
    this->askAll();
    this->setFollows(false);
    return;
  }
  for (auto* stream : made)
  {
    pqDSMTrace::nextSnapshot(this->reader() ? stream->name() : QString());
    this->makeReader(*stream);
    if (stream->reader())
    {
      stream->state().shown(stream->askShown());
    }
  }
  for (auto* stream : changed)
  {
    stream->selectNumber(0);
    stream->updateList();
    stream->updateKind(this->sceneTime());
  }
  // The user may have chosen to hold while ParaView was reading.
  const bool gone = !changed.empty() && this->Following && this->goToNewest();
  for (auto* stream : changed)
  {
    const qint64 number = stream->askShown();
    stream->updateColours();
    stream->state().newestShown(
      number, this->others(stream->name(), stream->state().shownBefore(), number));
  }
  if (!made.empty())
  {
    pqDSMTrace::toNewest();
  }
  else if (gone)
  {
    pqDSMTrace::followed();
  }
  else if (compared)
  {
    pqApplicationCore::instance()->render(); // at the same time of ParaView
  }
  if (running && !this->Following)
  {
    this->updateTimes();
  }
}

void pqDSMFollower::contentsChanged(const pqPipelineSource* reader)
{
  for (const auto& stream : this->All)
  {
    if (stream->reader() == reader && stream->state().contentsChanged() == Action::Render)
    {
      pqApplicationCore::instance()->render();
    }
  }
}

void pqDSMFollower::setFollowing(bool following)
{
  for (const auto& stream : this->All)
  {
    following ? stream->state().follow(this->sceneTime()) : stream->state().hold(this->sceneTime());
  }
  this->setFollows(following);
}

void pqDSMFollower::setFollows(bool following)
{
  if (following != this->Following)
  {
    this->Following = following;
    Q_EMIT this->followingChanged(following);
  }
}

// Of one that an earlier simulation wrote: the first reader that there is.
pqDSMStream* pqDSMFollower::owner(const QString& name) const
{
  if (auto* stream = this->find(name))
  {
    return stream;
  }
  const auto first =
    std::find_if(this->All.begin(), this->All.end(), [](const auto& one) { return one->reader(); });
  return first != this->All.end() ? first->get()
    : this->All.empty()           ? nullptr
                                  : this->All.front().get();
}

void pqDSMFollower::pick(qint64 number, const QString& name)
{
  if (!this->Server || !this->Status.running())
  {
    return;
  }
  SCOPED_UNDO_SET(tr("Show Snapshot %1").arg(number));
  this->updateStreams();
  auto* stream = this->owner(name);
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
  if (!stream->reader())
  {
    return;
  }
  stream->selectNumber(0);
  stream->updateList();
  if (stream->state().pickListed(number, stream->listed(), stream->kind().toStdString()) ==
    Action::GoToTime)
  {
    for (const auto& each : this->All)
    {
      if (each->reader() && each->isWanted())
      {
        each->selectNumber(0);
      }
    }
    this->goToTime(stream->state().pickedTime());
  }
  else
  {
    {
      SM_SCOPED_TRACE(PropertiesModified).arg("proxy", stream->proxy());
      stream->selectNumber(number);
    }
    stream->updateList();
    stream->updateKind(this->sceneTime());
    stream->state().forgetDisplayed(); // the newest may be of another kind
    pqApplicationCore::instance()->render();
  }
  this->askAll();
}
