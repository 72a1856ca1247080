// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSampledArray.h"

#include "pqDSMTrace.h"

#include <pqOutputPort.h>
#include <pqPipelineSource.h>
#include <pqServer.h>
#include <pqTimeKeeper.h>
#include <pqUndoStack.h>
#include <vtkDataObject.h>
#include <vtkSMPropertyHelper.h>
#include <vtkSMSessionProxyManager.h>
#include <vtkSMSourceProxy.h>

#include <QJsonDocument>

namespace
{
void SetInput(vtkSMProxy* proxy, const char* name, const pqOutputPort* port)
{
  vtkSMPropertyHelper input(proxy, name);
  input.RemoveAllValues();
  if (port)
  {
    input.Set(port->getSource()->getProxy(), static_cast<unsigned int>(port->getPortNumber()));
  }
}

// Returns the expression for a source in scripts.
QString Traced(const pqOutputPort* port)
{
  const QString source =
    QString("FindSource(%1)").arg(pqDSMTrace::quoted(port->getSource()->getSMName()));
  return port->getPortNumber() == 0
    ? source
    : QString("OutputPort(%1, %2)").arg(source).arg(port->getPortNumber());
}
}

pqDSMSampledArray::pqDSMSampledArray(
  pqServer* server, vtkSMProxy* hosts, const QString& program, const QString& parameter)
  : Server(server)
{
  SCOPED_UNDO_EXCLUDE();
  this->Proxy.TakeReference(server->proxyManager()->NewProxy("misc", "DSMSampledArray"));
  if (this->Proxy)
  {
    vtkSMPropertyHelper(this->Proxy, "Server").Set(hosts);
    vtkSMPropertyHelper(this->Proxy, "Program").Set(program.toUtf8().constData());
    vtkSMPropertyHelper(this->Proxy, "Parameter").Set(parameter.toUtf8().constData());
    vtkSMPropertyHelper(this->Proxy, "HasTime").Set(1);
    this->Proxy->UpdateVTKObjects();
  }
}

QString pqDSMSampledArray::sample(const Choice& choice)
{
  this->Description = {};
  this->Stored.clear();
  if (!choice.Source || !this->Server)
  {
    return QObject::tr("Choose a source.");
  }
  SCOPED_UNDO_EXCLUDE();
  SetInput(this->Proxy, "Input", choice.Source);
  SetInput(this->Proxy, "Grid", choice.Grid);
  vtkSMPropertyHelper(this->Proxy, "Array")
    .SetInputArrayToProcess(choice.Association, choice.Array.toUtf8().constData());
  vtkSMPropertyHelper(this->Proxy, "Coverage").Set(choice.Array.isEmpty() ? 1 : 0);
  vtkSMPropertyHelper(this->Proxy, "Outside").Set(choice.Outside);
  vtkSMPropertyHelper(this->Proxy, "Time").Set(this->Server->getTimeKeeper()->getTime());
  this->Proxy->UpdateVTKObjects();
  QString text;
  const QString error = this->run("Sample", "Description", text);
  this->Description = QJsonDocument::fromJson(text.toUtf8()).object();
  return error;
}

QString pqDSMSampledArray::store()
{
  return this->run("Store", "Stored", this->Stored);
}

QString pqDSMSampledArray::run(const char* command, const char* result, QString& text)
{
  if (!this->Proxy)
  {
    return QObject::tr("ParaView's server has another version of the plugin.");
  }
  SCOPED_UNDO_EXCLUDE();
  this->Proxy->InvokeCommand(command);
  const auto read = [this](const char* name)
  {
    this->Proxy->UpdatePropertyInformation(this->Proxy->GetProperty(name));
    return QString::fromUtf8(vtkSMPropertyHelper(this->Proxy, name).GetAsString());
  };
  text = read(result);
  return read("CommandError");
}

QString pqDSMSampledArray::traced(const QString& parameter, const Choice& choice)
{
  const QString association = choice.Association == vtkDataObject::POINT ? "POINTS"
    : choice.Association == vtkDataObject::CELL                          ? "CELLS"
                                                                         : "ROWS";
  return QString("send(%1, %2, %3, grid=%4, outside=%5)")
    .arg(pqDSMTrace::quoted(parameter), Traced(choice.Source),
      choice.Array.isEmpty()
        ? QString("None")
        : QString("(%1, %2)")
            .arg(pqDSMTrace::quoted(association), pqDSMTrace::quoted(choice.Array)),
      choice.Grid ? Traced(choice.Grid) : QString("None"),
      QString::number(choice.Outside, 'g', 17));
}
