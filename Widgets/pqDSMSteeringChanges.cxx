// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSteeringChanges.h"

#include <QObject>

#include <algorithm>

void pqDSMSteeringChanges::clear()
{
  *this = {};
}

void pqDSMSteeringChanges::add(qint64 number, const Sent& sent)
{
  this->Unanswered[number] = sent;
  this->Own.insert(number);
}

QVector<pqDSMSteeringChanges::Answer> pqDSMSteeringChanges::takeAnswers(
  const pqDSMSteeringStatus& status)
{
  QVector<Answer> answers;
  const auto sent = this->Unanswered;
  for (auto each = sent.begin(); each != sent.end(); ++each)
  {
    const auto outcome = status.Outcomes.find(each.key());
    const auto* simulation = status.find(each->Simulation);
    if (outcome != status.Outcomes.end())
    {
      this->Unanswered.remove(each.key());
      answers.push_back({ *each, *outcome });
    }
    else if (each.key() <= status.LastNumber &&
      !(simulation && simulation->Pending.contains(each.key())))
    {
      // The server keeps a limited number of outcomes, and this one has gone.
      this->Unanswered.remove(each.key());
      answers.push_back({ *each, std::nullopt });
    }
  }
  return answers;
}

QString pqDSMSteeringChanges::text(const Sent& sent, const pqDSMSteeringStatus::Outcome& outcome)
{
  if (sent.Command == "advance")
  {
    const int count = std::max(sent.Count, 1);
    return (count == 1 ? QObject::tr("Advanced %1 step (%2 → %3)")
                       : QObject::tr("Advanced %1 steps (%2 → %3)"))
      .arg(count)
      .arg(outcome.Step)
      .arg(outcome.Step + count);
  }
  if (sent.Command == "pause at" && outcome.Step < sent.Count)
  {
    return QObject::tr("Will pause at step %1").arg(sent.Count);
  }
  const QString what = sent.Command.isEmpty()               ? QObject::tr("Applied")
    : sent.Command == "pause" || sent.Command == "pause at" ? QObject::tr("Paused")
    : sent.Command == "resume"                              ? QObject::tr("Resumed")
    : sent.Command == "stop"                                ? QObject::tr("Stopped")
    : sent.Command == "write snapshot"                      ? QObject::tr("Wrote a snapshot")
                                       : QObject::tr("Ran \"%1\"").arg(sent.Command);
  return QObject::tr("%1 at step %2, time %3")
    .arg(what)
    .arg(outcome.Step)
    .arg(QString::number(outcome.Time, 'g', 6));
}

QStringList pqDSMSteeringChanges::takeOthers(const pqDSMSteeringStatus& status)
{
  if (!this->Unanswered.empty())
  {
    return {};
  }
  constexpr qsizetype most = 3;
  QStringList texts;
  const auto& outcomes = status.Outcomes;
  // A file that was written is in two outcomes: in that of the command, as a note, and in its own.
  QStringList notes;
  for (const qint64 number : std::as_const(this->Own))
  {
    if (!this->Reported.contains(number))
    {
      notes << outcomes.value(number).Note;
    }
  }
  for (auto each = outcomes.begin(); each != outcomes.end(); ++each)
  {
    const QString text = pqDSMSteeringStatus::text(*each);
    const QString file = pqDSMSteeringStatus::pathOrReason(*each);
    const bool known = texts.contains(text) ||
      (!file.isEmpty() &&
        std::any_of(notes.begin(), notes.end(),
          [&](const QString& note) { return note.endsWith(' ' + file); }));
    if (!this->Reported.contains(each.key()) && !this->Own.contains(each.key()) && !known &&
      !text.isEmpty())
    {
      texts << text;
    }
  }
  const auto numbers = outcomes.keys();
  this->Reported = QSet<qint64>(numbers.begin(), numbers.end());
  this->Own.intersect(this->Reported);
  return texts.mid(std::max<qsizetype>(0, texts.size() - most));
}
