// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMTrace.h"

#include <pqActiveObjects.h>
#include <pqDataRepresentation.h>
#include <pqPipelineSource.h>
#include <pqView.h>
#include <vtkSMDoubleVectorProperty.h>
#include <vtkSMPVRepresentationProxy.h>
#include <vtkSMProperty.h>
#include <vtkSMPropertyHelper.h>
#include <vtkSMPropertyIterator.h>
#include <vtkSMProxy.h>
#include <vtkSMRenderViewProxy.h>
#include <vtkSMStringVectorProperty.h>
#include <vtkSMTrace.h>
#include <vtkSMVectorProperty.h>

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QMap>
#include <QRegularExpression>
#include <QString>
#include <QStringList>

#include <algorithm>
#include <cstring>
#include <dlfcn.h>

namespace
{
// A line that starts a server has this behind the name of its variable.
constexpr const char* Started = " = paraviewdsm.start(";

// A trace has these lines behind the wait for newer snapshots.
constexpr const char* ToNewest = "GetAnimationScene().GoToLast()\nRenderAllViews()";

// The trace up to now; empty if there is none.
QString Trace()
{
  auto* tracer = vtkSMTrace::GetActiveTracer();
  return tracer ? QString::fromStdString(tracer->GetCurrentTrace()) : QString();
}

void Add(const char* comment, const QString& text)
{
  if (vtkSMTrace::GetActiveTracer())
  {
    const std::string line = text.toStdString();
    SM_SCOPED_TRACE(TraceText).arg(line.c_str()).arg("comment", comment);
  }
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

// The variables of the servers that the trace has started, by their contact files.
QMap<QString, QString> Variables()
{
  static const QRegularExpression start(
    "^(dsm\\d*) = paraviewdsm\\.start\\(ContactFile=('(?:[^'\\\\]|\\\\.)*')",
    QRegularExpression::MultilineOption);
  QMap<QString, QString> found;
  for (auto each = start.globalMatch(Trace()); each.hasNext();)
  {
    const auto match = each.next();
    found[match.captured(2)] = match.captured(1);
  }
  return found;
}

bool HasStarted(const QString& contactPath)
{
  return Variables().contains(pqDSMTrace::quoted(contactPath));
}

// The variable of a server, "dsm" of the first and "dsm2" of the next.
QString Variable(const QString& contactPath)
{
  const auto variables = Variables();
  return variables.value(pqDSMTrace::quoted(contactPath),
    variables.empty() ? QString("dsm") : QString("dsm%1").arg(variables.size() + 1));
}

// Whether the trace ends with waits for snapshots, of several servers perhaps, this one among them.
bool EndsWith(const QString& wait)
{
  static const QRegularExpression other("^dsm\\d*\\.wait\\(\\)$");
  const QStringList shown = QString(ToNewest).split('\n');
  QStringList lines = Trace().split('\n');
  std::reverse(lines.begin(), lines.end());
  for (const QString& line : lines)
  {
    if (line == wait)
    {
      return true;
    }
    if (!line.isEmpty() && !line.startsWith('#') && !shown.contains(line) &&
      !other.match(line).hasMatch())
    {
      return false;
    }
  }
  return false;
}

// How a reader is shown, in the views that it is visible in.
QString Shown(pqPipelineSource* reader)
{
  QString lines;
  for (auto* each : reader->getRepresentations(nullptr))
  {
    if (!each->isVisible())
    {
      continue;
    }
    lines += QString("display = Show(reader, GetActiveViewOrCreate(%1))\n")
               .arg(pqDSMTrace::quoted(each->getView()->getViewType()));
    auto* representation = vtkSMPVRepresentationProxy::SafeDownCast(each->getProxy());
    if (!representation || !representation->GetUsingScalarColoring())
    {
      continue;
    }
    const vtkSMPropertyHelper colours(representation, "ColorArrayName");
    lines += QString("display.SetRepresentationType(%1)\nColorBy(display, (%2, %3))\n"
                     "display.RescaleTransferFunctionToDataRange(True, False)\n")
               .arg(pqDSMTrace::quoted(
                      vtkSMPropertyHelper(representation, "Representation").GetAsString()),
                 pqDSMTrace::quoted(colours.GetInputArrayAssociation() == 1 ? "CELLS" : "POINTS"),
                 pqDSMTrace::quoted(colours.GetInputArrayNameToProcess()));
  }
  return lines.trimmed();
}

// Where the user looks from. What ParaView adds at the end of a trace is what has changed since.
void AddCamera()
{
  auto* view = pqActiveObjects::instance().activeView();
  auto* proxy = view ? vtkSMRenderViewProxy::SafeDownCast(view->getProxy()) : nullptr;
  if (!proxy)
  {
    return;
  }
  proxy->SynchronizeCameraProperties();
  QStringList lines("view = GetActiveViewOrCreate('RenderView')");
  for (const char* name : { "CameraPosition", "CameraFocalPoint", "CameraViewUp" })
  {
    const vtkSMPropertyHelper values(proxy, name);
    QStringList numbers;
    for (unsigned int index = 0; index < values.GetNumberOfElements(); ++index)
    {
      numbers << QString::number(values.GetAsDouble(index), 'g', 17);
    }
    lines << QString("view.%1 = [%2]").arg(name, numbers.join(", "));
  }
  Add("the camera", lines.join('\n'));
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
      ? pqDSMTrace::quoted(QString::fromUtf8(helper.GetAsString()))
      : vtkSMDoubleVectorProperty::SafeDownCast(property)
      ? QString::number(helper.GetAsDouble(), 'g', 17)
      : QString::number(helper.GetAsIdType());
    settings << QString("%1=%2").arg(each->GetKey(), value);
  }
  return settings;
}
}

