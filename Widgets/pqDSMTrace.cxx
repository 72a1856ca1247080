// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMTrace.h"

#include <vtkSMDoubleVectorProperty.h>
#include <vtkSMProperty.h>
#include <vtkSMPropertyHelper.h>
#include <vtkSMPropertyIterator.h>
#include <vtkSMProxy.h>
#include <vtkSMStringVectorProperty.h>
#include <vtkSMTrace.h>
#include <vtkSMVectorProperty.h>

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QString>
#include <QStringList>

#include <cstring>
#include <dlfcn.h>

namespace
{
constexpr const char* Started = "dsm = paraviewdsm.start(";

void Add(const char* comment, const QString& text)
{
  if (vtkSMTrace::GetActiveTracer())
  {
    const std::string line = text.toStdString();
    SM_SCOPED_TRACE(TraceText).arg(line.c_str()).arg("comment", comment);
  }
}

QString Quoted(QString text)
{
  return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
}

QString AsPython(const QJsonValue& value)
{
  if (value.isBool())
  {
    return value.toBool() ? "True" : "False";
  }
  // Numbers, strings and lists are the same in JSON.
  const auto array = QJsonDocument(QJsonArray{ value }).toJson(QJsonDocument::Compact);
  return QString::fromUtf8(array.mid(1, array.size() - 2));
}

// The folder of the Python package: the one above the plugin's.
QString PackageFolder()
{
  Dl_info here{};
  if (!dladdr(reinterpret_cast<const void*>(&pqDSMTrace::start), &here) || !here.dli_fname)
  {
    return {};
  }
  QDir folder = QFileInfo(QString::fromLocal8Bit(here.dli_fname)).canonicalPath();
  folder.cdUp();
  return folder.absolutePath();
}

// Name=value, of settings that are not their defaults or of all.
QStringList Settings(vtkSMProxy* server, bool all)
{
  QStringList settings;
  vtkSmartPointer<vtkSMPropertyIterator> each =
    vtkSmartPointer<vtkSMPropertyIterator>::Take(server->NewPropertyIterator());
  for (each->Begin(); !each->IsAtEnd(); each->Next())
  {
    auto* property = vtkSMVectorProperty::SafeDownCast(each->GetProperty());
    if (!property || property->GetInformationOnly() || (!all && property->IsValueDefault()) ||
      std::strcmp(property->GetPanelVisibility(), "never") == 0 ||
      std::strcmp(each->GetKey(), "ContactFile") == 0)
    {
      continue;
    }
    const vtkSMPropertyHelper helper(property);
    const QString value = vtkSMStringVectorProperty::SafeDownCast(property)
      ? Quoted(QString::fromUtf8(helper.GetAsString()))
      : vtkSMDoubleVectorProperty::SafeDownCast(property)
      ? QString::number(helper.GetAsDouble(), 'g', 17)
      : QString::number(helper.GetAsIdType());
    settings << QString("%1=%2").arg(each->GetKey(), value);
  }
  return settings;
}
}

void pqDSMTrace::start(vtkSMProxy* server, const QString& contactPath)
{
  if (vtkSMTrace::GetActiveTracer())
  {
    // Absolute, as the readers in the trace have it.
    const QStringList settings =
      QStringList("ContactFile=" + Quoted(contactPath)) + Settings(server, false);
    Add("lend memory to simulations",
      QString("import sys\nsys.path.append(%1)\nimport paraviewdsm\nparaviewdsm.load()\n"
              "from paraview.simple import *  # now with those of the plugin\n"
              "%2%3)")
        .arg(Quoted(PackageFolder()), Started, settings.join(", ")));
  }
}

void pqDSMTrace::stop()
{
  // In a script that is when the simulation has ended.
  Add("take the memory back when the simulation has ended",
    "while dsm.wait() is not None:\n    GetAnimationScene().GoToLast()\n    "
    "RenderAllViews()\ndsm.stop()");
}

QStringList pqDSMTrace::settings(vtkSMProxy* server)
{
  return Settings(server, true);
}

void pqDSMTrace::changed(vtkSMProxy* server, const QStringList& before)
{
  auto* tracer = vtkSMTrace::GetActiveTracer();
  // A trace that does not start the server yet will do so with the settings then.
  if (!tracer || !QString::fromStdString(tracer->GetCurrentTrace()).contains(Started))
  {
    return;
  }
  QStringList now = Settings(server, true);
  now.removeIf([&before](const QString& one) { return before.contains(one); });
  Add("change settings of the server", QString("dsm.change(%1)").arg(now.join(", ")));
}

void pqDSMTrace::steer(vtkSMProxy* server, const QString& contactPath, const QString& simulation,
  const QJsonObject& set, const QString& command, int count)
{
  auto* tracer = vtkSMTrace::GetActiveTracer();
  if (!tracer)
  {
    return;
  }
  if (!QString::fromStdString(tracer->GetCurrentTrace()).contains(Started))
  {
    start(server, contactPath);
  }
  const QString steering =
    simulation.isEmpty() ? "dsm.steering()" : QString("dsm.steering(%1)").arg(Quoted(simulation));
  const QString on = simulation.isEmpty() ? "dsm" : steering;
  // After a stop the script waits again, for the next run.
  const QString trace = QString::fromStdString(tracer->GetCurrentTrace());
  const QString wait = steering + ".wait_for_simulation(timeout=600)";
  const auto lastWait = trace.lastIndexOf(wait);
  if (lastWait < 0 || lastWait < trace.lastIndexOf(on + ".command('stop')"))
  {
    Add("wait for the simulation", wait);
  }
  QStringList lines;
  for (auto each = set.begin(); each != set.end(); ++each)
  {
    lines << QString("%1.parameters[%2] = %3").arg(on, Quoted(each.key()), AsPython(each.value()));
  }
  if (!set.isEmpty())
  {
    lines << on + ".apply()";
  }
  if (command == "advance")
  {
    // The user did what follows after these steps.
    lines << QString("%1.advance(%2, wait=True)").arg(on).arg(count);
  }
  else if (!command.isEmpty())
  {
    lines << QString("%1.command(%2%3)")
               .arg(on, Quoted(command), count > 0 ? ", " + QString::number(count) : QString());
  }
  Add("change the running simulation", lines.join('\n'));
}

void pqDSMTrace::toNewest()
{
  Add("go to its time", "GetAnimationScene().GoToLast()\nRenderAllViews()");
}

void pqDSMTrace::nextSnapshot()
{
  Add("wait for what the simulation writes next", "dsm.wait()");
}
