// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSnapshotPage.h"

#include "pqDSMFollower.h"
#include "pqDSMSnapshotModel.h"

#include <pqApplicationCore.h>
#include <pqSettings.h>

#include <QButtonGroup>
#include <QCheckBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

namespace
{
const char* const AutomaticKey = "DSM/ShowFirstSnapshot";
}

pqDSMSnapshotPage::pqDSMSnapshotPage(pqDSMFollower* follower, QWidget* parent)
  : Superclass(parent)
  , Follower(follower)
  , Snapshots(new pqDSMSnapshotModel(this))
  , Follow(new QToolButton(this))
  , Hold(new QToolButton(this))
  , Automatic(new QCheckBox(tr("Show the first snapshot by itself"), this))
  , Table(new QTableView(this))
  , Counts(new QLabel(this))
{
  this->setObjectName("snapshots");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(6, 6, 6, 6);
  column->addWidget(this->makeChoice());

  this->Automatic->setObjectName("automatic");
  this->Automatic->setToolTip(
    tr("Make a reader and a picture when the first snapshot arrives. Otherwise click a row"));
  this->Automatic->setChecked(
    pqApplicationCore::instance()->settings()->value(AutomaticKey, true).toBool());
  this->Follower->setAutomatic(this->Automatic->isChecked());
  QObject::connect(this->Automatic, &QCheckBox::toggled, this,
    [this](bool on)
    {
      this->Follower->setAutomatic(on);
      pqApplicationCore::instance()->settings()->setValue(AutomaticKey, on);
    });
  column->addWidget(this->Automatic);

  this->makeTable();
  column->addWidget(this->Table, 1);

  this->Counts->setObjectName("counts");
  this->Counts->setWordWrap(true);
  this->Counts->setToolTip(
    tr("Skipped: newer ones had come while a picture was made. Left unseen: nobody had looked at "
       "them when they went to make room"));
  column->addWidget(this->Counts);
}

QWidget* pqDSMSnapshotPage::makeChoice()
{
  auto* choice = new QWidget(this);
  auto* row = new QHBoxLayout(choice);
  row->setContentsMargins(0, 0, 0, 0);
  this->Follow->setObjectName("follow");
  this->Follow->setText(tr("Follow newest"));
  this->Follow->setToolTip(tr("Show each new snapshot as it arrives"));
  this->Hold->setObjectName("hold");
  this->Hold->setText(tr("Hold"));
  this->Hold->setToolTip(tr("Keep the picture, and what it shows in memory. Click a row, or use "
                            "ParaView's time controls, to go through what is there"));
  auto* group = new QButtonGroup(choice);
  for (auto* button : { this->Follow, this->Hold })
  {
    button->setCheckable(true);
    group->addButton(button);
    row->addWidget(button);
  }
  this->Follow->setChecked(true);
  row->addStretch(1);
  QObject::connect(
    this->Follow, &QToolButton::clicked, this, [this] { this->Follower->setFollowing(true); });
  QObject::connect(
    this->Hold, &QToolButton::clicked, this, [this] { this->Follower->setFollowing(false); });
  QObject::connect(this->Follower, &pqDSMFollower::followingChanged, this,
    [this](bool following) { (following ? this->Follow : this->Hold)->setChecked(true); });
  return choice;
}

void pqDSMSnapshotPage::makeTable()
{
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
  QObject::connect(
    this->Snapshots, &pqDSMSnapshotModel::pinRequested, this, &pqDSMSnapshotPage::pinRequested);
  QObject::connect(this->Table, &QTableView::clicked, this,
    [this](const QModelIndex& index)
    {
      if (index.column() != pqDSMSnapshotModel::Pin)
      {
        this->Follower->pick(this->Snapshots->numberAt(index));
        Q_EMIT this->picked();
      }
    });
}

void pqDSMSnapshotPage::show(const pqDSMStatus& status)
{
  this->Snapshots->show(status.Snapshots);
  this->Snapshots->setShown(this->Follower->shown());
  QStringList counts;
  if (status.running())
  {
    counts << (status.Sealed == 1 ? tr("1 received") : tr("%1 received").arg(status.Sealed))
           << tr("skipped %1").arg(this->Follower->skipped());
    if (status.Dropped > 0)
    {
      counts << tr("%1 left unseen").arg(status.Dropped);
    }
  }
  this->Counts->setText(counts.join(", "));
}