QString pqDSMTrace::quoted(QString text)
{
  return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
}

// The one above the plugin's.
QString pqDSMTrace::packageFolder()
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

void pqDSMTrace::start(vtkSMProxy* server, const QString& contactPath)
{
  if (!vtkSMTrace::GetActiveTracer())
  {
    return;
  }
  // Absolute, as the readers in the trace have it.
  const bool isWatched = vtkSMPropertyHelper(server, "Watched").GetAsInt() != 0;
  const QStringList settings = QStringList("ContactFile=" + pqDSMTrace::quoted(contactPath)) +
    (isWatched ? QStringList("Watching=1") : Settings(server, false));
  const QString imports =
    QString("import sys\nsys.path.append(%1)\nimport paraviewdsm\nparaviewdsm.load()\n"
            "from paraview.simple import *  # now with those of the plugin\n")
      .arg(pqDSMTrace::quoted(packageFolder()));
  Add(isWatched ? "watch the server of another program" : "share memory with simulations",
    (Variables().empty() ? imports : QString()) + Variable(contactPath) + Started +
      settings.join(", ") + ")");
}

void pqDSMTrace::stop(const QString& contactPath)
{
  if (!HasStarted(contactPath))
  {
    return;
  }
  // In a script that is when the simulation has ended.
  Add("show each snapshot that comes, until the simulation has ended (a picture of each: "
      "dsm.follow(lambda number: SaveScreenshot(f'picture.{number:05d}.png'))); then take the "
      "memory back",
    QString("%1.follow()\n%1.stop()").arg(Variable(contactPath)));
}

void pqDSMTrace::begin(
  vtkSMProxy* server, const QString& contactPath, const QList<pqPipelineSource*>& readers)
{
  if (!vtkSMTrace::GetActiveTracer() || HasStarted(contactPath))
  {
    return;
  }
  start(server, contactPath);
  for (auto* reader : readers)
  {
    const QString pattern =
      QString::fromUtf8(vtkSMPropertyHelper(reader->getProxy(), "FilePattern").GetAsString());
    nextSnapshot(contactPath, reader == readers.first() ? QString() : pattern);
    Add("what the window shows of it",
      QString("reader = DSMReader(registrationName=%1, FilePattern=%2, ContactFile=%3)\n%4")
        .arg(pqDSMTrace::quoted(reader->getSMName()), pqDSMTrace::quoted(pattern),
          pqDSMTrace::quoted(contactPath), Shown(reader)));
  }
  if (!readers.empty())
  {
    toNewest();
    AddCamera();
  }
}

