// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMStake.h"

#include "pqDSMText.h"

#include <QObject>
#include <QStringList>

QString pqDSMStake::text() const
{
  QStringList sentences;
  if (!this->Writers.isEmpty())
  {
    sentences << QObject::tr("A simulation is connected: %1.").arg(this->Writers);
  }
  if (this->Unsaved > 0)
  {
    sentences << (this->Unsaved == 1 ? QObject::tr("%1 snapshot (%2) is not saved.")
                                     : QObject::tr("%1 snapshots (%2) are not saved."))
                   .arg(this->Unsaved)
                   .arg(pqDSMText::bytes(this->UnsavedSize));
  }
  return sentences.join("\n");
}
