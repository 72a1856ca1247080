// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMPanel.h"

#include "pqDSMActivity.h"
#include "pqDSMFollower.h"
#include "pqDSMLink.h"
#include "pqDSMSnapshotModel.h"
#include "pqDSMStateLine.h"
#include "pqDSMText.h"

#include <pqApplicationCore.h>
#include <pqProxyWidget.h>
#include <pqSettings.h>
#include <vtkSMProxy.h>

#include <QApplication>
#include <QButtonGroup>
#include <QCheckBox>
#include <QClipboard>
#include <QElapsedTimer>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMainWindow>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

namespace
{
// Often enough to look live, seldom enough to cost nothing.
constexpr int Pause = 250; // ms

const char* const AutomaticKey = "DSM/ShowFirstSnapshot";
}

pqDSMPanel::pqDSMPanel(QWidget* parent, Qt::WindowFlags flags)
  : Superclass(tr("DSM"), parent, flags)
  , Link(new pqDSMLink(this))
  , Follower(new pqDSMFollower(this))
  , Snapshots(new pqDSMSnapshotModel(this))
{
  this->setObjectName("pqDSMPanel");
  auto* body = new QWidget(this);
  body->setObjectName("body");
  // Below this the table is of no use.
  body->setMinimumWidth(48 * this->fontMetrics().averageCharWidth());
  auto* column = new QVBoxLayout(body);
  column->setContentsMargins(6, 6, 6, 6);
  column->addWidget(this->makeHead());
  auto* tabs = new QTabWidget(body);
  tabs->setObjectName("tabs");
  tabs->addTab(this->makeSnapshots(), tr("Snapshots"));
  tabs->addTab(this->makeSettings(), tr("Settings"));
  this->Activity = new pqDSMActivity(tabs);
  tabs->addTab(this->Activity, tr("Activity"));
  column->addWidget(tabs, 1);
  this->setWidget(body);

  this->connectAll();
  this->Clock.setSingleShot(true);
  // ParaView reads the plugin's XML after it has made the dock.
  this->Clock.start(0);
}

pqDSMPanel::~pqDSMPanel() = default;

QWidget* pqDSMPanel::makeHead()
{
  auto* head = new QWidget(this);
  head->setObjectName("head");
  auto* column = new QVBoxLayout(head);
  column->setContentsMargins(0, 0, 0, 0);

  this->State = new pqDSMStateLine(head);
  this->State->setObjectName("state");
  column->addWidget(this->State);

  auto* buttons = new QHBoxLayout;
  this->Start = new QPushButton(tr("Start"), head);
  this->Start->setObjectName("start");
  this->Start->setToolTip(tr("Lend this ParaView's memory to simulations, and write the contact "
                             "file by which they find it"));
  this->Stop = new QPushButton(tr("Stop"), head);
  this->Stop->setObjectName("stop");
  this->Stop->setToolTip(tr("Take memory and contact file away. Simulations are told; what is "
                            "shown stays until its pipeline is updated"));
  buttons->addWidget(this->Start);
  buttons->addWidget(this->Stop);
  column->addLayout(buttons);

  this->Launch = new QFrame(head);
  this->Launch->setObjectName("launch");
  static_cast<QFrame*>(this->Launch)->setFrameShape(QFrame::StyledPanel);
  auto* launch = new QHBoxLayout(this->Launch);
  launch->setContentsMargins(6, 4, 4, 4);
  this->LaunchLine = new QLabel(this->Launch);
  this->LaunchLine->setObjectName("launchLine");
  this->LaunchLine->setWordWrap(true);
  this->LaunchLine->setTextFormat(Qt::PlainText);
  this->LaunchLine->setToolTip(tr("Start your simulation in a terminal by this line, with your own "
                                  "program and number of ranks"));
  this->Copy = new QToolButton(this->Launch);
  this->Copy->setObjectName("copy");
  this->Copy->setText(tr("Copy"));
  this->Copy->setToolTip(tr("Copy the line"));
  launch->addWidget(this->LaunchLine, 1);
  launch->addWidget(this->Copy, 0, Qt::AlignTop);
  column->addWidget(this->Launch);

  this->ErrorBox = new QFrame(head);
  this->ErrorBox->setObjectName("errorBox");
  this->ErrorBox->setStyleSheet("#errorBox { border: 1px solid #d23c32; border-radius: 3px; }");
  auto* error = new QHBoxLayout(this->ErrorBox);
  error->setContentsMargins(6, 4, 2, 4);
  this->ErrorText = new QLabel(this->ErrorBox);
  this->ErrorText->setObjectName("errorText");
  this->ErrorText->setWordWrap(true);
  this->ErrorText->setTextFormat(Qt::PlainText);
  this->ErrorText->setTextInteractionFlags(Qt::TextSelectableByMouse);
  this->Dismiss = new QToolButton(this->ErrorBox);
  this->Dismiss->setObjectName("dismiss");
  this->Dismiss->setText(QString(QChar(0x00d7)));
  this->Dismiss->setAutoRaise(true);
  this->Dismiss->setToolTip(tr("Seen"));
  error->addWidget(this->ErrorText, 1);
  error->addWidget(this->Dismiss, 0, Qt::AlignTop);
  column->addWidget(this->ErrorBox);

  this->Memory = new QProgressBar(head);
  this->Memory->setObjectName("memory");
  this->Memory->setRange(0, 1000);
  column->addWidget(this->Memory);
  return head;
}

