// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMServerProxies.h"

#include "pqDSMSeparateChoice.h"

#include <pqApplicationCore.h>
#include <pqObjectBuilder.h>
#include <pqServer.h>
#include <vtkNew.h>
#include <vtkSMPropertyHelper.h>
#include <vtkSMProxy.h>
#include <vtkSMProxyIterator.h>
#include <vtkSMSessionProxyManager.h>

#include <QSet>

namespace
{
// The proxy group in which state files keep them.
const char* const Group = "dsm_servers";

QSet<vtkSMProxy*>& Shown()
{
  static QSet<vtkSMProxy*> shown;
  return shown;
}
}

QList<vtkSMProxy*> pqDSMServerProxies::all(const pqServer* server)
{
  QList<vtkSMProxy*> found;
  if (auto* manager = server ? server->proxyManager() : nullptr)
  {
    vtkNew<vtkSMProxyIterator> each;
    each->SetSessionProxyManager(manager);
    for (each->Begin(Group); !each->IsAtEnd(); each->Next())
    {
      found.append(each->GetProxy());
    }
  }
  return found;
}

bool pqDSMServerProxies::isRegistered(vtkSMProxy* proxy)
{
  auto* manager = proxy->GetSession() ? proxy->GetSessionProxyManager() : nullptr;
  return manager && manager->GetProxyName(Group, proxy);
}

bool pqDSMServerProxies::isActive(vtkSMProxy* proxy)
{
  return vtkSMPropertyHelper(proxy, "Active").GetAsInt() != 0;
}

vtkSMProxy* pqDSMServerProxies::make(pqServer* server)
{
  auto* made = pqApplicationCore::instance()->getObjectBuilder()->createProxy(
    "misc", "DSMServer", server, Group);
  if (made)
  {
    pqDSMSeparateChoice::apply(made);
  }
  return made;
}

void pqDSMServerProxies::remove(vtkSMProxy* proxy)
{
  if (isRegistered(proxy))
  {
    auto* manager = proxy->GetSessionProxyManager();
    manager->UnRegisterProxy(Group, manager->GetProxyName(Group, proxy), proxy);
  }
}

bool pqDSMServerProxies::isShown(vtkSMProxy* proxy)
{
  return Shown().contains(proxy);
}

void pqDSMServerProxies::setShown(vtkSMProxy* before, vtkSMProxy* now)
{
  Shown().remove(before);
  if (now)
  {
    Shown().insert(now);
  }
}
