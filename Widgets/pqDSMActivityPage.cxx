// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMActivityPage.h"

#include "pqDSMHistory.h"
#include "pqDSMHostChart.h"
#include "pqDSMText.h"

#include <QDateTime>
#include <QVBoxLayout>

pqDSMActivityPage::pqDSMActivityPage(QWidget* parent)
  : Superclass(parent)
  , Rate(new pqDSMHistory(tr("Write rate per file"), tr("MB/s"), 0, this))
  , Blocked(new pqDSMHistory(tr("Time blocked per file"), tr("ms"), 0, this))
  , Fill(new pqDSMHistory(tr("Memory in use"), tr("%"), 100, this))
  , Hosts(new pqDSMHostChart(this))
{
  this->setObjectName("activity");
  this->Rate->setToolTip(
    pqDSMText::tip(tr("Shows the size of each file, divided by the time that the slowest rank of "
                      "the simulation needed to write it (newest at right).")));
  this->Blocked->setToolTip(
    pqDSMText::tip(tr("Shows for how long each file blocked the slowest rank of the simulation: to "
                      "open, write and close the file, and to wait for room in memory.")));
  this->Fill->setToolTip(
    pqDSMText::tip(tr("Shows how much of the shared memory is in use. Stays near 100 % once old "
                      "snapshots are being replaced.")));
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