QWidget* pqDSMPanel::makeSnapshots()
{
  auto* page = new QWidget(this);
  page->setObjectName("snapshots");
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(6, 6, 6, 6);

  auto* row = new QHBoxLayout;
  this->Follow = new QToolButton(page);
  this->Follow->setObjectName("follow");
  this->Follow->setText(tr("Follow newest"));
  this->Follow->setToolTip(tr("Show each new snapshot as it arrives"));
  this->Hold = new QToolButton(page);
  this->Hold->setObjectName("hold");
  this->Hold->setText(tr("Hold"));
  this->Hold->setToolTip(tr("Keep the picture. Click a row, or use ParaView's time controls, to "
                            "go through what is in memory"));
  auto* choice = new QButtonGroup(page);
  for (auto* button : { this->Follow, this->Hold })
  {
    button->setCheckable(true);
    choice->addButton(button);
    row->addWidget(button);
  }
  this->Follow->setChecked(true);
  row->addStretch(1);
  column->addLayout(row);

  this->Automatic = new QCheckBox(tr("Show the first snapshot by itself"), page);
  this->Automatic->setObjectName("automatic");
  this->Automatic->setToolTip(
    tr("Make a reader and a picture when the first snapshot arrives. Otherwise click a row"));
  this->Automatic->setChecked(
    pqApplicationCore::instance()->settings()->value(AutomaticKey, true).toBool());
  this->Follower->setAutomatic(this->Automatic->isChecked());
  column->addWidget(this->Automatic);

  this->Table = new QTableView(page);
  this->Table->setObjectName("table");
  this->Table->setModel(this->Snapshots);
  this->Table->setSelectionBehavior(QAbstractItemView::SelectRows);
  this->Table->setSelectionMode(QAbstractItemView::SingleSelection);
  this->Table->setShowGrid(false);
  this->Table->setAlternatingRowColors(true);
  this->Table->setWordWrap(false);
  this->Table->setTextElideMode(Qt::ElideLeft);
  this->Table->setToolTip(tr("Click a row to show that snapshot"));
  this->Table->verticalHeader()->hide();
  this->Table->verticalHeader()->setDefaultSectionSize(this->fontMetrics().height() + 6);
  auto* header = this->Table->horizontalHeader();
  header->setMinimumSectionSize(24);
  header->setSectionResizeMode(QHeaderView::ResizeToContents);
  header->setSectionResizeMode(pqDSMSnapshotModel::File, QHeaderView::Stretch);
  column->addWidget(this->Table, 1);

  this->Counts = new QLabel(page);
  this->Counts->setObjectName("counts");
  this->Counts->setWordWrap(true);
  column->addWidget(this->Counts);
  return page;
}

