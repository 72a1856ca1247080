// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMActivityPage.h"

#include "pqDSMHistory.h"
#include "pqDSMHostChart.h"

#include <QDateTime>
#include <QVBoxLayout>

pqDSMActivityPage::pqDSMActivityPage(QWidget* parent)
  : Superclass(parent)
  , Rate(new pqDSMHistory(tr("Write rate, each file"), tr("MB/s"), 0, this))
  , Blocked(new pqDSMHistory(tr("Simulation held up, each file"), tr("ms"), 0, this))
  , Fill(new pqDSMHistory(tr("Memory in use"), tr("%"), 100, this))
  , Hosts(new pqDSMHostChart(this))
{
  this->setObjectName("activity");
  this->Rate->setToolTip(
    tr("Size of each file, divided by the time that the simulation's slowest process "
       "spent in writing it. The newest file is on the right"));
  this->Blocked->setToolTip(tr("How long each file kept the simulation's slowest process from "
                               "computing: opening, writing and closing it, and waiting for "
                               "room in memory"));
  this->Fill->setToolTip(tr("How full the memory is that ParaView lends. It stays full when old "
                            "snapshots go only to make room for new ones"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(6, 6, 6, 6);
  for (QWidget* each : { static_cast<QWidget*>(this->Rate), static_cast<QWidget*>(this->Blocked),
         static_cast<QWidget*>(this->Fill), static_cast<QWidget*>(this->Hosts) })
  {
    column->addWidget(each);
  }
  this->Rate->setObjectName("rateChart");
  this->Blocked->setObjectName("blockedChart");
  this->Fill->setObjectName("memoryChart");
}

void pqDSMActivityPage::clear()
{
  this->Rate->clear();
  this->Blocked->clear();
  this->Fill->clear();
  this->Hosts->show({});
  this->LastNumber = 0;
}

void pqDSMActivityPage::show(const pqDSMStatus& status)
{
  if (!status.running())
  {
    this->LastNumber = 0;
    return;
  }
  if (status.SnapshotsSealed < this->LastNumber)
  {
    this->clear(); // the server was started again
  }
  for (const auto& snapshot : status.Snapshots)
  {
    if (snapshot.Number > this->LastNumber)
    {
      this->LastNumber = snapshot.Number;
      const auto place = static_cast<double>(snapshot.Number);
      const QString where = tr("file %1").arg(snapshot.Number);
      this->Blocked->add(place, 1000 * snapshot.BlockedSeconds, where);
      if (snapshot.WriteSeconds > 0)
      {
        this->Rate->add(
          place, static_cast<double>(snapshot.Bytes) / snapshot.WriteSeconds / 1e6, where);
      }
    }
  }
  if (status.MemoryBudget > 0)
  {
    const QDateTime now = QDateTime::currentDateTime();
    this->Fill->add(static_cast<double>(now.toMSecsSinceEpoch()),
      100.0 * static_cast<double>(status.MemoryUsed) / static_cast<double>(status.MemoryBudget),
      now.toString("hh:mm:ss"));
  }
  this->Hosts->show(status.HostBytes);
}