QStringList pqDSMTrace::settings(vtkSMProxy* server)
{
  return Settings(server, true);
}

void pqDSMTrace::changed(vtkSMProxy* server, const QStringList& before)
{
  const QString contactPath =
    QString::fromUtf8(vtkSMPropertyHelper(server, "ContactPath").GetAsString());
  // A trace that does not start the server yet will do so with the settings then.
  if (!HasStarted(contactPath))
  {
    return;
  }
  QStringList now = Settings(server, true);
  now.removeIf([&before](const QString& one) { return before.contains(one); });
  Add("change settings of the server",
    QString("%1.change(%2)").arg(Variable(contactPath), now.join(", ")));
}

void pqDSMTrace::steer(vtkSMProxy* server, const QString& contactPath, const QString& simulation,
  const QJsonObject& set, const QString& command, int count, const QString& call)
{
  if (!vtkSMTrace::GetActiveTracer())
  {
    return;
  }
  if (!HasStarted(contactPath))
  {
    start(server, contactPath);
  }
  const QString variable = Variable(contactPath);
  const QString steering =
    QString("%1.steering(%2)")
      .arg(variable, simulation.isEmpty() ? QString() : pqDSMTrace::quoted(simulation));
  const QString on = simulation.isEmpty() ? variable : steering;
  // After a stop the script waits again, for the next run.
  const QString trace = Trace();
  const QString wait = steering + ".wait_for_simulation(timeout=600)";
  const auto lastWait = trace.lastIndexOf(wait);
  if (lastWait < 0 || lastWait < trace.lastIndexOf(on + ".command('stop')"))
  {
    Add("wait for the simulation", wait);
  }
  QStringList lines;
  if (!call.isEmpty())
  {
    lines << on + "." + call;
  }
  for (auto each = set.begin(); call.isEmpty() && each != set.end(); ++each)
  {
    lines << QString("%1.parameters[%2] = %3")
               .arg(on, pqDSMTrace::quoted(each.key()), AsPython(each.value()));
  }
  if (!set.isEmpty() && call.isEmpty())
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
               .arg(on, pqDSMTrace::quoted(command),
                 count > 0 ? ", " + QString::number(count) : QString());
  }
  Add("change the running simulation", lines.join('\n'));
}

void pqDSMTrace::restore(
  vtkSMProxy* server, const QString& contactPath, const QString& path, const QString& name)
{
  if (vtkSMTrace::GetActiveTracer() && !HasStarted(contactPath))
  {
    start(server, contactPath);
  }
  Add("bring a file back from disk",
    QString("%1.restore(%2, name=%3)").arg(Variable(contactPath), quoted(path), quoted(name)));
}

void pqDSMTrace::compare(
  const QString& contactPath, const QString& arguments, const std::function<bool()>& make)
{
  bool made = false;
  {
    SM_SCOPED_TRACE(BlockTraceItems);
    made = make();
  }
  if (made)
  {
    Add("two runs side by side, and their difference, when both have come to the same time",
      QString("comparison = %1.compare(%2, timeout=600)").arg(Variable(contactPath), arguments));
  }
}

void pqDSMTrace::toNewest()
{
  Add("go to its time", ToNewest);
}

void pqDSMTrace::nextSnapshot(const QString& contactPath, const QString& stream)
{
  Add("wait for what the simulation writes next",
    QString("%1.wait(%2)")
      .arg(Variable(contactPath),
        stream.isEmpty() ? QString() : "stream=" + pqDSMTrace::quoted(stream)));
}

void pqDSMTrace::followed(const QString& contactPath)
{
  const QString wait = Variable(contactPath) + ".wait()";
  if (vtkSMTrace::GetActiveTracer() && !EndsWith(wait))
  {
    Add("the next snapshot", wait + '\n' + ToNewest);
  }
}
