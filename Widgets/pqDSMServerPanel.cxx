// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMServerPanel.h"

#include "pqDSMActivityPage.h"
#include "pqDSMCompareMenu.h"
#include "pqDSMContentsPage.h"
#include "pqDSMFileChoice.h"
#include "pqDSMFollower.h"
#include "pqDSMHeader.h"
#include "pqDSMLeaveGuard.h"
#include "pqDSMNotices.h"
#include "pqDSMPinEveryAction.h"
#include "pqDSMSelectionMenu.h"
#include "pqDSMServerProxy.h"
#include "pqDSMSettingsPage.h"
#include "pqDSMSharedTime.h"
#include "pqDSMSnapshotMenu.h"
#include "pqDSMSnapshotPage.h"
#include "pqDSMStateLine.h"
#include "pqDSMSteeringPage.h"
#include "pqDSMTrace.h"

#include <pqActiveObjects.h>
#include <pqApplicationCore.h>
#include <pqPipelineSource.h>
#include <pqServer.h>
#include <pqUndoStack.h>
#include <vtkSMPropertyHelper.h>
#include <vtkSMProxy.h>

#include <QFileInfo>
#include <QTabWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <tuple>
#include <utility>

namespace
{
constexpr int UsualPollInterval = 250; // ms
// Between two polls, the panel looks for new snapshots as often as takes this part of the time.
constexpr double PartForLooks = 0.02;
constexpr int ShortestLookInterval = 20; // ms
}

pqDSMServerPanel::pqDSMServerPanel(pqDSMServerProxy* server, std::shared_ptr<pqDSMSharedTime> time,
  const QString& title, QWidget* parent, Qt::WindowFlags flags)
  : Superclass(title, parent, flags)
  , ServerProxy(server)
  , LeaveGuard(new pqDSMLeaveGuard(this->ServerProxy, this))
  , Follower(new pqDSMFollower(std::move(time), this))
  , PollInterval(UsualPollInterval)
{
  server->setParent(this);
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

  QObject::connect(&this->Timer, &QTimer::timeout, this, &pqDSMServerPanel::look);
  QObject::connect(
    this->ServerProxy, &pqDSMServerProxy::proxyChanged, this, &pqDSMServerPanel::changeProxy);
  QObject::connect(
    this->ServerProxy, &pqDSMServerProxy::statusChanged, this, &pqDSMServerPanel::display);
  QObject::connect(
    this->ServerProxy, &pqDSMServerProxy::serverHasEnded, this, &pqDSMServerPanel::showLost);
  QObject::connect(
    this->Header, &pqDSMHeader::stopRequested, this->LeaveGuard, &pqDSMLeaveGuard::stop);
  QObject::connect(
    this->Notices, &pqDSMNotices::folderRequested, this, &pqDSMServerPanel::chooseFolder);
  QObject::connect(this->Snapshots, &pqDSMSnapshotPage::pinRequested, this->ServerProxy,
    &pqDSMServerProxy::changePins);
  QObject::connect(this->Header->state(), &pqDSMStateLine::flushesRequested, this->Settings,
    &pqDSMSettingsPage::showFlushes);
  QObject::connect(
    this->Settings, &pqDSMSettingsPage::changed, this->ServerProxy, &pqDSMServerProxy::setRefusal);
  QObject::connect(
    this->Contents, &pqDSMContentsPage::changed, this, &pqDSMServerPanel::renderContents);
  QObject::connect(
    this->Contents, &pqDSMContentsPage::readAnew, this, &pqDSMServerPanel::askReader);
  QObject::connect(&pqActiveObjects::instance(), &pqActiveObjects::sourceChanged, this,
    &pqDSMServerPanel::display);
  QObject::connect(this->Snapshots, &pqDSMSnapshotPage::picked, this, &pqDSMServerPanel::display);
  QObject::connect(
    this->Snapshots, &pqDSMSnapshotPage::menuRequested, this, &pqDSMServerPanel::openSnapshotMenu);
  QObject::connect(this->Snapshots, &pqDSMSnapshotPage::groupMenuRequested, this,
    &pqDSMServerPanel::openGroupMenu);
  this->Timer.setSingleShot(true);
  // Not now: ParaView reads the plugin's XML after it has made the dock.
  this->Timer.start(0);
}

pqDSMServerPanel::~pqDSMServerPanel() = default;

