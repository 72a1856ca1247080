// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSteeringStatus_h
#define pqDSMSteeringStatus_h

#include <QJsonObject>
#include <QJsonValue>
#include <QMap>
#include <QString>
#include <QStringList>
#include <QVector>

/// What can be changed in the connected simulations, and the outcomes of changes: the property
/// SteeringStatus, which is JSON, as plain data.
struct pqDSMSteeringStatus
{
  struct Parameter
  {
    QString Name;
    QString Type; ///< bool, int64, double, enumeration, string, vector or array
    QString Unit;
    QString Text;
    QString Group;
    QString Meaning; ///< of a vector: position, direction, plane origin, …
    QJsonValue Default;
    QJsonValue Minimum; ///< undefined if there is none
    QJsonValue Maximum;
    QStringList Choices;
    QString Shape; ///< of an array, for people: "float64 [512, 256]"

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
    qint64 LastStep = -1;    ///< at which the run ends; negative: unknown
    double SecondsLeft = -1; ///< until then; negative: unknown
    QVector<Parameter> Parameters;
    QVector<Command> Commands;
    QVector<Observable> Observables;
    QJsonObject Values;
    QVector<qint64> Pending; ///< numbers of changes that wait for its next step
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
    QString Note;        ///< a remark; may be empty
    QStringList Changed; ///< parameters
    QStringList Commands;
    QMap<QString, QString> Refusals; ///< name and reason
    QString Snapshot;                ///< that was written to disk
    QString File;                    ///< that it was written to
  };

  QVector<Simulation> Simulations; ///< the last one to connect comes first
  QMap<qint64, Outcome> Outcomes;
  qint64 LastNumber = 0;
  QString Log; ///< the file with the log of all changes

  const Simulation* find(const QString& name) const;

  static pqDSMSteeringStatus parse(const QString& json);
  static Outcome readOutcome(const QJsonObject& json);

  /// 4 and 4.0 are the same.
  static bool same(const QJsonValue& one, const QJsonValue& other);
  /// To show it: 0.04, mirror, (1, 2, 3).
  static QString text(const QJsonValue& value);
  /// The outcome of another viewer's change, or of a snapshot that was to be written to disk; may
  /// be empty.
  static QString text(const Outcome& outcome);
  /// "Maximum is 0.1", if a value was refused since it is out of range; else empty.
  static QString limit(const QString& reason);
  /// The path of a snapshot that was to be written to disk, or why it was not written; empty for
  /// other outcomes.
  static QString pathOrReason(const Outcome& outcome);
};

#endif
