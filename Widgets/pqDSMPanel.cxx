// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMPanel.h"

#include "pqDSMActivityPage.h"
#include "pqDSMCatalystMenu.h"
#include "pqDSMCompareMenu.h"
#include "pqDSMContentsPage.h"
#include "pqDSMExtracts.h"
#include "pqDSMFileChoice.h"
#include "pqDSMFollower.h"
#include "pqDSMHeader.h"
#include "pqDSMLeaveGuard.h"
#include "pqDSMNotices.h"
#include "pqDSMOpenedContact.h"
#include "pqDSMPinEveryAction.h"
#include "pqDSMSelectionMenu.h"
#include "pqDSMServerProxy.h"
#include "pqDSMSettingsPage.h"
#include "pqDSMSnapshotMenu.h"
#include "pqDSMSnapshotPage.h"
#include "pqDSMStartGuard.h"
#include "pqDSMStateLine.h"
#include "pqDSMSteeringPage.h"
#include "pqDSMTerms.h"
#include "pqDSMTrace.h"
#include "pqDSMWatchButton.h"

#include <pqActiveObjects.h>
#include <pqApplicationCore.h>
#include <pqPipelineSource.h>
#include <pqServer.h>
#include <pqUndoStack.h>
#include <vtkSMProxy.h>

#include <QFileInfo>
#include <QMainWindow>
#include <QTabWidget>
#include <QVBoxLayout>

#include <tuple>

namespace
{
constexpr int UsualPollInterval = 250; // ms
}

pqDSMPanel::pqDSMPanel(QWidget* parent, Qt::WindowFlags flags)
  : Superclass(tr("DSM"), parent, flags)
  , ServerProxy(new pqDSMServerProxy(this))
  , StartGuard(new pqDSMStartGuard(this->ServerProxy, this))
  , LeaveGuard(new pqDSMLeaveGuard(this->ServerProxy, this))
  , Follower(new pqDSMFollower(this))
  , Catalyst(new pqDSMCatalystMenu(this))
  , Extracts(new pqDSMExtracts(this))
  , Terms(new pqDSMTerms(this))
  , PollInterval(UsualPollInterval)
{
  this->setObjectName("pqDSMPanel");
  auto* body = new QWidget(this);
  body->setObjectName("body");
  // A narrower table cannot be read.
  body->setMinimumWidth(48 * this->fontMetrics().averageCharWidth());
  auto* column = new QVBoxLayout(body);
  column->setContentsMargins(6, 6, 6, 6);
  this->Header = new pqDSMHeader(body);
  column->addWidget(this->Header);
  auto* tabs = new QTabWidget(body);
  tabs->setObjectName("tabs");
  this->Snapshots = new pqDSMSnapshotPage(this->Follower, this->ServerProxy, tabs);
  tabs->addTab(this->Snapshots, tr("Snapshots"));
  this->Contents = new pqDSMContentsPage(tabs);
  tabs->addTab(this->Contents, tr("Contents"));
  this->Settings = new pqDSMSettingsPage(tabs);
  tabs->addTab(this->Settings, tr("Settings"));
  this->Activity = new pqDSMActivityPage(tabs);
  tabs->addTab(this->Activity, tr("Activity"));
  this->Steering = new pqDSMSteeringPage(this->ServerProxy, tabs);
  tabs->addTab(this->Steering, tr("Steering"));
  const QStringList tips = { tr("Choose the snapshots to show and to keep."),
    tr("Choose the arrays to load from the file that is shown."),
    tr("Choose how much memory is shared, which files to receive, and their distribution."),
    tr("See how fast files arrive, and how long they block the simulation."),
    tr("Change parameters of the running simulation.") };
  for (int page = 0; page < tabs->count(); ++page)
  {
    tabs->setTabToolTip(page, tips[page]);
  }
  column->addWidget(tabs, 1);
  this->Notices = new pqDSMNotices(this->Header->state(), body);
  column->addWidget(this->Notices);
  this->Pages = tabs;
  this->setWidget(body);

  QObject::connect(&this->Timer, &QTimer::timeout, this, &pqDSMPanel::poll);
  QObject::connect(
    this->ServerProxy, &pqDSMServerProxy::proxyChanged, this, &pqDSMPanel::changeProxy);
  QObject::connect(this->ServerProxy, &pqDSMServerProxy::statusChanged, this, &pqDSMPanel::display);
  QObject::connect(
    this->ServerProxy, &pqDSMServerProxy::serverHasEnded, this, &pqDSMPanel::showLost);
  QObject::connect(
    this->Header, &pqDSMHeader::startRequested, this->StartGuard, &pqDSMStartGuard::start);
  QObject::connect(
    this->Header, &pqDSMHeader::stopRequested, this->LeaveGuard, &pqDSMLeaveGuard::stop);
  QObject::connect(this->Header->watch(), &pqDSMWatchButton::watchRequested, this->ServerProxy,
    &pqDSMServerProxy::watchServer);
  QObject::connect(
    this->Header->watch(), &pqDSMWatchButton::choiceRequested, this, &pqDSMPanel::chooseWatched);
  new pqDSMOpenedContact(this->ServerProxy, this);
  QObject::connect(this->Notices, &pqDSMNotices::folderRequested, this, &pqDSMPanel::chooseFolder);
  QObject::connect(this->Snapshots, &pqDSMSnapshotPage::pinRequested, this->ServerProxy,
    &pqDSMServerProxy::changePins);
  QObject::connect(this->Header->state(), &pqDSMStateLine::flushesRequested, this->Settings,
    &pqDSMSettingsPage::showFlushes);
  QObject::connect(
    this->Settings, &pqDSMSettingsPage::changed, this->ServerProxy, &pqDSMServerProxy::setRefusal);
  QObject::connect(this->Contents, &pqDSMContentsPage::changed, this, &pqDSMPanel::renderContents);
  QObject::connect(this->Contents, &pqDSMContentsPage::readAnew, this, &pqDSMPanel::askReader);
  QObject::connect(
    &pqActiveObjects::instance(), &pqActiveObjects::sourceChanged, this, &pqDSMPanel::display);
  QObject::connect(this->Snapshots, &pqDSMSnapshotPage::picked, this, &pqDSMPanel::display);
  QObject::connect(
    this->Snapshots, &pqDSMSnapshotPage::menuRequested, this, &pqDSMPanel::openSnapshotMenu);
  QObject::connect(
    this->Snapshots, &pqDSMSnapshotPage::groupMenuRequested, this, &pqDSMPanel::openGroupMenu);
  QObject::connect(
    this->Catalyst, &pqDSMCatalystMenu::startRequested, this->StartGuard, &pqDSMStartGuard::start);
  QObject::connect(
    this->Catalyst, &pqDSMCatalystMenu::watchRequested, this, &pqDSMPanel::chooseWatched);
  QObject::connect(
    this->Catalyst, &pqDSMCatalystMenu::commanded, this->Steering, &pqDSMSteeringPage::command);
  QObject::connect(
    this->Catalyst, &pqDSMCatalystMenu::extractsRequested, this, &pqDSMPanel::chooseExtracts);
  QObject::connect(this->Catalyst, &pqDSMCatalystMenu::steeringRequested, this,
    [this]
    {
      this->show();
      this->raise();
      this->Pages->setCurrentWidget(this->Steering);
    });
  this->Timer.setSingleShot(true);
  // Not now: ParaView reads the plugin's XML after it has made the dock.
  this->Timer.start(0);
}

