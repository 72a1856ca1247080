// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMFollower.h"

#include "pqDSMPicture.h"
#include "pqDSMTrace.h"

#include <pqAnimationManager.h>
#include <pqAnimationScene.h>
#include <pqApplicationCore.h>
#include <pqObjectBuilder.h>
#include <pqPVApplicationCore.h>
#include <pqPipelineSource.h>
#include <pqServer.h>
#include <pqServerManagerModel.h>
#include <vtkSMAnimationSceneProxy.h>
#include <vtkSMOutputPort.h>
#include <vtkSMPropertyHelper.h>
#include <vtkSMSourceProxy.h>
#include <vtkSMTimeKeeperProxy.h>
#include <vtkSMTrace.h>

#include <algorithm>
#include <utility>

namespace
{
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

void pqDSMFollower::forget()
{
  this->Reader = nullptr;
  this->Offered = false;
  this->Newest = 0;
  this->Shown = 0;
  this->Kind.clear();
  this->ShownBy = -1;
  this->Skipped = 0;
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
      // A relative name is the server's affair; there the panel cannot tell.
      if (file == this->Status.ContactPath || this->Status.ContactPath.endsWith("/" + file))
      {
        return source;
      }
    }
  }
  return nullptr;
}

double pqDSMFollower::sceneTime() const
{
  auto* scene = Scene(this->Server);
  return scene ? scene->getAnimationTime() : 0;
}

// Lets the reader learn what there is now: on all ranks, but it reads no data.
void pqDSMFollower::look(vtkSMSourceProxy* reader) const
{
  reader->InvokeCommand("Refresh");
  reader->MarkModified(reader);
  reader->UpdatePipelineInformation();
  reader->UpdatePropertyInformation();
}

// The class of the data that the reader has come to.
QString pqDSMFollower::kind() const
{
  auto* port = this->Reader->getSourceProxy()->GetOutputPort(0U);
  port->InvalidateDataInformation();
  return port->GetDataClassName();
}

// The same for the reader that we have. What shows an image can show no table: data of another
// kind are shown anew, where another simulation has come. One that writes several kinds in turn
// would have views come and go; who runs it is told by the reader to choose one of them.
void pqDSMFollower::lookAgain()
{
  auto* proxy = this->Reader->getSourceProxy();
  this->look(proxy);
  if (this->ShownBy == this->Status.WritersSeen ||
    *vtkSMPropertyHelper(proxy, "ErrorText").GetAsString())
  {
    return;
  }
  const QString found = this->kind();
  // Of a reader that somebody else has made, or a state has, it is not known.
  const QString shown = std::exchange(this->Kind, found);
  if (!shown.isEmpty() && shown != found && pqDSMPicture::remove(this->Reader))
  {
    this->display(this->Reader);
    this->ShownBy = this->Status.WritersSeen;
  }
}

void pqDSMFollower::goTo(double time)
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
  // The time before the scene learns of the new steps: it would go to its first step when the one
  // before has left the ring, and show the oldest snapshot, which is the next to go.
  if (scene->getAnimationTime() != time)
  {
    scene->setAnimationTime(time);
  }
  else
  {
    // A file of the same time as the one before, perhaps by the next simulation.
    pqApplicationCore::instance()->render();
  }
  vtkSMAnimationSceneProxy::UpdateAnimationUsingDataTimeSteps(proxy);
  this->Time = scene->getAnimationTime();
}

// Whether there is one.
bool pqDSMFollower::goToNewest(vtkSMSourceProxy* reader)
{
  const vtkSMPropertyHelper times(reader, "ListedTimes");
  if (times.GetNumberOfElements() == 0)
  {
    return false;
  }
  this->goTo(times.GetAsDouble(times.GetNumberOfElements() - 1));
  return true;
}

void pqDSMFollower::adoptReader()
{
  this->Reader = this->findReader();
  this->Kind.clear();
  this->ShownBy = -1;
}

void pqDSMFollower::makeReader()
{
  auto* builder = pqApplicationCore::instance()->getObjectBuilder();
  // A reader is called after its file, and ParaView's trace does not quote names.
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
    this->Kind = this->kind();
    this->ShownBy = this->Status.WritersSeen;
  }
}

void pqDSMFollower::display(pqPipelineSource* reader)
{
  auto* proxy = reader->getSourceProxy();
  this->look(proxy);
  // The time first: then what the view asks for is what the reader has open now, and it is read
  // once. Asked for another time later, it may be gone.
  this->goToNewest(proxy);
  pqDSMPicture::show(reader, this->sceneTime());
}

void pqDSMFollower::noteShown()
{
  auto* proxy = this->Reader->getSourceProxy();
  proxy->InvokeCommand("ShareErrors");
  proxy->UpdatePropertyInformation();
  this->Shown = vtkSMPropertyHelper(proxy, "ShownSnapshot").GetAsIdType();
  this->Error = vtkSMPropertyHelper(proxy, "ErrorText").GetAsString();
}

