// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMLog.h"

#include <vtkCallbackCommand.h>
#include <vtkNew.h>
#include <vtkObject.h>
#include <vtkSMProxy.h>

#include <QtDebug>

void pqDSMLog::note(const QString& text)
{
  qInfo("DSM: %s", qUtf8Printable(text));
}

void pqDSMLog::takeErrors(vtkSMProxy* proxy)
{
  auto* object = proxy ? vtkObject::SafeDownCast(proxy->GetClientSideObject()) : nullptr;
  if (!object || object->HasObserver(vtkCommand::ErrorEvent))
  {
    return;
  }
  vtkNew<vtkCallbackCommand> taker;
  taker->SetCallback([](vtkObject*, unsigned long, void*, void* text)
    { note(QString::fromUtf8(static_cast<const char*>(text)).trimmed()); });
  object->AddObserver(vtkCommand::ErrorEvent, taker);
}
