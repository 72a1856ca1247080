// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSteeringPage_h
#define pqDSMSteeringPage_h

#include "pqDSMSteeringChanges.h"
#include "pqDSMSteeringStatus.h"

#include <QWidget>

class pqDSMBreakpoint;
class pqDSMServerProxy;
class pqDSMMessageLabel;
class pqDSMSteeringButtons;
class pqDSMSteeringCurves;
class pqDSMSteeringForm;
class pqDSMSteeringPresets;
class pqHighlightablePushButton;
class pqPipelineSource;
class QComboBox;
class QLabel;
class QPushButton;
class QScrollArea;
class QVBoxLayout;

/// The page "Steering": the parameters and commands of the running simulations, from their
/// declarations.
///
/// One Apply is one change, and so is one command. Both are sent without waiting for the
/// simulation; a later status has their outcomes.
class pqDSMSteeringPage : public QWidget
{
  Q_OBJECT
  using Superclass = QWidget;
  /// For tests: the outcome that is shown, and the simulation's state.
  Q_PROPERTY(QString outcome READ outcome)
  Q_PROPERTY(qlonglong step READ step)
  Q_PROPERTY(bool paused READ paused)

public:
  pqDSMSteeringPage(pqDSMServerProxy* server, QWidget* parent);

  /// Takes the server's new status. The widgets are made and updated only while the page is
  /// visible.
  void updateStatus();

  QString outcome() const;
  qlonglong step() const;
  bool paused() const;
  /// Returns whether the selected simulation can be steered now.
  bool connected() const;

  /// Sends a command to the selected simulation, with its argument; 0: it has none.
  void command(const QString& name, int count);
  /// Takes what a reader shows now, for the condition of a pause; null: there is none.
  void takeData(pqPipelineSource* reader);

private:
  using Sent = pqDSMSteeringChanges::Sent;

  /// The simulation that was selected at the last status.
  struct Shown
  {
    QString Name;
    QString State;
    qint64 Step = 0;
  };

  void showEvent(QShowEvent* event) override;
  QWidget* makeHead();
  void apply();
  void reset();
  void pauseBecause(const QString& what);
  /// `traced` is the call by which a script does the same; empty: what is set, one by one.
  /// `because` is why the panel sends it by itself.
  void send(const QJsonObject& set, const QString& command, int count, const QString& traced = {},
    const QString& because = {});
  void chooseArray(const pqDSMSteeringStatus::Parameter& parameter);
  bool takeOutcomes();
  void showOutcome(const Sent& sent, const pqDSMSteeringStatus::Outcome& outcome);
  bool isShown(const Sent& sent) const;
  void showOutcomesOfOthers(bool ownIsNew);
  void updateForm();
  void display();
  void displayCurves();
  void displayMessage();
  void showMessage(const QString& text, bool isError = false);
  const pqDSMSteeringStatus::Simulation* selected() const;

  pqDSMServerProxy* Server;
  QString StatusText; ///< the JSON of Status
  pqDSMSteeringStatus Status;
  QString SelectedName;
  Shown Shown;
  pqDSMSteeringChanges Changes;
  bool ShowsRefusal = false; ///< of a change of our own

  QLabel* Empty;
  QWidget* Body;
  QComboBox* Selection;
  QLabel* State;
  pqDSMSteeringButtons* Buttons;
  pqDSMBreakpoint* Breakpoint;
  pqHighlightablePushButton* Apply;
  QPushButton* Reset;
  pqDSMSteeringPresets* Presets;
  pqDSMMessageLabel* Outcome;
  QString Message; ///< of a change, also one of others; empty if there is nothing to say
  QScrollArea* Scroll;
  QVBoxLayout* Scrolled;
  pqDSMSteeringForm* Form = nullptr;
  pqDSMSteeringCurves* Curves;
};

#endif