void pqDSMFollower::showNewest()
{
  auto* proxy = this->Reader->getSourceProxy();
  vtkSMPropertyHelper one(proxy, "Snapshot");
  if (one.GetAsIdType() != 0)
  {
    one.Set(static_cast<vtkIdType>(0));
    proxy->UpdateVTKObjects();
  }
  const qint64 before = this->Shown;
  this->lookAgain();
  // ParaView lets the user act while it reads.
  if (this->Following && this->goToNewest(proxy))
  {
    pqDSMTrace::toNewest();
  }
  this->noteShown();
  if (before > 0 && this->Shown > before)
  {
    this->Skipped += this->Shown - before - 1;
  }
}

void pqDSMFollower::update(pqServer* server, const pqDSMStatus& status)
{
  if (server != this->Server)
  {
    this->forget();
    this->Server = server;
  }
  this->Status = status;
  if (!status.running() || !server)
  {
    this->Offered = false;
    this->Newest = 0;
    this->ShownBy = -1;
    this->Skipped = 0;
    this->Error.clear();
    return;
  }
  if (!this->Reader)
  {
    this->adoptReader();
    this->Newest = 0;
  }
  if (status.Snapshots.empty())
  {
    return;
  }
  const qint64 newest = status.Snapshots.back().Number;
  if (!this->Reader && this->Automatic && !this->Offered)
  {
    pqDSMTrace::nextSnapshot();
    this->Offered = true;
    this->makeReader();
    if (!this->Reader)
    {
      return;
    }
    // It went to the newest as it was made. What has come since comes with the next look: a picture
    // takes long, the first one most of all.
    this->Newest = newest;
    pqDSMTrace::toNewest();
    this->noteShown();
    return;
  }
  if (!this->Reader)
  {
    return;
  }
  // The user has gone to another time.
  if ((!this->Following || this->Newest != 0) && this->sceneTime() != this->Time)
  {
    this->setFollowing(false);
    this->Time = this->sceneTime();
    this->noteShown();
  }
  if (this->Following && newest != this->Newest)
  {
    if (newest < this->Newest)
    {
      // The server has started anew.
      this->Shown = 0;
      this->ShownBy = -1;
    }
    this->Newest = newest;
    pqDSMTrace::nextSnapshot();
    this->showNewest();
  }
}

void pqDSMFollower::refresh()
{
  if (this->Following && this->Status.running())
  {
    this->Newest = 0; // to be shown again; the snapshot in the picture may be gone
  }
  else
  {
    pqApplicationCore::instance()->render();
  }
}

void pqDSMFollower::setFollowing(bool following)
{
  if (following != this->Following)
  {
    this->Following = following;
    // To follow is to catch up first.
    this->Newest = 0;
    this->Time = this->Server ? this->sceneTime() : 0;
    Q_EMIT this->followingChanged(following);
  }
}

void pqDSMFollower::pick(qint64 number)
{
  if (!this->Server || !this->Status.running())
  {
    return;
  }
  this->setFollowing(false);
  if (!this->Reader)
  {
    this->adoptReader();
  }
  if (!this->Reader)
  {
    this->Offered = true;
    this->makeReader();
  }
  if (!this->Reader)
  {
    return;
  }
  auto* proxy = this->Reader->getSourceProxy();
  vtkSMPropertyHelper one(proxy, "Snapshot");
  one.Set(static_cast<vtkIdType>(0));
  proxy->UpdateVTKObjects();
  this->look(proxy);
  const vtkSMPropertyHelper numbers(proxy, "ListedSnapshots");
  const vtkSMPropertyHelper times(proxy, "ListedTimes");
  const unsigned int count = std::min(numbers.GetNumberOfElements(), times.GetNumberOfElements());
  double time = 0;
  bool listed = false;
  unsigned int sameTime = 0;
  for (unsigned int index = 0; index < count; ++index)
  {
    if (numbers.GetAsIdType(index) == number)
    {
      time = times.GetAsDouble(index);
      listed = true;
    }
  }
  for (unsigned int index = 0; index < count; ++index)
  {
    sameTime += times.GetAsDouble(index) == time ? 1 : 0;
  }
  // Only what is of the newest's kind can be had by its time.
  if (listed && sameTime == 1 && (this->Kind.isEmpty() || this->kind() == this->Kind))
  {
    this->goTo(time);
  }
  else
  {
    // Several files of one time, or none: then by its number, at all times.
    {
      SM_SCOPED_TRACE(PropertiesModified).arg("proxy", proxy);
      one.Set(static_cast<vtkIdType>(number));
      proxy->UpdateVTKObjects();
    }
    this->ShownBy = -1;
    this->lookAgain();
    this->ShownBy = -1; // the newest may be of another kind
    pqApplicationCore::instance()->render();
  }
  this->noteShown();
}