pqDSMPanel::~pqDSMPanel() = default;

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

void pqDSMPanel::poll()
{
  this->Settings->setPolling(true);
  this->takeStatus();
  this->Settings->setPolling(false);
  ++this->PollCount;
  this->Timer.start(this->PollInterval);
}

void pqDSMPanel::setPollInterval(int milliseconds)
{
  this->PollInterval = milliseconds;
  if (this->Timer.isActive())
  {
    this->Timer.start(milliseconds);
  }
}

void pqDSMPanel::takeStatus()
{
  // What a simulation has brought is nothing that the user did, and could undo.
  SCOPED_UNDO_EXCLUDE();
  if (this->PollCount == 0)
  {
    // The first one comes when ParaView's window is complete.
    this->LeaveGuard->watchWindow();
    this->Catalyst->install();
  }
  // Before there are widgets for properties.
  if (auto* server = pqActiveObjects::instance().activeServer())
  {
    this->Terms->install(server->proxyManager());
  }
  this->PollTime.begin();
  const bool polled = this->ServerProxy->poll();
  this->PollTime.end();
  if (polled)
  {
    this->Pages->setEnabled(true);
    const auto shown = [this]
    {
      return std::make_tuple(this->Follower->reader(), this->Follower->allShown(),
        this->Follower->skipped(), this->Follower->following(), this->Follower->error());
    };
    const auto before = shown();
    const auto& status = this->ServerProxy->status();
    if (status.running())
    {
      pqDSMTrace::begin(this->ServerProxy->proxy(), status.ContactPath, this->Follower->readers());
    }
    this->UpdateTime.begin();
    this->Follower->update(this->ServerProxy->server(), this->ServerProxy->status());
    this->UpdateTime.end();
    if (shown() != before)
    {
      this->takeShown();
      this->PollTime.begin();
      this->display();
      this->PollTime.end();
    }
  }
}

// Handles each snapshot that is shown.
void pqDSMPanel::takeShown()
{
  this->UpdateTime.begin();
  this->Extracts->take(
    this->ServerProxy->server(), this->Follower->allShown(), this->Follower->sceneTime());
  this->UpdateTime.end();
  this->Steering->takeData(this->Follower->reader());
}

void pqDSMPanel::chooseExtracts(bool wanted)
{
  this->Extracts->setFolder({});
  this->showCatalyst();
  if (wanted)
  {
    pqDSMFileChoice::open(this->ServerProxy->server(), this,
      { "extractsFolderDialog", tr("Choose a folder for extracts"),
        QFileInfo(this->ServerProxy->contactPlace()).path() },
      this,
      [this](const QString& folder)
      {
        this->Extracts->setFolder(folder);
        this->showCatalyst();
      });
  }
}

