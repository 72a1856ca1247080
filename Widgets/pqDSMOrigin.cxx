// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMOrigin.h"

#include <QObject>

QString pqDSMOrigin::label(const pqDSMStreams::Group& group)
{
  const auto& run = group.Origin;
  if (run.FromRun == 0)
  {
    return {};
  }
  const QString stream =
    run.FromStream == group.Stream ? QObject::tr("a previous run") : run.FromStream;
  return (run.FromProgram == run.Program ? QObject::tr("branch from step %2 of %1")
                                         : QObject::tr("started from step %2 of %1"))
    .arg(stream)
    .arg(run.FromStep, 0, 'g', 8);
}

QString pqDSMOrigin::details(const pqDSMStreams::Group& group)
{
  const auto& run = group.Origin;
  if (run.FromRun == 0)
  {
    return {};
  }
  QString text = QObject::tr("Run %1 (%2) started from snapshot %3 of run %4 (%5):\n%6")
                   .arg(run.Number)
                   .arg(run.Program)
                   .arg(run.FromSnapshot)
                   .arg(run.FromRun)
                   .arg(run.FromProgram, run.FromFile);
  if (!run.Changed.empty())
  {
    text += QObject::tr("\nParameters changed since then:\n%1").arg(run.Changed.join("\n"));
  }
  return text;
}
