// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSendDialog_h
#define pqDSMSendDialog_h

#include "pqDSMSampledArray.h"
#include "pqDSMSteeringStatus.h"

#include <QDialog>
#include <QVector>

class pqDSMArrayPicture;
class pqDSMMessageLabel;
class pqDSMServerProxy;
class pqOutputPort;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QTimer;

/// Asks for the data that an array of a simulation is to be set to, shows them and their difference
/// to the array that the simulation has, and puts them into the hosts' memory.
class pqDSMSendDialog : public QDialog
{
  Q_OBJECT
  using Superclass = QDialog;
  /// Is for tests: true if the pictures show what is chosen above them.
  Q_PROPERTY(bool shown READ shown)

public:
  pqDSMSendDialog(pqDSMServerProxy* server, const QString& simulation,
    const pqDSMSteeringStatus::Parameter& parameter, QWidget* parent);

  bool shown() const;

Q_SIGNALS:
  /// The values are in the hosts' memory: what the parameter is to be set to, and the call that a
  /// script sends them by.
  void stored(const QString& text, const QString& traced);

private:
  void addSources();
  void addArrays();
  pqDSMSampledArray::Choice choice() const;
  void showChoice();
  void send();
  pqOutputPort* port(const QComboBox* box) const;

  const pqDSMSteeringStatus::Parameter Parameter;
  pqDSMSampledArray Sampled;
  QVector<QPointer<pqOutputPort>> Ports;
  QComboBox* Source;
  QComboBox* Array;
  QComboBox* Grid;
  QLineEdit* Outside;
  QLabel* How;
  pqDSMArrayPicture* Values;
  pqDSMArrayPicture* Difference;
  pqDSMMessageLabel* Message;
  QPushButton* Send;
  QTimer* Soon; ///< active while the choice is not shown yet
};

#endif
