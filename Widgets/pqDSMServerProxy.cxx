// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMServerProxy.h"

#include "pqDSMFoundSettings.h"
#include "pqDSMLog.h"
#include "pqDSMServerProxies.h"
#include "pqDSMTrace.h"
#include "pqDSMWatchedServers.h"

#include <pqActiveObjects.h>
#include <pqApplicationCore.h>
#include <pqObjectBuilder.h>
#include <pqServer.h>
#include <pqServerManagerModel.h>
#include <pqUndoStack.h>
#include <vtkPVPluginsInformation.h>
#include <vtkPVSessionBase.h>
#include <vtkSMPluginManager.h>
#include <vtkSMPropertyHelper.h>
#include <vtkSMProxy.h>
#include <vtkSMProxyManager.h>
#include <vtkSMSession.h>
#include <vtkSMSessionProxyManager.h>

#include <QDir>
#include <QFileInfo>
#include <QJsonDocument>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

namespace
{
const char* const Plugin = "ParaViewDSM";

// Whether the server has loaded the plugin, as ParaView lists it.
bool HasPlugin(vtkSMSession* session)
{
  auto* plugins = vtkSMProxyManager::GetProxyManager()->GetPluginManager();
  auto* list = plugins->GetRemoteInformation(session);
  for (unsigned int index = 0; list && index < list->GetNumberOfPlugins(); ++index)
  {
    if (list->GetPluginLoaded(index) && std::strcmp(list->GetPluginName(index), Plugin) == 0)
    {
      return true;
    }
  }
  return false;
}

// The value of an information property that was fetched already.
QString Text(vtkSMProxy* proxy, const char* property)
{
  const vtkSMPropertyHelper helper(proxy, property);
  return helper.GetNumberOfElements() > 0 ? QString::fromUtf8(helper.GetAsString()) : QString();
}
}

pqDSMServerProxy::pqDSMServerProxy(QObject* parent, vtkSMProxy* given)
  : Superclass(parent)
  , Given(given)
{
  QObject::connect(pqApplicationCore::instance(), &pqApplicationCore::aboutToWriteState, this,
    &pqDSMServerProxy::forgetStatus);
}

pqDSMServerProxy::~pqDSMServerProxy()
{
  this->observe(nullptr);
  pqDSMServerProxies::setShown(this->Proxy, nullptr);
}

// Before ParaView's own observers, one of which asks the user what to do, while timers go on: a
// request to a server that has gone ends ParaView, and with it the state that could be saved.
void pqDSMServerProxy::observe(vtkSMSession* session)
{
  if (session == this->Watched)
  {
    return;
  }
  if (this->Watched)
  {
    this->Watched->RemoveObserver(this->Observer);
  }
  this->Watched = session;
  this->Lost = false;
  if (session)
  {
    constexpr float First = 1;
    this->Observer = session->AddObserver(
      vtkPVSessionBase::ConnectionLost, this, &pqDSMServerProxy::markLost, First);
  }
}

void pqDSMServerProxy::markLost()
{
  if (!this->Lost)
  {
    this->Lost = true;
    Q_EMIT this->serverHasEnded();
  }
}

pqServer* pqDSMServerProxy::server() const
{
  return this->Server;
}

pqServer* pqDSMServerProxy::connection() const
{
  return this->Given
    ? pqApplicationCore::instance()->getServerManagerModel()->findServer(this->Given->GetSession())
    : pqActiveObjects::instance().activeServer();
}

// The proxy can change at any time: a state is loaded, a session ends, the user disconnects.
void pqDSMServerProxy::updateProxy()
{
  auto* server = this->connection();
  this->PluginMissing = false;
  // ParaView handles events while it waits for the server.
  this->ComingUp = pqApplicationCore::instance()->getObjectBuilder()->waitingForConnection();
  vtkSMProxy* found = this->Given;
  if (!found)
  {
    found = this->findFirst(server);
  }
  else if (!pqDSMServerProxies::isRegistered(found))
  {
    found = nullptr;
  }
  this->Server = server;
  if (found != this->Proxy)
  {
    this->show(found);
  }
}

