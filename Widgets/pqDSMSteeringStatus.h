// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSteeringStatus_h
#define pqDSMSteeringStatus_h

#include <QJsonObject>
#include <QJsonValue>
#include <QMap>
#include <QString>
#include <QStringList>
#include <QVector>

/// What simulations let one change, and what became of changes: the property SteeringStatus, which
/// is JSON, as plain data.
struct pqDSMSteeringStatus
{
  struct Parameter
  {
    QString Name;
    QString Type; ///< bool, int64, double, enumeration, string or vector
    QString Unit;
    QString Text;
    QString Group;
    QString Meaning; ///< of a vector: position, direction, plane origin, …
    QJsonValue Default;
    QJsonValue Minimum; ///< undefined where there is none
    QJsonValue Maximum;
    QStringList Choices;

    bool operator==(const Parameter&) const = default;
  };

  struct Command
  {
    QString Name;
    QString Text;
    QString Group;
    bool TakesCount = false;

    bool operator==(const Command&) const = default;
  };

  struct Observable
  {
    QString Name;
    QString Unit;
    QString Text;

    bool operator==(const Observable&) const = default;
  };

  struct Series
  {
    QVector<double> Steps;
    QVector<double> Times;
    QVector<double> Values;
  };

  struct Simulation
  {
    QString Name;
    QString State; ///< connected, lost or ended
    qint64 Step = 0;
    double Time = 0;
    bool Paused = false;
    QVector<Parameter> Parameters;
    QVector<Command> Commands;
    QVector<Observable> Observables;
    QJsonObject Values;
    QVector<qint64> Pending; ///< changes that wait for its next step
    QMap<QString, Series> Observed;

    bool connected() const { return this->State == "connected"; }
  };

  struct Outcome
  {
    qint64 Number = 0;
    QString Who;
    bool Applied = false;
    qint64 Step = 0;
    double Time = 0;
    QString Note;        ///< what else there is to know; may be empty
    QStringList Changed; ///< parameters
    QStringList Commands;
    QMap<QString, QString> Refusals; ///< name and reason
    QString Snapshot;                ///< that was written to disk,
    QString File;                    ///< and where
  };

  QVector<Simulation> Simulations; ///< the one that connected last is the first
  QMap<qint64, Outcome> Outcomes;
  qint64 LastNumber = 0;
  QString Log; ///< the file that keeps who changed what

  const Simulation* find(const QString& name) const;

  static pqDSMSteeringStatus parse(const QString& json);
  static Outcome readOutcome(const QJsonObject& json);

  /// 4 and 4.0 are the same.
  static bool same(const QJsonValue& one, const QJsonValue& other);
  /// For people: 0.04, mirror, (1, 2, 3).
  static QString text(const QJsonValue& value);
  /// What somebody else did, or what became of a snapshot that was to be written to disk; may be
  /// empty.
  static QString text(const Outcome& outcome);
  /// Where the file is that was to be written to disk, or why it is not; empty: there is none.
  static QString onDisk(const Outcome& outcome);
};

#endif
