// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMFixedReaders.h"

#include <pqPipelineSource.h>
#include <vtkSMPropertyHelper.h>
#include <vtkSMSourceProxy.h>

namespace
{
bool HasError(vtkSMSourceProxy* reader)
{
  reader->UpdatePropertyInformation(reader->GetProperty("ErrorText"));
  return *vtkSMPropertyHelper(reader, "ErrorText").GetAsString();
}
}

bool pqDSMFixedReaders::isFixed(pqPipelineSource* reader)
{
  return *vtkSMPropertyHelper(reader->getProxy(), "FixedTime").GetAsString();
}

void pqDSMFixedReaders::update(
  const std::vector<pqPipelineSource*>& fixed, const pqDSMStatus& status)
{
  if (pqDSMStatus::isSame(status.Snapshots, this->Seen))
  {
    return;
  }
  this->Seen = status.Snapshots;
  for (auto* reader : fixed)
  {
    auto* proxy = reader->getSourceProxy();
    if (!HasError(proxy))
    {
      continue;
    }
    proxy->InvokeCommand("Refresh");
    proxy->MarkModified(proxy);
    proxy->UpdatePipelineInformation();
    if (!HasError(proxy))
    {
      reader->renderAllViews();
    }
  }
}
