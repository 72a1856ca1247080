// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMStream.h"

#include "pqDSMLog.h"
#include "pqDSMRepresentation.h"

#include <pqActiveObjects.h>
#include <pqApplicationCore.h>
#include <pqObjectBuilder.h>
#include <pqPipelineSource.h>
#include <pqServer.h>
#include <vtkSMPropertyHelper.h>
#include <vtkSMSourceProxy.h>
#include <vtkSMStringVectorProperty.h>
#include <vtkSMTrace.h>

#include <QFileInfo>

#include <algorithm>
#include <utility>

namespace
{
// ParaView's trace does not quote names.
void Rename(pqPipelineSource* reader, const QString& name)
{
  if (!name.contains('\''))
  {
    reader->rename(name);
  }
}
}

pqDSMStream::pqDSMStream(QString name)
  : Name(std::move(name))
{
}

pqPipelineSource* pqDSMStream::reader() const
{
  return this->Reader;
}

void pqDSMStream::setReader(pqPipelineSource* reader)
{
  this->Reader = reader;
  pqDSMLog::takeErrors(reader ? reader->getProxy() : nullptr);
}

void pqDSMStream::rename(const QString& name)
{
  this->Name = name;
  this->setPattern();
  this->State.forgetDisplayed();
}

void pqDSMStream::setWanted(bool wanted)
{
  if (wanted && !this->Wanted && !this->Reader)
  {
    this->State.want();
  }
  if (this->Reader && wanted != this->Wanted)
  {
    wanted ? pqDSMRepresentation::restore(this->Reader) : pqDSMRepresentation::hide(this->Reader);
    this->State.contentsChanged();
  }
  this->Wanted = wanted;
}

vtkSMSourceProxy* pqDSMStream::proxy() const
{
  return this->Reader->getSourceProxy();
}

QString pqDSMStream::pattern(pqPipelineSource* reader)
{
  return QString::fromUtf8(vtkSMPropertyHelper(reader->getProxy(), "FilePattern").GetAsString());
}

void pqDSMStream::setPattern()
{
  if (this->Reader && pqDSMStream::pattern(this->Reader) != this->Name)
  {
    auto* proxy = this->proxy();
    SM_SCOPED_TRACE(PropertiesModified).arg("proxy", proxy);
    vtkSMPropertyHelper(proxy, "FilePattern").Set(this->Name.toUtf8().constData());
    proxy->UpdateVTKObjects();
    this->forgetArrays();
  }
}

// Those of the files before: the reader has forgotten them, the properties have not. All are read.
void pqDSMStream::forgetArrays()
{
  for (const char* name : { "PointArrayStatus", "CellArrayStatus" })
  {
    auto* arrays = vtkSMStringVectorProperty::SafeDownCast(this->proxy()->GetProperty(name));
    if (arrays)
    {
      arrays->SetNumberOfElements(0);
    }
  }
  this->proxy()->UpdateVTKObjects();
}

pqPipelineSource* pqDSMStream::makeReader(pqServer* server, const QString& contact, bool only)
{
  auto& active = pqActiveObjects::instance();
  QPointer<pqPipelineSource> before = active.activeSource();
  auto* reader =
    pqApplicationCore::instance()->getObjectBuilder()->createSource("sources", "DSMReader", server);
  this->setReader(reader);
  if (!reader)
  {
    return nullptr;
  }
  {
    // Together: else it would look into files of other streams, and have their arrays.
    auto* proxy = reader->getProxy();
    SM_SCOPED_TRACE(PropertiesModified).arg("proxy", proxy);
    vtkSMPropertyHelper(proxy, "FilePattern").Set(this->Name.toUtf8().constData());
    vtkSMPropertyHelper(proxy, "ContactFile").Set(contact.toUtf8().constData());
    proxy->UpdateVTKObjects();
  }
  reader->setModifiedState(pqProxy::UNMODIFIED);
  // The first one as ParaView names a reader, after its file.
  Rename(reader, only ? QFileInfo(contact).fileName() : this->Name);
  if (!only && before)
  {
    active.setActiveSource(before); // the user may be at work on it
  }
  return reader;
}

