// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMTrace_h
#define pqDSMTrace_h

#include <QJsonObject>
#include <QList>
#include <QString>
#include <QStringList>

#include <functional>

class pqPipelineSource;
class vtkSMProxy;

/// What the panel adds to a Python trace, so that pvbatch can run it: ParaView traces pipelines by
/// itself, and the server is no part of them. Without an active trace these functions do nothing. A
/// server is known by its absolute contact path.
namespace pqDSMTrace
{
/// A text as Python writes it.
QString quoted(QString text);

/// The folder of the Python package paraviewdsm.
QString packageFolder();

/// The server was started with its present settings.
void start(vtkSMProxy* server, const QString& contactPath);
void stop(const QString& contactPath);

/// The server runs. Where a trace has begun since its start, adds that, and the readers that there
/// are: what ParaView traces of these finds them by their names.
void begin(vtkSMProxy* server, const QString& contactPath, const QList<pqPipelineSource*>& readers);

/// All settings but the contact file, as Name=value.
QStringList settings(vtkSMProxy* server);
/// Settings of the running server were changed; `before` are all of them before that.
void changed(vtkSMProxy* server, const QStringList& before);

/// What is traced next needs the next snapshot, or one of a stream: a script must wait for it.
void nextSnapshot(const QString& contactPath, const QString& stream);

/// Newer snapshots are shown. Traced once for as many as come between two things that the user
/// does.
void followed(const QString& contactPath);

/// A change of a running simulation: parameters, or a command with its count (0: none). `call`: a
/// method of paraviewdsm.Server that sets the parameters; empty: they are assigned and applied.
/// `simulation` is empty if there is only one. If the trace began after the server was started,
/// this adds the server's start; the script then waits for its simulation.
void steer(vtkSMProxy* server, const QString& contactPath, const QString& simulation,
  const QJsonObject& set, const QString& command, int count, const QString& call);

/// A file was brought back from disk, under a name.
void restore(
  vtkSMProxy* server, const QString& contactPath, const QString& path, const QString& name);

/// Makes a comparison, with these arguments in Python: traced as that, and not by what it is made
/// of. `make` returns whether there is one.
void compare(
  const QString& contactPath, const QString& arguments, const std::function<bool()>& make);

/// The animation scene has gone to the newest snapshot.
void toNewest();
}

#endif