// Returns the proxy that is shown already, if it is in use. Returns else one that a script or a
// state file has started, and else any, or a new one.
vtkSMProxy* pqDSMServerProxy::findFirst(pqServer* server)
{
  auto own = pqDSMServerProxies::all(server);
  own.removeIf(
    [this](vtkSMProxy* each) { return each != this->Proxy && pqDSMServerProxies::isShown(each); });
  const auto active = std::find_if(own.begin(), own.end(), pqDSMServerProxies::isActive);
  if (own.contains(this->Proxy) &&
    (this->Status.running() || pqDSMServerProxies::isActive(this->Proxy) || active == own.end()))
  {
    return this->Proxy;
  }
  if (!own.empty() || !server || this->ComingUp)
  {
    return active != own.end() ? *active : own.value(0);
  }
  const bool isDefined = server->proxyManager()->GetPrototypeProxy("misc", "DSMServer") != nullptr;
  this->ComingUp = !isDefined && HasPlugin(server->session());
  this->PluginMissing = !isDefined && !this->ComingUp;
  return isDefined ? pqDSMServerProxies::make(server) : nullptr;
}

void pqDSMServerProxy::show(vtkSMProxy* proxy)
{
  if (this->Proxy && proxy && this->Proxy->GetSession() == proxy->GetSession())
  {
    // Ours was never started, and a state file has brought another: one is enough.
    pqDSMServerProxies::remove(this->Proxy);
  }
  pqDSMServerProxies::setShown(this->Proxy, proxy);
  this->Proxy = proxy;
  this->Status = pqDSMStatus();
  this->Refusal.clear();
  this->ContactPlace.clear();
  this->ContactFile.clear();
  this->OwnContactFile.reset();
  if (proxy)
  {
    pqDSMLog::takeErrors(proxy);
    vtkSMPropertyHelper(proxy, "Live").Set(1);
    proxy->UpdateVTKObjects();
    this->fetch();
  }
  Q_EMIT this->proxyChanged();
}

bool pqDSMServerProxy::poll()
{
  auto* server = this->connection();
  this->observe(server ? server->session() : nullptr);
  if (this->Lost || (server && server->isProgressPending()))
  {
    return false;
  }
  this->updateProxy();
  // A script may have stopped it.
  if (this->Proxy &&
    (vtkSMPropertyHelper(this->Proxy, "Active").GetAsInt() || this->Status.running()))
  {
    vtkSMPropertyHelper(this->Proxy, "SteeringHistory").Set(this->SteeringSamples);
    this->Proxy->UpdateVTKObjects();
    this->fetch();
  }
  this->fetchContactPlace();
  Q_EMIT this->statusChanged();
  return true;
}

bool pqDSMServerProxy::hasNews()
{
  if (this->Lost || !this->canHaveNews() || !this->Proxy || !this->Server ||
    this->Server != this->connection() || this->Server->isProgressPending())
  {
    return false;
  }
  SCOPED_UNDO_EXCLUDE();
  this->Proxy->UpdatePropertyInformation(this->Proxy->GetProperty("Announcements"));
  return vtkSMPropertyHelper(this->Proxy, "Announcements").GetAsIdType() != this->Announcements;
}

// The folder that a server starts in is known there only. Asked for when the setting is new.
void pqDSMServerProxy::fetchContactPlace()
{
  if (!this->Proxy || this->Status.running())
  {
    return;
  }
  const QString file =
    QString::fromUtf8(vtkSMPropertyHelper(this->Proxy, "ContactFile").GetAsString());
  if (file != this->ContactFile)
  {
    this->ContactFile = file;
    this->Proxy->UpdatePropertyInformation(this->Proxy->GetProperty("ContactPlace"));
    this->ContactPlace = Text(this->Proxy, "ContactPlace");
  }
}

void pqDSMServerProxy::setContactFolder(const QString& folder)
{
  const QString name = QFileInfo(this->ContactPlace).fileName();
  this->setContactFile(QDir(folder).filePath(name.isEmpty() ? "run.dsm" : name));
}

