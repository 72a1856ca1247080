// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMComparedReaders.h"

#include "pqDSMComparison.h"
#include "pqDSMStream.h"

#include <pqPipelineSource.h>
#include <vtkSMSourceProxy.h>

bool pqDSMComparedReaders::update(
  const std::vector<pqPipelineSource*>& all, const QVector<pqDSMStreams::Group>& groups)
{
  QHash<QString, qint64> newest;
  for (const auto& group : groups)
  {
    newest[pqDSMComparison::pattern(group)] = group.newest();
  }
  QHash<QString, qint64> compared;
  std::vector<vtkSMSourceProxy*> readers;
  bool isNew = false;
  for (auto* reader : all)
  {
    const QString pattern = pqDSMStream::pattern(reader);
    if (pqDSMComparison::isPattern(pattern))
    {
      readers.push_back(reader->getSourceProxy());
      compared[pattern] = newest.value(pattern);
      isNew = isNew || this->Newest.value(pattern) != compared[pattern];
    }
  }
  this->Newest = compared;
  for (auto* reader : isNew ? readers : std::vector<vtkSMSourceProxy*>())
  {
    reader->InvokeCommand("Refresh");
    reader->MarkModified(reader);
    reader->UpdatePipelineInformation();
  }
  return isNew;
}
