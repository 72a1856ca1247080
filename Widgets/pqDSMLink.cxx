// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMLink.h"

#include "pqDSMTrace.h"

#include <pqActiveObjects.h>
#include <pqApplicationCore.h>
#include <pqObjectBuilder.h>
#include <pqServer.h>
#include <vtkSMPropertyHelper.h>
#include <vtkSMProxy.h>
#include <vtkSMProxyIterator.h>
#include <vtkSMSessionProxyManager.h>

#include <QJsonDocument>

namespace
{
// Where state files keep it.
const char* const Group = "dsm_servers";

vtkSMProxy* Registered(vtkSMSessionProxyManager* manager)
{
  vtkSMProxy* found = nullptr;
  vtkNew<vtkSMProxyIterator> each;
  each->SetSessionProxyManager(manager);
  for (each->Begin(Group); !each->IsAtEnd(); each->Next())
  {
    // A state file's server before one that does nothing.
    if (!found || vtkSMPropertyHelper(each->GetProxy(), "Active").GetAsInt())
    {
      found = each->GetProxy();
    }
  }
  return found;
}

// Reads the values of information properties that were fetched already.
class Information
{
public:
  explicit Information(vtkSMProxy* proxy)
    : Proxy(proxy)
  {
  }

  unsigned int count(const char* name) const
  {
    return vtkSMPropertyHelper(this->Proxy, name).GetNumberOfElements();
  }

  QString text(const char* name, unsigned int index = 0) const
  {
    return index < this->count(name)
      ? QString::fromUtf8(vtkSMPropertyHelper(this->Proxy, name).GetAsString(index))
      : QString();
  }

  qint64 number(const char* name, unsigned int index = 0) const
  {
    return index < this->count(name) ? vtkSMPropertyHelper(this->Proxy, name).GetAsIdType(index)
                                     : 0;
  }

  double real(const char* name, unsigned int index = 0) const
  {
    return index < this->count(name) ? vtkSMPropertyHelper(this->Proxy, name).GetAsDouble(index)
                                     : 0;
  }

private:
  vtkSMProxy* Proxy;
};
}

pqDSMLink::pqDSMLink(QObject* parent)
  : Superclass(parent)
{
}

pqDSMLink::~pqDSMLink() = default;

pqServer* pqDSMLink::server() const
{
  return this->Server;
}

// The proxy can go at any time: a state is loaded, a session ends, somebody disconnects.
void pqDSMLink::adopt()
{
  auto* server = pqActiveObjects::instance().activeServer();
  auto* manager = server ? server->proxyManager() : nullptr;
  vtkSMProxy* found = manager ? Registered(manager) : nullptr;
  this->PluginMissing = false;
  if (manager && !found)
  {
    this->PluginMissing = !manager->GetPrototypeProxy("misc", "DSMServer");
    if (!this->PluginMissing)
    {
      found = pqApplicationCore::instance()->getObjectBuilder()->createProxy(
        "misc", "DSMServer", server, Group);
    }
  }
  this->Server = server;
  if (found == this->Proxy)
  {
    return;
  }
  if (this->Proxy && this->Proxy->GetSession() && found &&
    manager->GetProxyName(Group, this->Proxy))
  {
    // Ours did nothing, and another came with a state: one server is enough.
    manager->UnRegisterProxy(Group, manager->GetProxyName(Group, this->Proxy), this->Proxy);
  }
  this->Proxy = found;
  this->Status = pqDSMStatus();
  this->Refusal.clear();
  if (found)
  {
    vtkSMPropertyHelper(found, "Live").Set(1);
    found->UpdateVTKObjects();
    this->fetch();
  }
  Q_EMIT this->proxyChanged();
}

bool pqDSMLink::poll()
{
  auto* server = pqActiveObjects::instance().activeServer();
  if (server && server->isProgressPending())
  {
    return false;
  }
  this->adopt();
  if (this->Proxy && vtkSMPropertyHelper(this->Proxy, "Active").GetAsInt())
  {
    vtkSMPropertyHelper(this->Proxy, "SteeringHistory").Set(this->WantedSteering);
    this->Proxy->UpdateVTKObjects();
    this->fetch();
  }
  Q_EMIT this->statusChanged();
  return true;
}

