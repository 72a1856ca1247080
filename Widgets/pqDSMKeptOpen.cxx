// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMKeptOpen.h"

namespace
{
constexpr qint64 Patience = 5000; // ms
}

void pqDSMKeptOpen::update(const pqDSMStatus& status)
{
  const bool isAwaited =
    status.State == "receiving" && status.WaitingSeconds <= 0 && status.Publish == "close";
  const QString file = isAwaited ? status.Receiving.value(0) : QString();
  if (file != this->File || status.SnapshotsSealed != this->Closed)
  {
    this->File = file;
    this->Closed = status.SnapshotsSealed;
    this->Since.start();
  }
}

QString pqDSMKeptOpen::file() const
{
  return !this->File.isEmpty() && this->Since.hasExpired(Patience) ? this->File : QString();
}
