// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMWatchedServers.h"

#include <pqApplicationCore.h>
#include <pqServer.h>
#include <pqSettings.h>

#include <QFileInfo>

namespace
{
const char* const Key = "DSM/WatchedServers";
constexpr qsizetype Most = 8;

QStringList All()
{
  return pqApplicationCore::instance()->settings()->value(Key).toStringList();
}
}

void pqDSMWatchedServers::add(const QString& contact)
{
  QStringList all = All();
  all.removeAll(contact);
  all.prepend(contact);
  pqApplicationCore::instance()->settings()->setValue(Key, all.mid(0, Most));
}

QStringList pqDSMWatchedServers::present(pqServer* server)
{
  QStringList all = All();
  if (server && !server->isRemote())
  {
    all.removeIf([](const QString& contact) { return !QFileInfo::exists(contact); });
  }
  return all;
}
