// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSeparateChoice.h"

#include <pqApplicationCore.h>
#include <pqSettings.h>
#include <vtkSMPropertyHelper.h>
#include <vtkSMProxy.h>

namespace
{
const char* const Key = "DSM/KeepDataIfParaViewExits";
}

void pqDSMSeparateChoice::remember(vtkSMProxy* server)
{
  const bool separate = vtkSMPropertyHelper(server, "Separate").GetAsInt() != 0;
  auto* settings = pqApplicationCore::instance()->settings();
  if (settings->value(Key, false).toBool() != separate)
  {
    settings->setValue(Key, separate);
  }
}

void pqDSMSeparateChoice::apply(vtkSMProxy* server)
{
  if (pqApplicationCore::instance()->settings()->value(Key, false).toBool())
  {
    vtkSMPropertyHelper(server, "Separate").Set(1);
    server->UpdateVTKObjects();
  }
}
