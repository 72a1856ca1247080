// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSteeringForm_h
#define pqDSMSteeringForm_h

#include "pqDSMSteeringStatus.h"
#include "pqDSMSteeringWidget3D.h"

#include <QMap>
#include <QWidget>

class pqDSMSteeringRow;
class QCheckBox;
class QGridLayout;

/// The parameters of one simulation in their groups, made from its declarations, and the commands
/// that belong to a group.
class pqDSMSteeringForm : public QWidget
{
  Q_OBJECT
  using Superclass = QWidget;

public:
  pqDSMSteeringForm(const pqDSMSteeringStatus::Simulation& simulation, QWidget* parent);

  /// Whether it was made from these declarations.
  bool fits(const pqDSMSteeringStatus::Simulation& simulation) const;
  void setValues(const QJsonObject& values);

  const QString& name() const { return this->Name; }
  /// Null if there is no such parameter.
  QWidget* field(const QString& parameter) const;

  ///@{
  /// What the user has changed: names and values.
  QJsonObject changes() const;
  void enter(const QJsonObject& changes);
  ///@}
  void reset();

  ///@{
  /// A change of these parameters was sent, and then applied or refused, with the reasons by
  /// parameter.
  void sent(const QStringList& names);
  void applied(const QStringList& names);
  void refused(const QStringList& names, const QMap<QString, QString>& reasons);
  ///@}

Q_SIGNALS:
  void changed();
  void commanded(const QString& name, int count);
  /// The user wants to choose data for an array.
  void sendRequested(const pqDSMSteeringStatus::Parameter& parameter);

private:
  /// A 3-D widget with its check box and the rows of its vectors.
  struct Widget3D
  {
    pqDSMSteeringWidget3D* Widget;
    QCheckBox* Show;
    QVector<pqDSMSteeringRow*> Rows;
  };

  void addGroup(const QString& group);
  void addWidget3D(pqDSMSteeringWidget3D::Kind kind, const QVector<pqDSMSteeringRow*>& rows);
  void addWidgets3D(const QVector<pqDSMSteeringRow*>& rows);
  void setVectors(const Widget3D& entry);
  void showWidgets3D();
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void changeEvent(QEvent* event) override;

  const QString Name;
  const QVector<pqDSMSteeringStatus::Parameter> Parameters;
  const QVector<pqDSMSteeringStatus::Command> Commands;
  QGridLayout* Grid;
  QMap<QString, pqDSMSteeringRow*> Rows;
  QVector<Widget3D> Widgets3D;
  bool Moving = false; ///< a 3-D widget, which sets fields
};

#endif
