// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMTrace_h
#define pqDSMTrace_h

#include <QJsonObject>
#include <QString>
#include <QStringList>

class vtkSMProxy;

/// What the panel adds to a Python trace, so that pvbatch can run it. ParaView traces pipelines by
/// itself; the server is no pipeline. Nothing happens while there is no trace.
namespace pqDSMTrace
{
/// The server has started, with the settings of this moment.
void start(vtkSMProxy* server, const QString& contactPath);
void stop();

/// All settings but the contact file, as Name=value.
QStringList settings(vtkSMProxy* server);
/// Settings of the running server were these and were changed, unless it refused.
void changed(vtkSMProxy* server, const QStringList& before);

/// The pipeline that is traced next shows the next snapshot: a script must wait for it.
void nextSnapshot();

/// A change of a running simulation: parameters, or a command with its count (0: none).
/// `simulation` is empty where there is only one. A trace that began later than the server starts
/// it first, and a script waits for its simulation.
void steer(vtkSMProxy* server, const QString& contactPath, const QString& simulation,
  const QJsonObject& set, const QString& command, int count);

/// The scene has gone to the newest snapshot.
void toNewest();
}

#endif
