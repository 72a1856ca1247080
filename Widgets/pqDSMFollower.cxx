// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMFollower.h"

#include "pqDSMRepresentation.h"
#include "pqDSMTrace.h"

#include <pqAnimationManager.h>
#include <pqAnimationScene.h>
#include <pqApplicationCore.h>
#include <pqObjectBuilder.h>
#include <pqPVApplicationCore.h>
#include <pqPipelineSource.h>
#include <pqServer.h>
#include <pqServerManagerModel.h>
#include <pqView.h>
#include <vtkSMAnimationSceneProxy.h>
#include <vtkSMOutputPort.h>
#include <vtkSMPropertyHelper.h>
#include <vtkSMSourceProxy.h>
#include <vtkSMTimeKeeperProxy.h>
#include <vtkSMTrace.h>

#include <algorithm>
#include <vector>

namespace
{
using Action = pqDSMFollowState::Action;

pqAnimationScene* Scene(pqServer* server)
{
  return pqPVApplicationCore::instance()->animationManager()->getScene(server);
}
}

pqDSMFollower::pqDSMFollower(QObject* parent)
  : Superclass(parent)
{
}

pqDSMFollower::~pqDSMFollower() = default;

void pqDSMFollower::connectionChanged()
{
  this->Reader = nullptr;
  this->State.connectionChanged();
  this->Error.clear();
}

pqPipelineSource* pqDSMFollower::reader() const
{
  return this->Reader;
}

pqPipelineSource* pqDSMFollower::findReader() const
{
  auto* model = pqApplicationCore::instance()->getServerManagerModel();
  for (auto* source : model->findItems<pqPipelineSource*>(this->Server))
  {
    if (QString(source->getProxy()->GetXMLName()) == "DSMReader")
    {
      const QString file = vtkSMPropertyHelper(source->getProxy(), "ContactFile").GetAsString();
      // The server knows the folder of a relative name; the panel does not.
      if (file == this->Status.ContactPath || this->Status.ContactPath.endsWith("/" + file))
      {
        return source;
      }
    }
  }
  return nullptr;
}

// Readers come and go without us: by hand, by a state file, by undo.
void pqDSMFollower::updateReader()
{
  if (this->Reader)
  {
    return;
  }
  this->State.readerRemoved();
  this->Reader = this->findReader();
  if (this->Reader)
  {
    this->State.readerFound();
  }
}

double pqDSMFollower::sceneTime() const
{
  auto* scene = this->Server ? Scene(this->Server) : nullptr;
  return scene ? scene->getAnimationTime() : 0;
}

// Lets the reader list the snapshots that there are now: on all ranks, but it reads no data.
void pqDSMFollower::updateList(vtkSMSourceProxy* reader) const
{
  reader->InvokeCommand("Refresh");
  reader->MarkModified(reader);
  reader->UpdatePipelineInformation();
  reader->UpdatePropertyInformation();
}

// The class of the reader's data.
QString pqDSMFollower::kind() const
{
  auto* port = this->Reader->getSourceProxy()->GetOutputPort(0U);
  port->InvalidateDataInformation();
  return port->GetDataClassName();
}

// Replaces representations that cannot show the data any more.
void pqDSMFollower::updateKind()
{
  auto* proxy = this->Reader->getSourceProxy();
  if (!this->State.mustCheckKind() || *vtkSMPropertyHelper(proxy, "ErrorText").GetAsString())
  {
    return;
  }
  if (this->State.kindSeen(this->kind().toStdString()) && pqDSMRepresentation::remove(this->Reader))
  {
    this->display(this->Reader);
    this->State.displayedAnew();
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
  if (auto* keeper = vtkSMPropertyHelper(proxy, "TimeKeeper").GetAsProxy())
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
    // Another file with the same time, perhaps of the next simulation. Now, not when the window has
    // time: what is shown then is asked next.
    auto* model = pqApplicationCore::instance()->getServerManagerModel();
    for (auto* view : model->findItems<pqView*>(this->Server))
    {
      view->forceRender();
    }
  }
  vtkSMAnimationSceneProxy::UpdateAnimationUsingDataTimeSteps(proxy);
  this->State.wentTo(scene->getAnimationTime());
}

// Returns whether the reader lists any.
bool pqDSMFollower::goToNewest(vtkSMSourceProxy* reader)
{
  const vtkSMPropertyHelper times(reader, "ListedTimes");
  if (times.GetNumberOfElements() == 0)
  {
    return false;
  }
  this->goToTime(times.GetAsDouble(times.GetNumberOfElements() - 1));
  return true;
}

void pqDSMFollower::makeReader()
{
  auto* builder = pqApplicationCore::instance()->getObjectBuilder();
  // ParaView names a reader after its file, and its trace does not quote names.
  const QString& contact = this->Status.ContactPath;
  auto* reader = contact.contains('\'')
    ? builder->createSource("sources", "DSMReader", this->Server)
    : builder->createReader("sources", "DSMReader", QStringList(contact), this->Server);
  if (reader && contact.contains('\''))
  {
    SM_SCOPED_TRACE(PropertiesModified).arg("proxy", reader->getProxy());
    vtkSMPropertyHelper(reader->getProxy(), "ContactFile").Set(contact.toUtf8().constData());
    reader->getProxy()->UpdateVTKObjects();
  }
  if (reader)
  {
    reader->setModifiedState(pqProxy::UNMODIFIED);
    this->display(reader);
  }
  this->Reader = reader;
  if (reader)
  {
    this->State.readerMade(this->kind().toStdString());
  }
}