QWidget* pqDSMPanel::makeSettings()
{
  auto* scroll = new QScrollArea(this);
  scroll->setObjectName("settingsScroll");
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  auto* page = new QWidget(scroll);
  page->setObjectName("settings");
  this->SettingsLayout = new QVBoxLayout(page);
  this->SettingsLayout->setContentsMargins(6, 6, 6, 6);
  this->SettingsNote = new QLabel(page);
  this->SettingsNote->setObjectName("settingsNote");
  this->SettingsNote->setWordWrap(true);
  this->SettingsLayout->addWidget(this->SettingsNote);
  this->SettingsLayout->addStretch(1);
  scroll->setWidget(page);
  return scroll;
}

void pqDSMPanel::connectAll()
{
  QObject::connect(&this->Clock, &QTimer::timeout, this, &pqDSMPanel::look);
  QObject::connect(this->Link, &pqDSMLink::proxyChanged, this, &pqDSMPanel::showSettings);
  QObject::connect(this->Link, &pqDSMLink::statusChanged, this, &pqDSMPanel::display);
  QObject::connect(this->Start, &QPushButton::clicked, this->Link, &pqDSMLink::start);
  QObject::connect(this->Stop, &QPushButton::clicked, this->Link, &pqDSMLink::stop);
  QObject::connect(this->Copy, &QToolButton::clicked, this,
    [this]
    {
      QApplication::clipboard()->setText(this->Link->status().LaunchCommand);
      this->Copy->setText(tr("Copied"));
      QTimer::singleShot(1500, this->Copy, [this] { this->Copy->setText(tr("Copy")); });
    });
  QObject::connect(this->Dismiss, &QToolButton::clicked, this,
    [this]
    {
      this->Dismissed = this->ErrorText->text();
      this->ErrorBox->hide();
    });
  QObject::connect(this->Snapshots, &pqDSMSnapshotModel::pinRequested, this->Link, &pqDSMLink::pin);
  QObject::connect(this->Table, &QTableView::clicked, this,
    [this](const QModelIndex& index)
    {
      if (index.column() != pqDSMSnapshotModel::Pin)
      {
        this->Follower->pick(this->Snapshots->numberAt(index));
        this->display();
      }
    });
  QObject::connect(
    this->Follow, &QToolButton::clicked, this, [this] { this->Follower->setFollowing(true); });
  QObject::connect(
    this->Hold, &QToolButton::clicked, this, [this] { this->Follower->setFollowing(false); });
  QObject::connect(
    this->Follower, &pqDSMFollower::followingChanged, this, &pqDSMPanel::setFollowing);
  QObject::connect(this->Automatic, &QCheckBox::toggled, this,
    [this](bool on)
    {
      this->Follower->setAutomatic(on);
      pqApplicationCore::instance()->settings()->setValue(AutomaticKey, on);
    });
}

void pqDSMPanel::setFollowing(bool following)
{
  (following ? this->Follow : this->Hold)->setChecked(true);
}

// Wide enough for the table, the first time; then as the user likes it.
void pqDSMPanel::showEvent(QShowEvent* event)
{
  Superclass::showEvent(event);
  auto* window = qobject_cast<QMainWindow*>(this->parentWidget());
  if (!this->Sized && window)
  {
    this->Sized = true;
    window->resizeDocks({ this }, { 58 * this->fontMetrics().averageCharWidth() }, Qt::Horizontal);
  }
}

void pqDSMPanel::look()
{
  QElapsedTimer clock;
  clock.start();
  if (this->Link->poll())
  {
    this->LongestPoll = std::max(this->LongestPoll, clock.nsecsElapsed() / 1e6);
    this->Follower->update(this->Link->server(), this->Link->status());
    this->display();
  }
  this->Clock.start(Pause);
}

