// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMPanel.h"

#include "pqDSMCatalystMenu.h"
#include "pqDSMExtracts.h"
#include "pqDSMFileChoice.h"
#include "pqDSMFollower.h"
#include "pqDSMFurtherPanels.h"
#include "pqDSMHeader.h"
#include "pqDSMLeaveGuard.h"
#include "pqDSMOpenedContact.h"
#include "pqDSMServerProxy.h"
#include "pqDSMSharedTime.h"
#include "pqDSMStartGuard.h"
#include "pqDSMSteeringPage.h"
#include "pqDSMTerms.h"
#include "pqDSMWatchButton.h"

#include <pqActiveObjects.h>
#include <pqPipelineSource.h>
#include <pqServer.h>
#include <vtkSMProxy.h>

#include <QFileInfo>
#include <QMainWindow>

#include <algorithm>

pqDSMPanel::pqDSMPanel(QWidget* parent, Qt::WindowFlags flags)
  : pqDSMPanel(std::make_shared<pqDSMSharedTime>(), parent, flags)
{
}

pqDSMPanel::pqDSMPanel(
  const std::shared_ptr<pqDSMSharedTime>& time, QWidget* parent, Qt::WindowFlags flags)
  : Superclass(new pqDSMServerProxy(nullptr), time, tr("DSM"), parent, flags)
  , StartGuard(new pqDSMStartGuard(this->serverProxy(), this))
  , Further(new pqDSMFurtherPanels(time, this))
  , Catalyst(new pqDSMCatalystMenu(this))
  , Extracts(new pqDSMExtracts(this))
  , Terms(new pqDSMTerms(this))
{
  this->setObjectName("pqDSMPanel");
  QObject::connect(
    this->header(), &pqDSMHeader::startRequested, this->StartGuard, &pqDSMStartGuard::start);
  QObject::connect(
    this->header()->watch(), &pqDSMWatchButton::watchRequested, this, &pqDSMPanel::watch);
  QObject::connect(
    this->header()->watch(), &pqDSMWatchButton::choiceRequested, this, &pqDSMPanel::chooseWatched);
  new pqDSMOpenedContact([this](const QString& contact) { return this->watch(contact); }, this);
  QObject::connect(this, &pqDSMServerPanel::polling, this, &pqDSMPanel::prepare);
  QObject::connect(this, &pqDSMServerPanel::displayed, this,
    [this]
    {
      const QString refusal = this->Further->update(this->serverProxy()->server());
      if (!refusal.isEmpty() && this->serverProxy()->proxy())
      {
        this->serverProxy()->setRefusal(refusal);
      }
      this->showCatalyst();
    });
  QObject::connect(this, &pqDSMServerPanel::shownChanged, this, &pqDSMPanel::takeExtracts);
  QObject::connect(
    this->Further, &pqDSMFurtherPanels::shownChanged, this, &pqDSMPanel::takeExtracts);
  this->connectMenu();
}

pqDSMPanel::~pqDSMPanel() = default;

void pqDSMPanel::connectMenu()
{
  QObject::connect(
    this->Catalyst, &pqDSMCatalystMenu::startRequested, this->StartGuard, &pqDSMStartGuard::start);
  QObject::connect(
    this->Catalyst, &pqDSMCatalystMenu::watchRequested, this, &pqDSMPanel::chooseWatched);
  QObject::connect(
    this->Catalyst, &pqDSMCatalystMenu::commanded, this->steering(), &pqDSMSteeringPage::command);
  QObject::connect(
    this->Catalyst, &pqDSMCatalystMenu::extractsRequested, this, &pqDSMPanel::chooseExtracts);
  QObject::connect(
    this->Catalyst, &pqDSMCatalystMenu::steeringRequested, this, &pqDSMPanel::showSteering);
}

// ParaView's window is complete when the server is asked for its status first.
void pqDSMPanel::prepare()
{
  if (!this->Prepared)
  {
    this->Prepared = true;
    this->leaveGuard()->watchWindow();
    this->Catalyst->install();
  }
  // Before there are widgets for properties.
  if (auto* server = pqActiveObjects::instance().activeServer())
  {
    this->Terms->install(server->proxyManager());
  }
}

bool pqDSMPanel::mayShow(const pqPipelineSource* reader) const
{
  const QString name = reader ? reader->getProxy()->GetXMLName() : "";
  const auto further = this->Further->all();
  return (name == "DSMReader" || name == "DSMFileReader") &&
    std::none_of(further.begin(), further.end(),
      [reader](const pqDSMServerPanel* each) { return each->mayShow(reader); });
}

void pqDSMPanel::chooseWatched()
{
  auto* proxy = this->serverProxy();
  pqDSMFileChoice::open(proxy->server(), this,
    { "watchedFileDialog", tr("Choose the contact file of a running server"),
      QFileInfo(proxy->contactPlace()).path(), pqFileDialog::ExistingFile,
      tr("Contact files (*.dsm)") },
    this, [this](const QString& file) { this->watch(file); });
}

// Shows a server here if there is none, and else in a dock of its own. Returns whether nobody
// showed it before.
bool pqDSMPanel::watch(const QString& contact)
{
  const auto& status = this->serverProxy()->status();
  if (!status.running())
  {
    return this->serverProxy()->watchServer(contact);
  }
  if (status.ContactPath == contact)
  {
    this->show();
    this->raise();
    return false;
  }
  const auto outcome = this->Further->watch(this->serverProxy()->server(), contact);
  this->serverProxy()->setRefusal(outcome.Refusal);
  return outcome.IsNew;
}

void pqDSMPanel::chooseExtracts(bool wanted)
{
  this->Extracts->setFolder({});
  this->showCatalyst();
  if (wanted)
  {
    pqDSMFileChoice::open(this->serverProxy()->server(), this,
      { "extractsFolderDialog", tr("Choose a folder for extracts"),
        QFileInfo(this->serverProxy()->contactPlace()).path() },
      this,
      [this](const QString& folder)
      {
        this->Extracts->setFolder(folder);
        this->showCatalyst();
      });
  }
}

// The extractors are those of the whole pipeline, which shows snapshots of all servers.
void pqDSMPanel::takeExtracts()
{
  auto shown = this->follower()->allShown();
  for (const auto* panel : this->Further->all())
  {
    shown += panel->follower()->allShown();
  }
  this->Extracts->take(this->serverProxy()->server(), shown, this->follower()->sceneTime());
}

void pqDSMPanel::showCatalyst()
{
  this->Catalyst->show({ this->serverProxy()->proxy() != nullptr,
    this->serverProxy()->status().running(), this->steering()->connected(),
    this->steering()->paused(), !this->Extracts->folder().isEmpty() });
}

// The first time it is made wide enough for the table and the names of all pages, and ParaView's
// properties beside it for their fields, which would get a scroll bar across.
void pqDSMPanel::showEvent(QShowEvent* event)
{
  Superclass::showEvent(event);
  auto* window = qobject_cast<QMainWindow*>(this->parentWidget());
  if (this->Sized || !window)
  {
    return;
  }
  this->Sized = true;
  const int letter = this->fontMetrics().averageCharWidth();
  QList<QDockWidget*> docks{ this };
  QList<int> widths{ 66 * letter };
  auto* properties = window->findChild<QDockWidget*>("propertiesDock");
  if (properties && properties->isVisible() && properties->width() < 56 * letter)
  {
    docks.push_back(properties);
    widths.push_back(56 * letter);
  }
  window->resizeDocks(docks, widths, Qt::Horizontal);
}
