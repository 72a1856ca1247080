// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMFurtherPanels.h"

#include "pqDSMServerPanel.h"
#include "pqDSMServerProxies.h"
#include "pqDSMServerProxy.h"

#include <pqServer.h>
#include <pqUndoStack.h>
#include <vtkSMPropertyHelper.h>
#include <vtkSMProxy.h>

#include <QDir>
#include <QFileInfo>
#include <QMainWindow>

#include <algorithm>

namespace
{
// Contact files of several runs often have the same name.
QString Title(const QString& contact)
{
  const QFileInfo file(contact);
  return pqDSMFurtherPanels::tr("DSM: %1/%2").arg(file.dir().dirName(), file.fileName());
}

// Returns a name for a dock, by which ParaView keeps its place in the window: the first free one.
QString FreeName(const QList<pqDSMServerPanel*>& panels)
{
  QStringList taken;
  for (const auto* panel : panels)
  {
    taken.append(panel->objectName());
  }
  int number = 2;
  const auto name = [&number] { return QString("pqDSMPanel %1").arg(number); };
  while (taken.contains(name()))
  {
    ++number;
  }
  return name();
}

void Deactivate(vtkSMProxy* proxy)
{
  SCOPED_UNDO_EXCLUDE();
  vtkSMPropertyHelper(proxy, "Active").Set(0);
  proxy->UpdateVTKObjects();
}
}

pqDSMFurtherPanels::pqDSMFurtherPanels(std::shared_ptr<pqDSMSharedTime> time, QDockWidget* first)
  : Superclass(first)
  , Time(std::move(time))
  , First(first)
{
}

pqDSMFurtherPanels::Outcome pqDSMFurtherPanels::watch(pqServer* server, const QString& contact)
{
  const auto found = std::find_if(this->Panels.begin(), this->Panels.end(),
    [&](const auto* each) { return each->serverProxy()->status().ContactPath == contact; });
  if (found != this->Panels.end())
  {
    (*found)->show();
    (*found)->raise();
    return {};
  }
  SCOPED_UNDO_EXCLUDE();
  auto* proxy = pqDSMServerProxies::make(server);
  auto watching = std::make_unique<pqDSMServerProxy>(nullptr, proxy);
  if (watching->poll() && watching->watchServer(contact))
  {
    this->add(watching.release());
    return { true, {} };
  }
  const QString refusal = watching->status().CommandError;
  watching.reset();
  pqDSMServerProxies::remove(proxy);
  return { false, refusal };
}

QString pqDSMFurtherPanels::update(pqServer* server)
{
  this->removeStopped();
  QStringList refusals;
  for (auto* proxy : pqDSMServerProxies::all(server))
  {
    if (pqDSMServerProxies::isActive(proxy) && !pqDSMServerProxies::isShown(proxy))
    {
      auto running = std::make_unique<pqDSMServerProxy>(nullptr, proxy);
      if (!running->poll())
      {
        continue;
      }
      const QString refusal = running->status().CommandError;
      if (running->status().running())
      {
        this->add(running.release());
      }
      else if (!refusal.isEmpty())
      {
        refusals.append(refusal);
        Deactivate(proxy);
      }
    }
  }
  return refusals.join('\n');
}

void pqDSMFurtherPanels::add(pqDSMServerProxy* proxy)
{
  auto* window = qobject_cast<QMainWindow*>(this->First->parentWidget());
  const QString& contact = proxy->status().ContactPath;
  auto* panel = new pqDSMServerPanel(proxy, this->Time, Title(contact), window);
  panel->setObjectName(FreeName(this->Panels));
  panel->setToolTip(contact);
  this->Panels.append(panel);
  QObject::connect(panel, &pqDSMServerPanel::shownChanged, this, &pqDSMFurtherPanels::shownChanged);
  if (window)
  {
    window->addDockWidget(window->dockWidgetArea(this->First), panel);
    window->tabifyDockWidget(this->First, panel);
  }
  panel->show();
  panel->raise();
}

// Its readers stay in the pipeline, with what they have read.
void pqDSMFurtherPanels::removeStopped()
{
  for (auto* panel : QList(this->Panels))
  {
    const auto* proxy = panel->serverProxy();
    if (!proxy->serverLost() && (!proxy->proxy() || !proxy->status().running()))
    {
      this->Panels.removeAll(panel);
      if (proxy->proxy())
      {
        pqDSMServerProxies::remove(proxy->proxy());
      }
      panel->hide();
      panel->deleteLater();
    }
  }
}