void pqDSMPanel::showCatalyst()
{
  this->Catalyst->show({ this->ServerProxy->proxy() && !this->ServerProxy->status().running(),
    this->Steering->connected(), this->Steering->paused(), !this->Extracts->folder().isEmpty() });
}

void pqDSMPanel::chooseFolder()
{
  pqDSMFileChoice::open(this->ServerProxy->server(), this,
    { "contactFolderDialog", tr("Choose a folder for the contact file"),
      QFileInfo(this->ServerProxy->contactPlace()).path() },
    this, [this](const QString& folder) { this->ServerProxy->setContactFolder(folder); });
}

void pqDSMPanel::chooseWatched()
{
  pqDSMFileChoice::open(this->ServerProxy->server(), this,
    { "watchedFileDialog", tr("Choose the contact file of a running server"),
      QFileInfo(this->ServerProxy->contactPlace()).path(), pqFileDialog::ExistingFile,
      tr("Contact files (*.dsm)") },
    this, [this](const QString& file) { this->ServerProxy->watchServer(file); });
}

void pqDSMPanel::showLost()
{
  this->Header->showLost(*this->ServerProxy);
  this->Pages->setEnabled(false);
}

void pqDSMPanel::changeProxy()
{
  this->Follower->connectionChanged();
  this->Activity->clear();
  this->Settings->setProxy(this->ServerProxy->proxy());
}

void pqDSMPanel::display()
{
  if (this->ServerProxy->serverLost())
  {
    return;
  }
  const auto& status = this->ServerProxy->status();
  this->Header->show(*this->ServerProxy);
  this->Notices->show(*this->ServerProxy, this->Follower->error());
  this->Snapshots->show(status);
  // The notices have the errors of the follower's readers.
  this->Contents->show(this->reader(), !this->Follower->has(this->reader()));
  this->Settings->show(status);
  this->Activity->show(status);
  this->Steering->updateStatus();
  this->AutoPin.update(*this->Follower, *this->ServerProxy);
  this->PinRules.update(*this->ServerProxy);
  this->showCatalyst();
}

// The reader that the user looks at: one by File > Open, if it is the active source, or that which
// follows the simulation.
pqPipelineSource* pqDSMPanel::reader() const
{
  auto* active = pqActiveObjects::instance().activeSource();
  const QString name = active ? active->getProxy()->GetXMLName() : "";
  return name == "DSMReader" || name == "DSMFileReader" ? active : this->Follower->reader();
}

void pqDSMPanel::askReader()
{
  auto* reader = this->reader();
  if (!reader || reader->getServer()->isProgressPending())
  {
    return;
  }
  if (this->Follower->has(reader))
  {
    this->Follower->ask();
  }
  else
  {
    reader->getProxy()->InvokeCommand("ShareErrors");
    reader->getProxy()->UpdatePropertyInformation();
  }
  this->display();
}

void pqDSMPanel::openSnapshotMenu(
  const QVector<pqDSMStatus::Snapshot>& snapshots, const QPoint& place)
{
  QMenu* menu = nullptr;
  if (snapshots.size() == 1)
  {
    auto* one = new pqDSMSnapshotMenu(snapshots.first(),
      pqDSMStreams::groups(this->ServerProxy->status()), this->ServerProxy, this);
    QObject::connect(one, &pqDSMSnapshotMenu::showRequested, this->Snapshots,
      [this, number = snapshots.first().Number] { this->Snapshots->pick(number); });
    menu = one;
    this->addPinEvery(menu, snapshots.first().Stream);
  }
  else
  {
    menu = new pqDSMSelectionMenu(snapshots, this->ServerProxy, this);
  }
  this->addExport(menu);
  menu->popup(place);
}

void pqDSMPanel::addPinEvery(QMenu* menu, const QString& stream)
{
  menu->addAction(new pqDSMPinEveryAction(stream, this->PinRules, this->ServerProxy, menu));
}

void pqDSMPanel::addExport(QMenu* menu)
{
  menu->addSeparator();
  QObject::connect(menu->addAction(tr("Export as Table…")), &QAction::triggered, this->Snapshots,
    &pqDSMSnapshotPage::exportTable);
}

void pqDSMPanel::openGroupMenu(const pqDSMStreams::Group& group, const QPoint& place)
{
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->addMenu(new pqDSMCompareMenu(pqDSMStreams::groups(this->ServerProxy->status()),
    group.Stream, group.Run, this->ServerProxy, menu));
  this->addPinEvery(menu, group.Stream);
  this->addExport(menu);
  menu->popup(place);
}

void pqDSMPanel::renderContents()
{
  this->Follower->has(this->reader()) ? this->Follower->contentsChanged(this->reader())
                                      : pqApplicationCore::instance()->render();
}

qlonglong pqDSMPanel::shown() const
{
  return this->Follower->shown();
}

qlonglong pqDSMPanel::skipped() const
{
  return this->Follower->skipped();
}

QString pqDSMPanel::errorText() const
{
  return this->Notices->errorText();
}
