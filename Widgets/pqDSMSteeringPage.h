// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSteeringPage_h
#define pqDSMSteeringPage_h

#include "pqDSMSteeringStatus.h"

#include <QMap>
#include <QSet>
#include <QVector>
#include <QWidget>

class pqDSMLink;
class pqDSMNotice;
class pqDSMSteeringButtons;
class pqDSMSteeringCurve;
class pqDSMSteeringForm;
class pqHighlightablePushButton;
class QComboBox;
class QLabel;
class QPushButton;
class QScrollArea;
class QVBoxLayout;

/// The page "Steering": what the running simulations let one change, made from what they declare.
///
/// One Apply is one change, and so is one command. Both are sent without waiting for the
/// simulation; what became of them is in a later status.
class pqDSMSteeringPage : public QWidget
{
  Q_OBJECT
  using Superclass = QWidget;
  /// For tests: the last outcome, and what the page knows of the simulation.
  Q_PROPERTY(QString outcome READ outcome)
  Q_PROPERTY(qlonglong step READ step)
  Q_PROPERTY(bool paused READ paused)

public:
  pqDSMSteeringPage(pqDSMLink* link, QWidget* parent);

  /// After each look at the server. What is to be seen is made and kept up to date while the page
  /// is.
  void look();

  QString outcome() const;
  qlonglong step() const;
  bool paused() const;

private:
  struct Sent
  {
    QString Simulation;
    QStringList Names;
    QString Command;
  };

  void showEvent(QShowEvent* event) override;
  QWidget* makeHead();
  void apply();
  void reset();
  void command(const QString& name, int count);
  void send(const QJsonObject& set, const QString& command, int count);
  bool settle();
  void settle(const Sent& sent, const pqDSMSteeringStatus::Outcome& outcome);
  bool isShown(const Sent& sent) const;
  void lookAtOthers(bool besideOwn);
  void choose();
  void display();
  void displayCurves();
  void say(const QString& text, bool bad = false);
  const pqDSMSteeringStatus::Simulation* chosen() const;

  pqDSMLink* Link;
  QString Seen; ///< the JSON that Status was made of
  pqDSMSteeringStatus Status;
  QString Chosen;
  QMap<qint64, Sent> OnTheWay;
  QSet<qint64> Own;        ///< what this page has sent
  QSet<qint64> Told;       ///< outcomes that have been looked at
  bool OwnRefused = false; ///< what stands there says so

  QLabel* Empty;
  QWidget* Body;
  QComboBox* Choice;
  QLabel* State;
  pqDSMSteeringButtons* Buttons;
  pqHighlightablePushButton* Apply;
  QPushButton* Reset;
  pqDSMNotice* Outcome;
  QScrollArea* Scroll;
  QVBoxLayout* Scrolled;
  pqDSMSteeringForm* Form = nullptr;
  QVector<pqDSMSteeringStatus::Observable> CurvesMadeOf;
  QVector<pqDSMSteeringCurve*> Curves;
};

#endif
