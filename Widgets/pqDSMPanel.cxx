// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMPanel.h"

#include "pqDSMActivity.h"
#include "pqDSMContents.h"
#include "pqDSMFollower.h"
#include "pqDSMHead.h"
#include "pqDSMLink.h"
#include "pqDSMSettingsPage.h"
#include "pqDSMSnapshotPage.h"
#include "pqDSMSteeringPage.h"

#include <QMainWindow>
#include <QTabWidget>
#include <QVBoxLayout>

#include <tuple>

namespace
{
// Often enough to look live, seldom enough to cost nothing.
constexpr int Pause = 250; // ms
}

pqDSMPanel::pqDSMPanel(QWidget* parent, Qt::WindowFlags flags)
  : Superclass(tr("DSM"), parent, flags)
  , Link(new pqDSMLink(this))
  , Follower(new pqDSMFollower(this))
{
  this->setObjectName("pqDSMPanel");
  auto* body = new QWidget(this);
  body->setObjectName("body");
  // Below this the table is of no use.
  body->setMinimumWidth(48 * this->fontMetrics().averageCharWidth());
  auto* column = new QVBoxLayout(body);
  column->setContentsMargins(6, 6, 6, 6);
  this->Head = new pqDSMHead(body);
  column->addWidget(this->Head);
  auto* tabs = new QTabWidget(body);
  tabs->setObjectName("tabs");
  this->Snapshots = new pqDSMSnapshotPage(this->Follower, tabs);
  tabs->addTab(this->Snapshots, tr("Snapshots"));
  this->Contents = new pqDSMContents(tabs);
  tabs->addTab(this->Contents, tr("Contents"));
  this->Settings = new pqDSMSettingsPage(tabs);
  tabs->addTab(this->Settings, tr("Settings"));
  this->Activity = new pqDSMActivity(tabs);
  tabs->addTab(this->Activity, tr("Activity"));
  this->Steering = new pqDSMSteeringPage(this->Link, tabs);
  tabs->addTab(this->Steering, tr("Steering"));
  const QStringList tips = { tr("The files that arrived: which one is shown, and which stay"),
    tr("What is in the file that is shown, and what of it is loaded"),
    tr("How much memory is lent, which files come, and how they are laid into the memory"),
    tr("How fast files arrive, and how long they keep the simulation from computing"),
    tr("Change a running simulation, where it lets you") };
  for (int page = 0; page < tabs->count(); ++page)
  {
    tabs->setTabToolTip(page, tips[page]);
  }
  column->addWidget(tabs, 1);
  this->setWidget(body);

  QObject::connect(&this->Clock, &QTimer::timeout, this, &pqDSMPanel::look);
  QObject::connect(this->Link, &pqDSMLink::proxyChanged, this, &pqDSMPanel::adoptProxy);
  QObject::connect(this->Link, &pqDSMLink::statusChanged, this, &pqDSMPanel::display);
  QObject::connect(this->Head, &pqDSMHead::startRequested, this->Link, &pqDSMLink::start);
  QObject::connect(this->Head, &pqDSMHead::stopRequested, this->Link, &pqDSMLink::stop);
  QObject::connect(this->Snapshots, &pqDSMSnapshotPage::pinRequested, this->Link, &pqDSMLink::pin);
  QObject::connect(this->Settings, &pqDSMSettingsPage::changed, this->Link, &pqDSMLink::refused);
  QObject::connect(
    this->Contents, &pqDSMContents::changed, this->Follower, &pqDSMFollower::refresh);
  QObject::connect(this->Snapshots, &pqDSMSnapshotPage::picked, this, &pqDSMPanel::display);
  this->Clock.setSingleShot(true);
  // ParaView reads the plugin's XML after it has made the dock.
  this->Clock.start(0);
}

pqDSMPanel::~pqDSMPanel() = default;

// Wide enough for the table and the names of all pages, the first time; then as the user likes it.
void pqDSMPanel::showEvent(QShowEvent* event)
{
  Superclass::showEvent(event);
  auto* window = qobject_cast<QMainWindow*>(this->parentWidget());
  if (!this->Sized && window)
  {
    this->Sized = true;
    window->resizeDocks({ this }, { 66 * this->fontMetrics().averageCharWidth() }, Qt::Horizontal);
  }
}

void pqDSMPanel::look()
{
  this->Looks.begin();
  const bool told = this->Link->poll();
  this->Looks.end();
  if (told)
  {
    const auto picture = [this]
    {
      return std::make_tuple(this->Follower->reader(), this->Follower->shown(),
        this->Follower->skipped(), this->Follower->following(), this->Follower->error());
    };
    const auto before = picture();
    this->Pictures.begin();
    this->Follower->update(this->Link->server(), this->Link->status());
    this->Pictures.end();
    if (picture() != before)
    {
      this->Looks.begin();
      this->display();
      this->Looks.end();
    }
  }
  ++this->LookCount;
  this->Clock.start(Pause);
}

void pqDSMPanel::adoptProxy()
{
  this->Follower->forget();
  this->Activity->clear();
  this->Settings->setProxy(this->Link->proxy());
}

void pqDSMPanel::display()
{
  const auto& status = this->Link->status();
  this->Head->show(*this->Link);
  this->Head->showError(*this->Link, this->Follower->error());
  this->Snapshots->show(status);
  this->Contents->show(this->Follower->reader());
  this->Settings->show(status.running());
  this->Activity->show(status);
  this->Steering->look();
  this->Keeper.look(*this->Follower, *this->Link);
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
  return this->Head->errorText();
}
