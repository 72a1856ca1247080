// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSteeringChanges_h
#define pqDSMSteeringChanges_h

#include "pqDSMSteeringStatus.h"

#include <QMap>
#include <QSet>
#include <QVector>

#include <optional>

/// Which outcomes of changes are still to be shown: of those that the panel has sent, and of
/// others.
class pqDSMSteeringChanges
{
public:
  /// A change or command that the panel has sent.
  struct Sent
  {
    QString Simulation;
    QStringList Parameters;
    QString Command;
    int Count = 0;   ///< the command's argument; 0: it has none
    QString Because; ///< why the panel sent it by itself; empty: the user did
  };

  struct Answer
  {
    Sent To;
    std::optional<pqDSMSteeringStatus::Outcome> Outcome; ///< none: the server no longer keeps it
  };

  /// The server was started again: changes are numbered from 1.
  void clear();
  void add(qint64 number, const Sent& sent);

  /// Takes the changes that are answered from those that wait.
  QVector<Answer> takeAnswers(const pqDSMSteeringStatus& status);

  /// An applied change in words: "Applied at step 12, time 0.5", "Advanced 80 steps (12 → 92)".
  static QString text(const Sent& sent, const pqDSMSteeringStatus::Outcome& outcome);

  /// Takes the last outcomes of other viewers, scripts and replayed logs, in words. Returns none
  /// while an own change waits.
  QStringList takeOthers(const pqDSMSteeringStatus& status);

private:
  QMap<qint64, Sent> Unanswered; ///< by the change's number
  QSet<qint64> Own;              ///< numbers of changes that the panel has sent
  QSet<qint64> Reported;         ///< numbers of outcomes that were shown, or need not be
};

#endif