// Another proxy: its widgets, made from the XML alone.
void pqDSMPanel::showSettings()
{
  delete this->Settings;
  this->Settings = nullptr;
  this->Follower->forget();
  this->Activity->clear();
  if (auto* proxy = this->Link->proxy())
  {
    auto* widget = new pqProxyWidget(proxy, this->SettingsNote->parentWidget());
    widget->setObjectName("proxyWidget");
    widget->filterWidgets(true);
    widget->updatePanel();
    // Settings apply when an edit is finished: there is nothing to undo with an Apply button.
    QObject::connect(widget, &pqProxyWidget::changeFinished, widget, &pqProxyWidget::apply);
    this->SettingsLayout->insertWidget(1, widget);
    this->Settings = widget;
  }
}

void pqDSMPanel::display()
{
  const auto& status = this->Link->status();
  const bool running = status.running();
  if (this->Link->pluginMissing())
  {
    this->State->show(tr("Plugin missing"),
      tr("ParaView's server has not loaded the plugin ParaViewDSM. Load it on the remote side of "
         "Tools > Manage Plugins."),
      true);
  }
  else if (!this->Link->proxy())
  {
    this->State->show(tr("Not connected"), tr("There is no ParaView server."), false);
  }
  else
  {
    this->State->show(status);
  }
  this->Start->setEnabled(this->Link->proxy() && !running);
  this->Stop->setEnabled(running);
  this->Launch->setVisible(running);
  this->LaunchLine->setProperty("command", status.LaunchCommand);
  this->LaunchLine->setText(pqDSMText::breakable(status.LaunchCommand));
  this->SettingsNote->setText(running
      ? tr("How files are spread over the hosts can be changed now, and counts from the next file "
           "on. All else counts at the next Start.")
      : tr("A host is a process of ParaView's server that lends memory."));
  this->displayMemory();
  this->displayError();
  this->Snapshots->show(status.Snapshots);
  this->Snapshots->setShown(this->Follower->shown());
  QStringList counts;
  counts << (status.Sealed == 1 ? tr("1 received") : tr("%1 received").arg(status.Sealed))
         << tr("skipped %1").arg(this->Follower->skipped());
  if (status.Dropped > 0)
  {
    counts << tr("%1 left unseen").arg(status.Dropped);
  }
  this->Counts->setText(running ? counts.join(", ") : QString());
  this->Counts->setToolTip(
    tr("Skipped: newer ones had come while a picture was made. Left unseen: nobody had looked at "
       "them when they went to make room"));
  this->Activity->show(status);
}

void pqDSMPanel::displayMemory()
{
  const auto& status = this->Link->status();
  this->Memory->setVisible(status.running());
  if (status.MemoryBudget > 0)
  {
    this->Memory->setValue(static_cast<int>(1000 * status.MemoryUsed / status.MemoryBudget));
    this->Memory->setFormat(tr("%1 of %2 in use")
        .arg(pqDSMText::bytes(status.MemoryUsed), pqDSMText::bytes(status.MemoryBudget)));
    this->Memory->setToolTip(status.Hosts == 1
        ? tr("Memory that ParaView lends to simulations")
        : tr("Memory that the %1 processes of ParaView's server lend to simulations")
            .arg(status.Hosts));
  }
}

void pqDSMPanel::displayError()
{
  const auto& status = this->Link->status();
  const QString error = !status.CommandError.isEmpty() ? status.CommandError
    : !this->Follower->error().isEmpty()               ? this->Follower->error()
                                                       : status.LastError;
  if (error != this->ErrorText->text())
  {
    this->ErrorText->setText(error);
    this->Dismissed.clear();
  }
  this->ErrorBox->setVisible(!error.isEmpty() && error != this->Dismissed);
  // Commands and readers say theirs themselves.
  if (status.LastError != this->Reported)
  {
    this->Reported = status.LastError;
    if (!this->Reported.isEmpty())
    {
      qWarning("DSM: %s", qUtf8Printable(this->Reported));
    }
  }
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
  return this->ErrorText->text();
}
