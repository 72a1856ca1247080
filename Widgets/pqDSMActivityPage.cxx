// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMActivityPage.h"

#include "pqDSMHostChart.h"
#include "pqDSMPlot.h"

#include <QVBoxLayout>

pqDSMActivityPage::pqDSMActivityPage(QWidget* parent)
  : Superclass(parent)
  , Rate(new pqDSMPlot(tr("Write rate, each file"), tr("MB/s"), 0, this))
  , Blocked(new pqDSMPlot(tr("Simulation held up, each file"), tr("ms"), 0, this))
  , Fill(new pqDSMPlot(tr("Memory in use"), tr("%"), 100, this))
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
      this->Blocked->add(1000 * snapshot.BlockedSeconds);
      if (snapshot.WriteSeconds > 0)
      {
        this->Rate->add(static_cast<double>(snapshot.Bytes) / snapshot.WriteSeconds / 1e6);
      }
    }
  }
  if (status.MemoryBudget > 0)
  {
    this->Fill->add(
      100.0 * static_cast<double>(status.MemoryUsed) / static_cast<double>(status.MemoryBudget));
  }
  this->Hosts->show(status.HostBytes);
}