void pqDSMLink::fetch()
{
  this->Proxy->UpdatePropertyInformation();
  const Information told(this->Proxy);
  pqDSMStatus status;
  status.State = told.text("State");
  status.ContactPath = told.text("ContactPath");
  status.LaunchCommand = told.text("LaunchCommand");
  status.Writers = told.text("Writers");
  status.Receiving = told.text("Receiving");
  status.LastError = told.text("LastError");
  const QString error = told.text("CommandError");
  status.CommandError = error.isEmpty() ? this->Refusal : error;
  status.Steering = told.text("SteeringStatus");
  status.SteeringSamples = this->WantedSteering;
  status.Hosts = static_cast<int>(told.number("NumberOfHosts"));
  status.WritersSeen = told.number("WritersSeen");
  status.Sealed = told.number("SnapshotsSealed");
  status.Dropped = told.number("SnapshotsDropped");
  status.WaitingSeconds = told.real("WaitingSeconds");
  status.MemoryUsed = told.number("MemoryUsed");
  status.MemoryBudget = told.number("MemoryBudget");
  for (unsigned int host = 0; host < told.count("HostBytes"); ++host)
  {
    status.HostBytes.push_back(told.number("HostBytes", host));
  }
  for (unsigned int row = 0; row < told.count("SnapshotNumbers"); ++row)
  {
    status.Snapshots.push_back({ told.number("SnapshotNumbers", row),
      told.text("SnapshotFiles", row), told.real("SnapshotSteps", row),
      told.number("SnapshotFileSizes", row), told.number("SnapshotBytes", row),
      told.real("SnapshotWriteSeconds", row), told.real("SnapshotBlockedSeconds", row),
      told.real("SnapshotSealedAt", row), told.number("SnapshotPinned", row) != 0 });
  }
  this->Status = status;
}

void pqDSMLink::setActive(bool active)
{
  if (!this->Proxy)
  {
    return;
  }
  this->Refusal.clear();
  vtkSMPropertyHelper helper(this->Proxy, "Active");
  helper.Set(active ? 1 : 0);
  // Also where the value is not new here: the server may have failed to do it before.
  this->Proxy->UpdateProperty("Active", 1);
  this->fetch();
  if (active && !this->Status.running())
  {
    helper.Set(0);
    this->Proxy->UpdateVTKObjects();
  }
  Q_EMIT this->statusChanged();
}

void pqDSMLink::start()
{
  this->setActive(true);
  if (this->Status.running())
  {
    pqDSMTrace::start(this->Proxy, this->Status.ContactPath);
  }
}

void pqDSMLink::stop()
{
  pqDSMTrace::stop();
  this->setActive(false);
}

void pqDSMLink::refused(const QString& why)
{
  // Without the one before first: the same once more is told anew, also to who has dismissed it.
  this->Refusal.clear();
  this->fetch();
  Q_EMIT this->statusChanged();
  if (!why.isEmpty())
  {
    this->Refusal = why;
    this->fetch();
    Q_EMIT this->statusChanged();
  }
}

void pqDSMLink::pin(qint64 number, bool pinned)
{
  if (this->Proxy && this->Status.running())
  {
    vtkSMPropertyHelper(this->Proxy, "Number").Set(static_cast<vtkIdType>(number));
    this->Proxy->UpdateVTKObjects();
    this->Proxy->InvokeCommand(pinned ? "Pin" : "Unpin");
    this->fetch();
    Q_EMIT this->statusChanged();
  }
}

QJsonObject pqDSMLink::steer(const QJsonObject& request)
{
  if (!this->Proxy || !this->Status.running())
  {
    return {};
  }
  vtkSMPropertyHelper(this->Proxy, "SteerRequest")
    .Set(QJsonDocument(request).toJson(QJsonDocument::Compact).constData());
  this->Proxy->UpdateVTKObjects();
  this->Proxy->InvokeCommand("Steer");
  for (const char* name : { "SteerReply", "CommandError" })
  {
    this->Proxy->UpdatePropertyInformation(this->Proxy->GetProperty(name));
  }
  const Information told(this->Proxy);
  this->Status.CommandError = told.text("CommandError");
  return QJsonDocument::fromJson(told.text("SteerReply").toUtf8()).object();
}