void pqDSMServerProxy::setContactFile(const QString& file)
{
  if (this->Proxy && !this->Status.running())
  {
    BEGIN_UNDO_SET(tr("Choose Contact File"));
    vtkSMPropertyHelper(this->Proxy, "ContactFile").Set(file.toUtf8().constData());
    this->Proxy->UpdateVTKObjects();
    END_UNDO_SET();
    this->fetchContactPlace();
    Q_EMIT this->statusChanged();
  }
}

// ParaView saves information properties with the others. These have a record for each snapshot.
void pqDSMServerProxy::forgetStatus()
{
  if (!this->Proxy)
  {
    return;
  }
  for (const char* name : { "ServerStatus", "SteeringStatus" })
  {
    vtkSMPropertyHelper(this->Proxy, name).SetNumberOfElements(0);
  }
}

void pqDSMServerProxy::fetch()
{
  SCOPED_UNDO_EXCLUDE();
  vtkSMPropertyHelper(this->Proxy, "StatusSince")
    .Set(static_cast<vtkIdType>(this->Status.Revision));
  this->Proxy->UpdateVTKObjects();
  // One request for all properties.
  this->Proxy->UpdatePropertyInformation();
  this->Announcements = vtkSMPropertyHelper(this->Proxy, "Announcements").GetAsIdType();
  auto status = pqDSMStatus::parse(Text(this->Proxy, "ServerStatus"), this->Status);
  status.ContactPath = Text(this->Proxy, "ContactPath");
  status.LaunchCommand = Text(this->Proxy, "LaunchCommand");
  status.Writers = Text(this->Proxy, "Writers");
  status.Transport = Text(this->Proxy, "EffectiveTransport");
  status.PendingChanges = Text(this->Proxy, "PendingChanges");
  if (this->Status.Restored.underway() && !status.Restored.underway())
  {
    this->takeRestored(status);
  }
  const QString error = Text(this->Proxy, "CommandError");
  // A refusal that quotes the error says more than the error.
  status.CommandError = this->Refusal.contains(error) ? this->Refusal : error;
  status.Steering = Text(this->Proxy, "SteeringStatus");
  status.SteeringSamples = this->SteeringSamples;
  status.SeparateHosts = vtkSMPropertyHelper(this->Proxy, "SeparateHosts").GetAsInt() != 0;
  status.Watched = vtkSMPropertyHelper(this->Proxy, "Watched").GetAsInt() != 0;
  status.Hosts =
    status.running() ? vtkSMPropertyHelper(this->Proxy, "NumberOfHosts").GetAsInt() : 0;
  this->Status = status;
}

void pqDSMServerProxy::setActive(bool active)
{
  if (!this->Proxy)
  {
    return;
  }
  // To undo a Start would end a run, and to undo a Stop cannot bring one back.
  SCOPED_UNDO_EXCLUDE();
  this->Refusal.clear();
  vtkSMPropertyHelper helper(this->Proxy, "Active");
  helper.Set(active ? 1 : 0);
  // Also when the value is not new here: the server may have failed to start before.
  this->Proxy->UpdateProperty("Active", 1);
  this->fetch();
  if (active && !this->Status.running())
  {
    helper.Set(0);
    this->Proxy->UpdateVTKObjects();
  }
  if (active && this->Status.running() &&
    vtkSMPropertyHelper(this->Proxy, "FoundRunning").GetAsInt())
  {
    pqDSMFoundSettings::take(this->Proxy);
  }
  Q_EMIT this->statusChanged();
}

void pqDSMServerProxy::start()
{
  this->begin(false);
}

void pqDSMServerProxy::begin(bool watching)
{
  if (this->Proxy)
  {
    vtkSMPropertyHelper(this->Proxy, "Watching").Set(watching ? 1 : 0);
    this->Proxy->UpdateVTKObjects();
  }
  this->setActive(true);
  if (this->Status.running())
  {
    pqDSMTrace::start(this->Proxy, this->Status.ContactPath);
  }
}

bool pqDSMServerProxy::watchServer(const QString& contact)
{
  if (!this->Proxy || this->Status.running())
  {
    return false;
  }
  SCOPED_UNDO_EXCLUDE();
  vtkSMPropertyHelper file(this->Proxy, "ContactFile");
  this->OwnContactFile = file.GetAsString();
  file.Set(contact.toUtf8().constData());
  this->begin(true);
  if (!this->Status.running())
  {
    this->forgetWatched();
    return false;
  }
  pqDSMWatchedServers::add(this->Status.ContactPath);
  return true;
}

