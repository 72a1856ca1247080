// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSteeringForm_h
#define pqDSMSteeringForm_h

#include "pqDSMSteeringShape.h"
#include "pqDSMSteeringStatus.h"

#include <QMap>
#include <QWidget>

class pqDSMSteeringRow;
class QCheckBox;
class QGridLayout;

/// What can be changed in one simulation, in groups, made from its declarations; and the commands
/// that belong to a group.
class pqDSMSteeringForm : public QWidget
{
  Q_OBJECT
  using Superclass = QWidget;

public:
  pqDSMSteeringForm(const pqDSMSteeringStatus::Simulation& simulation, QWidget* parent);

  /// Whether it was made from the same declarations.
  bool fits(const pqDSMSteeringStatus::Simulation& simulation) const;
  void setValues(const QJsonObject& values);

  const QString& name() const { return this->Name; }
  /// Null for a name that is no parameter's.
  QWidget* field(const QString& parameter) const;

  ///@{
  /// What a person has changed: names and values.
  QJsonObject changes() const;
  void enter(const QJsonObject& changes);
  ///@}
  void reset();

  ///@{
  /// A change of these parameters: sent, taken, or refused with a reason for each that is to blame.
  void sent(const QStringList& names);
  void settled(const QStringList& names);
  void refused(const QStringList& names, const QMap<QString, QString>& reasons);
  ///@}

Q_SIGNALS:
  void changed();
  void commanded(const QString& name, int count);

private:
  struct Shape
  {
    pqDSMSteeringShape* Widget;
    QCheckBox* Show;
    QVector<pqDSMSteeringRow*> Rows;
  };

  void addGroup(const QString& group);
  void addShape(pqDSMSteeringShape::Kind kind, const QVector<pqDSMSteeringRow*>& rows);
  void addShapes(const QVector<pqDSMSteeringRow*>& rows);
  void fill(const Shape& shape);
  void showShapes();
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

  const QString Name;
  const QVector<pqDSMSteeringStatus::Parameter> Parameters;
  const QVector<pqDSMSteeringStatus::Command> Commands;
  QGridLayout* Grid;
  QMap<QString, pqDSMSteeringRow*> Rows;
  QVector<Shape> Shapes;
  bool Moving = false;
};

#endif
