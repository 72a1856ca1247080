// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSteeringStatus.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QLocale>
#include <QRegularExpression>

namespace
{
using Status = pqDSMSteeringStatus;

QVector<double> Numbers(const QJsonValue& json)
{
  QVector<double> numbers;
  for (const auto& number : json.toArray())
  {
    numbers.push_back(number.toDouble());
  }
  return numbers;
}

Status::Parameter ReadParameter(const QJsonObject& json)
{
  Status::Parameter made{ json["name"].toString(), json["type"].toString(), json["unit"].toString(),
    json["text"].toString(), json["group"].toString(), json["meaning"].toString(), json["default"],
    json["minimum"], json["maximum"], {}, {} };
  for (const auto& choice : json["choices"].toArray())
  {
    made.Choices << choice.toString();
  }
  if (made.Type == "array")
  {
    QStringList sizes;
    for (const auto& size : json["sizes"].toArray())
    {
      sizes << QString::number(size.toInteger());
    }
    made.Shape = QString("%1 [%2]").arg(json["element"].toString(), sizes.join(", "));
  }
  return made;
}

Status::Simulation ReadSimulation(const QJsonObject& json)
{
  Status::Simulation made;
  made.Name = json["name"].toString();
  made.State = json["state"].toString();
  made.Step = json["step"].toInteger();
  made.Time = json["time"].toDouble();
  made.Paused = json["paused"].toBool();
  made.LastStep = json["last_step"].toInteger(-1);
  made.SecondsLeft = json["seconds_left"].toDouble(-1);
  made.Values = json["values"].toObject();
  const auto declared = json["declarations"].toObject();
  for (const auto& each : declared["parameters"].toArray())
  {
    made.Parameters.push_back(ReadParameter(each.toObject()));
  }
  for (const auto& entry : declared["commands"].toArray())
  {
    const auto each = entry.toObject();
    made.Commands.push_back({ each["name"].toString(), each["text"].toString(),
      each["group"].toString(), each["takes_count"].toBool() });
  }
  for (const auto& entry : declared["observables"].toArray())
  {
    const auto each = entry.toObject();
    made.Observables.push_back(
      { each["name"].toString(), each["unit"].toString(), each["text"].toString() });
  }
  for (const auto& number : json["pending"].toArray())
  {
    made.Pending.push_back(number.toInteger());
  }
  const auto observed = json["observed"].toObject();
  for (auto each = observed.begin(); each != observed.end(); ++each)
  {
    const auto series = each.value().toObject();
    made.Observed[each.key()] = { Numbers(series["steps"]), Numbers(series["times"]),
      Numbers(series["values"]) };
  }
  return made;
}
}

Status::Outcome pqDSMSteeringStatus::readOutcome(const QJsonObject& json)
{
  Outcome made;
  made.Number = json["transaction"].toInteger();
  made.Who = json["who"].toString();
  made.Applied = json["state"].toString() == "applied";
  made.Step = json["step"].toInteger();
  made.Time = json["time"].toDouble();
  made.Note = json["detail"].toObject()["note"].toString();
  for (const auto& change : json["changes"].toArray())
  {
    made.Changed << change.toObject()["name"].toString();
  }
  for (const auto& command : json["commands"].toArray())
  {
    made.Commands << command.toObject()["name"].toString();
  }
  for (const auto& entry : json["refusals"].toArray())
  {
    const auto refusal = entry.toObject();
    made.Refusals[refusal["name"].toString()] = refusal["reason"].toString();
  }
  const auto detail = json["detail"].toObject();
  made.Snapshot = text(detail["snapshot"]);
  made.File = detail["path"].toString();
  return made;
}

pqDSMSteeringStatus pqDSMSteeringStatus::parse(const QString& text)
{
  pqDSMSteeringStatus made;
  const auto json = QJsonDocument::fromJson(text.toUtf8()).object();
  for (const auto& simulation : json["programs"].toArray())
  {
    made.Simulations.push_back(ReadSimulation(simulation.toObject()));
  }
  for (const auto& each : json["outcomes"].toArray())
  {
    const auto outcome = readOutcome(each.toObject());
    made.Outcomes[outcome.Number] = outcome;
  }
  made.LastNumber = json["last_transaction"].toInteger();
  made.Log = json["log"].toString();
  return made;
}

const Status::Simulation* pqDSMSteeringStatus::find(const QString& name) const
{
  for (const auto& simulation : this->Simulations)
  {
    if (simulation.Name == name)
    {
      return &simulation;
    }
  }
  return nullptr;
}

bool pqDSMSteeringStatus::same(const QJsonValue& one, const QJsonValue& other)
{
  if (one.isDouble() && other.isDouble())
  {
    // A double cannot represent all integers of 64 bits.
    return one.toDouble() == other.toDouble() && one.toInteger() == other.toInteger();
  }
  if (one.isArray() && other.isArray())
  {
    const auto left = one.toArray();
    const auto right = other.toArray();
    return std::equal(left.begin(), left.end(), right.begin(), right.end(),
      [](const auto& a, const auto& b) { return same(QJsonValue(a), QJsonValue(b)); });
  }
  return one == other;
}

QString pqDSMSteeringStatus::text(const QJsonValue& value)
{
  if (value.isDouble())
  {
    const auto whole = value.toInteger();
    return static_cast<double>(whole) == value.toDouble()
      ? QString::number(whole)
      : QString::number(value.toDouble(), 'g', QLocale::FloatingPointShortest);
  }
  if (value.isArray())
  {
    QStringList parts;
    for (const auto& part : value.toArray())
    {
      parts << text(part);
    }
    return "(" + parts.join(", ") + ")";
  }
  return value.isBool() ? (value.toBool() ? "on" : "off") : value.toString();
}

QString pqDSMSteeringStatus::limit(const QString& reason)
{
  static const QRegularExpression form("^is out of range \\((.+)\\)$");
  const QString limit = form.match(reason).captured(1);
  return limit.left(1).toUpper() + limit.mid(1);
}

QString pqDSMSteeringStatus::pathOrReason(const Outcome& outcome)
{
  return outcome.Applied ? outcome.File : outcome.Refusals.value("write to disk");
}

QString pqDSMSteeringStatus::text(const Outcome& outcome)
{
  if (!outcome.Applied)
  {
    // The command itself was applied before. Other refusals concern only the viewer that sent them.
    const QString why = pathOrReason(outcome);
    return why.isEmpty() ? QString() : QObject::tr("Cannot write to disk: %1").arg(why);
  }
  if (!outcome.File.isEmpty())
  {
    return QObject::tr("Snapshot %1 was written to %2").arg(outcome.Snapshot, outcome.File);
  }
  const QString who = outcome.Who.isEmpty() ? QObject::tr("Another viewer") : outcome.Who;
  return (outcome.Changed.empty() ? QObject::tr("%1 sent %2 at step %3")
                                  : QObject::tr("%1 changed %2 at step %3"))
    .arg(who, (outcome.Changed + outcome.Commands).join(", "))
    .arg(outcome.Step);
}