// Start has the user's own contact file again.
void pqDSMServerProxy::forgetWatched()
{
  if (const auto own = std::exchange(this->OwnContactFile, std::nullopt))
  {
    vtkSMPropertyHelper(this->Proxy, "ContactFile").Set(own->constData());
    vtkSMPropertyHelper(this->Proxy, "Watching").Set(0);
    this->Proxy->UpdateVTKObjects();
  }
}

void pqDSMServerProxy::stop()
{
  pqDSMTrace::stop(this->Status.ContactPath);
  this->setActive(false);
  if (this->Proxy && !this->Status.running())
  {
    SCOPED_UNDO_EXCLUDE();
    this->forgetWatched();
  }
}

std::optional<pqDSMFoundServer> pqDSMServerProxy::find()
{
  if (!this->Proxy || this->Status.running())
  {
    return std::nullopt;
  }
  this->Proxy->InvokeCommand("FindServer");
  this->Proxy->UpdatePropertyInformation(this->Proxy->GetProperty("FoundServer"));
  return pqDSMFoundServer::parse(Text(this->Proxy, "FoundServer"));
}

void pqDSMServerProxy::reconnect()
{
  if (this->Proxy)
  {
    SCOPED_UNDO_EXCLUDE();
    vtkSMPropertyHelper(this->Proxy, "Separate").Set(1);
    this->Proxy->UpdateVTKObjects();
    this->start();
  }
}

bool pqDSMServerProxy::stopFound()
{
  if (!this->Proxy)
  {
    return false;
  }
  this->Refusal.clear();
  this->Proxy->InvokeCommand("StopFoundServer");
  this->fetch();
  Q_EMIT this->statusChanged();
  return this->Status.CommandError.isEmpty();
}

bool pqDSMServerProxy::separate() const
{
  return this->Proxy && vtkSMPropertyHelper(this->Proxy, "Separate").GetAsInt() != 0;
}

void pqDSMServerProxy::leave()
{
  if (!this->Proxy)
  {
    return;
  }
  this->Proxy->InvokeCommand("Leave");
  this->fetch();
  if (!this->Status.running())
  {
    vtkSMPropertyHelper(this->Proxy, "Active").Set(0);
    this->Proxy->UpdateVTKObjects();
  }
  Q_EMIT this->statusChanged();
}

bool pqDSMServerProxy::save(qint64 number, const QString& path)
{
  if (!this->Proxy || !this->Status.running())
  {
    return false;
  }
  this->Refusal.clear();
  vtkSMPropertyHelper(this->Proxy, "Number").Set(static_cast<vtkIdType>(number));
  vtkSMPropertyHelper(this->Proxy, "SavePath").Set(path.toUtf8().constData());
  this->Proxy->UpdateVTKObjects();
  this->Proxy->InvokeCommand("SaveSnapshot");
  this->fetch();
  const bool saved = this->Status.CommandError.isEmpty();
  Q_EMIT this->statusChanged();
  return saved;
}

void pqDSMServerProxy::restore(const QString& path, const QString& name)
{
  if (!this->Proxy || !this->Status.running())
  {
    return;
  }
  SCOPED_UNDO_EXCLUDE();
  this->Refusal.clear();
  vtkSMPropertyHelper(this->Proxy, "RestorePath").Set(path.toUtf8().constData());
  vtkSMPropertyHelper(this->Proxy, "RestoreName").Set(name.toUtf8().constData());
  this->Proxy->UpdateVTKObjects();
  this->Proxy->InvokeCommand("Restore");
  this->Status.Restored = { path, 0, 0, 0, {} }; // it may have ended when that is asked
  this->fetch();
  Q_EMIT this->statusChanged();
}

// A file that was brought back is a snapshot by now, or will be none.
void pqDSMServerProxy::takeRestored(const pqDSMStatus& status)
{
  this->Refusal = status.Restored.Failure;
  if (!this->Refusal.isEmpty())
  {
    pqDSMLog::note(this->Refusal);
  }
  else if (status.running())
  {
    const QString name =
      QString::fromUtf8(vtkSMPropertyHelper(this->Proxy, "RestoreName").GetAsString());
    pqDSMTrace::restore(this->Proxy, status.ContactPath, status.Restored.Path, name);
  }
}

