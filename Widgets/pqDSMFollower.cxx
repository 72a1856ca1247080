// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMFollower.h"

#include "pqDSMTrace.h"

#include <pqActiveObjects.h>
#include <pqAnimationManager.h>
#include <pqAnimationScene.h>
#include <pqApplicationCore.h>
#include <pqObjectBuilder.h>
#include <pqPVApplicationCore.h>
#include <pqPipelineSource.h>
#include <pqServer.h>
#include <pqServerManagerModel.h>
#include <pqView.h>
#include <vtkDataObject.h>
#include <vtkNew.h>
#include <vtkPVArrayInformation.h>
#include <vtkPVDataInformation.h>
#include <vtkPVDataSetAttributesInformation.h>
#include <vtkSMAnimationSceneProxy.h>
#include <vtkSMPVRepresentationProxy.h>
#include <vtkSMParaViewPipelineControllerWithRendering.h>
#include <vtkSMPropertyHelper.h>
#include <vtkSMSourceProxy.h>
#include <vtkSMTimeKeeperProxy.h>
#include <vtkSMTrace.h>
#include <vtkSMTransferFunctionManager.h>
#include <vtkSMViewProxy.h>

namespace
{
pqAnimationScene* Scene(pqServer* server)
{
  return pqPVApplicationCore::instance()->animationManager()->getScene(server);
}

// Fields of a simulation before the marks that ParaView's readers add.
QString FirstArray(vtkSMSourceProxy* reader, int association)
{
  auto* arrays = reader->GetDataInformation(0)->GetAttributeInformation(association);
  for (int index = 0; arrays && index < arrays->GetNumberOfArrays(); ++index)
  {
    const QString name = arrays->GetArrayInformation(index)->GetName();
    if (!name.startsWith("vtk"))
    {
      return name;
    }
  }
  return {};
}

// What is there as a picture from the beginning: an outline alone tells nobody that data arrives.
void Colour(vtkSMProxy* proxy, vtkSMSourceProxy* reader, vtkSMViewProxy* view)
{
  auto* representation = vtkSMPVRepresentationProxy::SafeDownCast(proxy);
  if (!representation)
  {
    return;
  }
  if (QString(vtkSMPropertyHelper(proxy, "Representation", true).GetAsString()) == "Outline")
  {
    SM_SCOPED_TRACE(PropertiesModified).arg("proxy", proxy);
    representation->SetRepresentationType("Surface");
    representation->UpdateVTKObjects();
  }
  if (representation->GetUsingScalarColoring())
  {
    return;
  }
  for (const int association : { vtkDataObject::POINT, vtkDataObject::CELL })
  {
    const QString name = FirstArray(reader, association);
    if (!name.isEmpty())
    {
      representation->SetScalarColoring(qPrintable(name), association);
      representation->RescaleTransferFunctionToDataRange(false, false);
      representation->SetScalarBarVisibility(view, true);
      return;
    }
  }
}

// ParaView's rule for ranges, where the user has not chosen another: grow with each time step.
void LetRangeGrow(vtkSMProxy* representation)
{
  auto* colours = vtkSMPropertyHelper(representation, "LookupTable", true).GetAsProxy();
  if (colours &&
    vtkSMPropertyHelper(colours, "AutomaticRescaleRangeMode").GetAsInt() ==
      vtkSMTransferFunctionManager::GROW_ON_APPLY)
  {
    SM_SCOPED_TRACE(PropertiesModified).arg("proxy", colours);
    vtkSMPropertyHelper(colours, "AutomaticRescaleRangeMode")
      .Set(vtkSMTransferFunctionManager::GROW_ON_APPLY_AND_TIMESTEP);
    colours->UpdateVTKObjects();
  }
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

pqPipelineSource* pqDSMFollower::makeReader()
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
  return reader;
}

void pqDSMFollower::display(pqPipelineSource* reader)
{
  auto* proxy = reader->getSourceProxy();
  this->look(proxy);
  // The time first: then what the view asks for is what the reader has open now, and it is read
  // once. Asked for another time later, it may be gone.
  this->goToNewest(proxy);
  auto* active = pqActiveObjects::instance().activeView();
  auto* activeProxy = active ? active->getViewProxy() : nullptr;
  vtkNew<vtkSMParaViewPipelineControllerWithRendering> controller;
  auto* view = controller->ShowInPreferredView(proxy, 0, activeProxy);
  if (!view)
  {
    return;
  }
  if (view != activeProxy)
  {
    controller->AssignViewToLayout(view);
  }
  proxy->UpdatePipeline(this->sceneTime());
  if (auto* representation = view->FindRepresentation(proxy, 0))
  {
    Colour(representation, proxy, view);
    LetRangeGrow(representation);
  }
  auto* shown = pqApplicationCore::instance()->getServerManagerModel()->findItem<pqView*>(view);
  if (shown)
  {
    shown->getNumberOfVisibleDataRepresentations() == 1 ? shown->resetDisplay() : shown->render();
  }
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
  this->look(proxy);
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
    this->Skipped = 0;
    this->Error.clear();
    return;
  }
  if (!this->Reader)
  {
    this->Reader = this->findReader();
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
    this->Reader = this->makeReader();
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
      this->Shown = 0; // the server has started anew
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
    this->Reader = this->findReader();
  }
  if (!this->Reader)
  {
    this->Offered = true;
    this->Reader = this->makeReader();
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
  if (listed && sameTime == 1)
  {
    this->goTo(time);
  }
  else
  {
    // Several files of one time, or none: then by its number, at all times.
    SM_SCOPED_TRACE(PropertiesModified).arg("proxy", proxy);
    one.Set(static_cast<vtkIdType>(number));
    proxy->UpdateVTKObjects();
    pqApplicationCore::instance()->render();
  }
  this->noteShown();
}