void pqDSMFollower::display(pqPipelineSource* reader)
{
  auto* proxy = reader->getSourceProxy();
  this->updateList(proxy);
  // The time first: the view then asks for the snapshot that the reader has open, which is read
  // once. If it asked for another time later, that snapshot might be gone.
  this->goToNewest(proxy);
  pqDSMRepresentation::show(reader, this->sceneTime());
}

qint64 pqDSMFollower::askShown()
{
  auto* proxy = this->Reader->getSourceProxy();
  proxy->InvokeCommand("ShareErrors");
  proxy->UpdatePropertyInformation();
  this->Error = vtkSMPropertyHelper(proxy, "ErrorText").GetAsString();
  return vtkSMPropertyHelper(proxy, "ShownSnapshot").GetAsIdType();
}

void pqDSMFollower::ask()
{
  if (this->Reader)
  {
    this->askShown();
  }
}

// 0: the newest, or the one of ParaView's time.
void pqDSMFollower::selectNumber(qint64 number)
{
  auto* proxy = this->Reader->getSourceProxy();
  vtkSMPropertyHelper selected(proxy, "Snapshot");
  if (selected.GetAsIdType() == number)
  {
    return;
  }
  selected.Set(static_cast<vtkIdType>(number));
  proxy->UpdateVTKObjects();
}

void pqDSMFollower::showNewest()
{
  this->selectNumber(0);
  auto* proxy = this->Reader->getSourceProxy();
  this->updateList(proxy);
  this->updateKind();
  // The user may have chosen to hold while ParaView was reading.
  if (this->State.following() && this->goToNewest(proxy))
  {
    pqDSMTrace::toNewest();
  }
  this->State.newestShown(this->askShown());
}

void pqDSMFollower::update(pqServer* server, const pqDSMStatus& status)
{
  if (server != this->Server)
  {
    this->connectionChanged();
    this->Server = server;
  }
  this->Status = status;
  const bool running = server && status.running();
  if (running)
  {
    this->updateReader();
  }
  else
  {
    this->Error.clear();
  }
  const bool before = this->following();
  const auto action =
    this->State.statusSeen({ running, status.Snapshots.empty() ? 0 : status.Snapshots.back().Number,
                             status.WritersSeen, status.State == "hosts lost" },
      this->sceneTime());
  this->emitFollowing(before);
  switch (action)
  {
    case Action::MakeReader:
      pqDSMTrace::nextSnapshot();
      this->makeReader();
      if (this->Reader)
      {
        pqDSMTrace::toNewest();
        this->State.shown(this->askShown());
      }
      break;
    case Action::GoToNewest:
      pqDSMTrace::nextSnapshot();
      this->showNewest();
      break;
    case Action::ReportShown:
      this->State.shown(this->askShown());
      break;
    default:
      break;
  }
}

void pqDSMFollower::contentsChanged()
{
  if (this->State.contentsChanged() == Action::Render)
  {
    pqApplicationCore::instance()->render();
  }
}

void pqDSMFollower::setFollowing(bool following)
{
  const bool before = this->following();
  following ? this->State.follow(this->sceneTime()) : this->State.hold(this->sceneTime());
  this->emitFollowing(before);
}

void pqDSMFollower::emitFollowing(bool before)
{
  if (this->following() != before)
  {
    Q_EMIT this->followingChanged(!before);
  }
}

void pqDSMFollower::pick(qint64 number)
{
  if (!this->Server || !this->Status.running())
  {
    return;
  }
  this->updateReader();
  const bool before = this->following();
  const auto action = this->State.pick(this->sceneTime());
  this->emitFollowing(before);
  if (action == Action::MakeReader)
  {
    this->makeReader();
  }
  if (!this->Reader)
  {
    return;
  }
  this->selectNumber(0);
  auto* proxy = this->Reader->getSourceProxy();
  this->updateList(proxy);
  const vtkSMPropertyHelper numbers(proxy, "ListedSnapshots");
  const vtkSMPropertyHelper times(proxy, "ListedTimes");
  const unsigned int count = std::min(numbers.GetNumberOfElements(), times.GetNumberOfElements());
  std::vector<pqDSMFollowState::Listed> listed;
  listed.reserve(count);
  for (unsigned int index = 0; index < count; ++index)
  {
    listed.push_back({ numbers.GetAsIdType(index), times.GetAsDouble(index) });
  }
  if (this->State.pickListed(number, listed, this->kind().toStdString()) == Action::GoToTime)
  {
    this->goToTime(this->State.pickedTime());
  }
  else
  {
    {
      SM_SCOPED_TRACE(PropertiesModified).arg("proxy", proxy);
      this->selectNumber(number);
    }
    this->updateList(proxy);
    this->updateKind();
    this->State.forgetDisplayed(); // the newest may be of another kind
    pqApplicationCore::instance()->render();
  }
  this->State.shown(this->askShown());
}