void pqDSMStream::showName(const QString& contact)
{
  if (this->Reader && this->Reader->getSMName() == QFileInfo(contact).fileName())
  {
    Rename(this->Reader, this->Name);
  }
}

void pqDSMStream::updateList()
{
  this->ShowsFormer = false;
  auto* reader = this->proxy();
  reader->InvokeCommand("Refresh");
  reader->MarkModified(reader);
  reader->UpdatePipelineInformation();
  reader->UpdatePropertyInformation();
}

bool pqDSMStream::takeOtherTimes()
{
  const QString before = std::exchange(this->TimeFrom,
    QString::fromUtf8(vtkSMPropertyHelper(this->proxy(), "TimeFrom").GetAsString()));
  return before != this->TimeFrom;
}

void pqDSMStream::updateTimes()
{
  this->proxy()->InvokeCommand("ListTimes");
  for (const char* name : { "ListedSnapshots", "ListedTimes", "TimestepValues" })
  {
    this->proxy()->UpdatePropertyInformation(this->proxy()->GetProperty(name));
  }
}

std::vector<pqDSMFollowState::Listed> pqDSMStream::listed() const
{
  const vtkSMPropertyHelper numbers(this->proxy(), "ListedSnapshots");
  const vtkSMPropertyHelper times(this->proxy(), "ListedTimes");
  const unsigned int count = std::min(numbers.GetNumberOfElements(), times.GetNumberOfElements());
  std::vector<pqDSMFollowState::Listed> listed;
  listed.reserve(count);
  for (unsigned int index = 0; index < count; ++index)
  {
    listed.push_back({ numbers.GetAsIdType(index), times.GetAsDouble(index) });
  }
  return listed;
}

vtkMTimeType pqDSMStream::listChange() const
{
  vtkMTimeType newest = 0;
  for (const char* name : { "ListedSnapshots", "ListedTimes" })
  {
    newest = std::max(newest, this->proxy()->GetProperty(name)->GetMTime());
  }
  return newest;
}

QString pqDSMStream::kind() const
{
  return pqDSMRepresentation::kindOf(this->Reader);
}

// Replaces representations that cannot show the data any more.
void pqDSMStream::updateKind(double time)
{
  if (!this->State.mustCheckKind() ||
    *vtkSMPropertyHelper(this->proxy(), "ErrorText").GetAsString())
  {
    return;
  }
  if (this->State.kindSeen(this->kind().toStdString()) &&
    pqDSMRepresentation::replace(this->Reader, time))
  {
    this->State.displayedAnew();
  }
  this->MustCheckColours = true;
}

void pqDSMStream::updateColours()
{
  if (this->MustCheckColours && this->Error.isEmpty())
  {
    this->MustCheckColours = false;
    pqDSMRepresentation::recolour(this->Reader);
  }
}

void pqDSMStream::serverStarted()
{
  this->State.shown(0);
  if (this->Reader)
  {
    this->ShowsFormer = true;
    this->selectNumber(0);
  }
}

void pqDSMStream::selectNumber(qint64 number)
{
  vtkSMPropertyHelper selected(this->proxy(), "Snapshot");
  if (selected.GetAsIdType() == number)
  {
    return;
  }
  selected.Set(static_cast<vtkIdType>(number));
  this->proxy()->UpdateVTKObjects();
}

qint64 pqDSMStream::askShown()
{
  this->proxy()->InvokeCommand("ShareErrors");
  this->proxy()->UpdatePropertyInformation();
  this->Error = vtkSMPropertyHelper(this->proxy(), "ErrorText").GetAsString();
  return this->ShowsFormer ? 0 : vtkSMPropertyHelper(this->proxy(), "ShownSnapshot").GetAsIdType();
}