void pqDSMServerProxy::takeFiles(bool take)
{
  if (this->Proxy && this->Status.running())
  {
    this->Proxy->InvokeCommand(take ? "TakeAgain" : "TakeNoMore");
    this->fetch();
    Q_EMIT this->statusChanged();
  }
}

QVector<pqDSMStatus::Snapshot> pqDSMServerProxy::unsaved() const
{
  QVector<pqDSMStatus::Snapshot> found;
  std::copy_if(this->Status.Snapshots.begin(), this->Status.Snapshots.end(),
    std::back_inserter(found), [](const auto& snapshot) { return !snapshot.Saved; });
  return found;
}

pqDSMStake pqDSMServerProxy::stake() const
{
  pqDSMStake stake{ this->Status.Writers, 0, 0 };
  for (const auto& snapshot : this->unsaved())
  {
    ++stake.Unsaved;
    stake.UnsavedSize += snapshot.FileSize;
  }
  return stake;
}

void pqDSMServerProxy::setRefusal(const QString& reason)
{
  // Cleared first: the same reason once more is shown again, also when the user has dismissed it.
  this->Refusal.clear();
  this->fetch();
  Q_EMIT this->statusChanged();
  if (!reason.isEmpty())
  {
    this->Refusal = reason;
    this->fetch();
    Q_EMIT this->statusChanged();
  }
}

void pqDSMServerProxy::pin(qint64 number, bool pinned)
{
  const QVector<qint64> one{ number };
  this->changePins(pinned ? one : QVector<qint64>(), pinned ? QVector<qint64>() : one);
}

void pqDSMServerProxy::changePins(const QVector<qint64>& pinned, const QVector<qint64>& unpinned)
{
  if (this->Proxy && this->Status.running())
  {
    SCOPED_UNDO_EXCLUDE();
    this->runForEach("Unpin", unpinned) && this->runForEach("Pin", pinned);
    this->fetch();
    Q_EMIT this->statusChanged();
  }
}

void pqDSMServerProxy::drop(const QVector<qint64>& numbers)
{
  if (this->Proxy && this->Status.running())
  {
    SCOPED_UNDO_EXCLUDE();
    this->runForEach("Drop", numbers);
    this->fetch();
    Q_EMIT this->statusChanged();
  }
}

// Returns whether a command worked for all snapshots. The next one would clear its error.
bool pqDSMServerProxy::runForEach(const char* command, const QVector<qint64>& numbers)
{
  for (const qint64 number : numbers)
  {
    vtkSMPropertyHelper(this->Proxy, "Number").Set(static_cast<vtkIdType>(number));
    this->Proxy->UpdateVTKObjects();
    this->Proxy->InvokeCommand(command);
    this->Proxy->UpdatePropertyInformation(this->Proxy->GetProperty("CommandError"));
    if (!Text(this->Proxy, "CommandError").isEmpty())
    {
      return false;
    }
  }
  return true;
}

QJsonObject pqDSMServerProxy::steer(const QJsonObject& request)
{
  if (!this->Proxy || !this->Status.running())
  {
    return {};
  }
  SCOPED_UNDO_EXCLUDE();
  vtkSMPropertyHelper(this->Proxy, "SteerRequest")
    .Set(QJsonDocument(request).toJson(QJsonDocument::Compact).constData());
  this->Proxy->UpdateVTKObjects();
  this->Proxy->InvokeCommand("Steer");
  for (const char* name : { "SteerReply", "CommandError" })
  {
    this->Proxy->UpdatePropertyInformation(this->Proxy->GetProperty(name));
  }
  this->Status.CommandError = Text(this->Proxy, "CommandError");
  if (!this->Status.CommandError.isEmpty())
  {
    // The panel shows it.
    Q_EMIT this->statusChanged();
  }
  return QJsonDocument::fromJson(Text(this->Proxy, "SteerReply").toUtf8()).object();
}
