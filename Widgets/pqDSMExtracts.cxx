// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMExtracts.h"

#include <pqServer.h>
#include <vtkSMSessionProxyManager.h>

pqDSMExtracts::pqDSMExtracts(QObject* parent)
  : Superclass(parent)
{
}

pqDSMExtracts::~pqDSMExtracts() = default;

void pqDSMExtracts::setFolder(const QString& folder)
{
  this->Folder = folder;
  this->Controller = vtkSmartPointer<vtkSMExtractsController>::New();
  this->Controller->SetExtractsOutputDirectory(folder.toUtf8().constData());
  this->Controller->SetTimeStep(0);
  this->Shown.clear();
}

void pqDSMExtracts::take(pqServer* server, const QVector<qint64>& shown, double time)
{
  if (this->Folder.isEmpty() || !server || shown == this->Shown)
  {
    return;
  }
  const bool first = this->Shown.isEmpty();
  this->Shown = shown;
  if (!first)
  {
    this->Controller->SetTimeStep(this->Controller->GetTimeStep() + 1);
  }
  this->Controller->SetTime(time);
  this->Controller->Extract(server->proxyManager());
}