void pqDSMServerPanel::look()
{
  QElapsedTimer took;
  took.start();
  if (!(this->Looks && this->ServerProxy->hasNews()) && this->SincePoll.isValid() &&
    !this->SincePoll.hasExpired(this->PollInterval))
  {
    constexpr double NanosecondsToMilliseconds = 1e-6;
    this->wait(static_cast<double>(took.nsecsElapsed()) * NanosecondsToMilliseconds / PartForLooks);
    return;
  }
  this->poll();
  // The window is the user's for half of the time, however fast snapshots come.
  this->SincePoll.start();
  this->wait(static_cast<double>(took.elapsed()));
}

void pqDSMServerPanel::wait(double least)
{
  int pause = this->PollInterval - static_cast<int>(this->SincePoll.elapsed());
  if (this->Looks && this->ServerProxy->canHaveNews())
  {
    pause = std::min(pause, std::max(ShortestLookInterval, static_cast<int>(least)));
  }
  this->Timer.start(std::max(pause, 0));
}

void pqDSMServerPanel::poll()
{
  this->Settings->setPolling(true);
  this->takeStatus();
  this->Settings->setPolling(false);
  ++this->PollCount;
}

void pqDSMServerPanel::setPollInterval(int milliseconds)
{
  this->PollInterval = milliseconds;
  if (this->Timer.isActive())
  {
    this->SincePoll.start();
    this->wait(0);
  }
}

void pqDSMServerPanel::takeStatus()
{
  // A user cannot undo what a simulation has brought.
  SCOPED_UNDO_EXCLUDE();
  Q_EMIT this->polling();
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
void pqDSMServerPanel::takeShown()
{
  this->UpdateTime.begin();
  Q_EMIT this->shownChanged();
  this->UpdateTime.end();
  this->Steering->takeData(this->Follower->reader());
}

void pqDSMServerPanel::chooseFolder()
{
  pqDSMFileChoice::open(this->ServerProxy->server(), this,
    { "contactFolderDialog", tr("Choose a folder for the contact file"),
      QFileInfo(this->ServerProxy->contactPlace()).path() },
    this, [this](const QString& folder) { this->ServerProxy->setContactFolder(folder); });
}

void pqDSMServerPanel::showSteering()
{
  this->show();
  this->raise();
  this->Pages->setCurrentWidget(this->Steering);
}

void pqDSMServerPanel::showLost()
{
  this->Header->showLost(*this->ServerProxy);
  this->Pages->setEnabled(false);
}

void pqDSMServerPanel::changeProxy()
{
  this->Follower->connectionChanged();
  this->Activity->clear();
  this->Settings->setProxy(this->ServerProxy->proxy());
}

void pqDSMServerPanel::display()
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
  Q_EMIT this->displayed();
}

// The reader that the user looks at: one by File > Open, if it is the active source, or that which
// follows the simulation.
pqPipelineSource* pqDSMServerPanel::reader() const
{
  auto* active = pqActiveObjects::instance().activeSource();
  return this->mayShow(active) ? active : this->Follower->reader();
}

bool pqDSMServerPanel::mayShow(const pqPipelineSource* reader) const
{
  return reader && QString(reader->getProxy()->GetXMLName()) == "DSMReader" &&
    this->ServerProxy->status().ContactPath ==
    vtkSMPropertyHelper(reader->getProxy(), "ContactFile").GetAsString();
}

void pqDSMServerPanel::askReader()
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

void pqDSMServerPanel::openSnapshotMenu(
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

void pqDSMServerPanel::addPinEvery(QMenu* menu, const QString& stream)
{
  menu->addAction(new pqDSMPinEveryAction(stream, this->PinRules, this->ServerProxy, menu));
}

void pqDSMServerPanel::addExport(QMenu* menu)
{
  menu->addSeparator();
  QObject::connect(menu->addAction(tr("Export as Table…")), &QAction::triggered, this->Snapshots,
    &pqDSMSnapshotPage::exportTable);
}

void pqDSMServerPanel::openGroupMenu(const pqDSMStreams::Group& group, const QPoint& place)
{
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->addMenu(new pqDSMCompareMenu(pqDSMStreams::groups(this->ServerProxy->status()),
    group.Stream, group.Run, this->ServerProxy, menu));
  this->addPinEvery(menu, group.Stream);
  this->addExport(menu);
  menu->popup(place);
}

void pqDSMServerPanel::renderContents()
{
  this->Follower->has(this->reader()) ? this->Follower->contentsChanged(this->reader())
                                      : pqApplicationCore::instance()->render();
}

qlonglong pqDSMServerPanel::shown() const
{
  return this->Follower->shown();
}

qlonglong pqDSMServerPanel::skipped() const
{
  return this->Follower->skipped();
}

QString pqDSMServerPanel::errorText() const
{
  return this->Notices->errorText();
}
