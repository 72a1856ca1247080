// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSteeringShape_h
#define pqDSMSteeringShape_h

#include <QObject>
#include <QPointer>
#include <QVector>

#include <vtkSMNewWidgetRepresentationProxy.h> // For vtkSmartPointer to one
#include <vtkSmartPointer.h>                   // For vtkSmartPointer

#include <array>

class pqView;

/// One of ParaView's 3-D widgets in the active view, for vectors that are places: a handle for a
/// position, an arrow for a direction, a plane (origin, normal), a box (minimum, maximum).
class pqDSMSteeringShape : public QObject
{
  Q_OBJECT
  using Superclass = QObject;

public:
  enum class Kind
  {
    Handle,
    Arrow,
    Plane,
    Box
  };
  using Vectors = QVector<std::array<double, 3>>;

  pqDSMSteeringShape(Kind kind, QObject* parent);
  ~pqDSMSteeringShape() override;

  void setVisible(bool visible);
  /// One vector for a handle or an arrow, two for a plane or a box.
  void setVectors(const Vectors& vectors);
  const Vectors& vectors() const { return this->Shown; }

Q_SIGNALS:
  /// A person has moved it.
  void moved();

private:
  void enterView(pqView* view);
  void leaveView();
  void make();
  void place();
  void interacted();
  void read();
  void set(const char* property, const std::array<double, 3>& value);
  std::array<double, 3> get(const char* property) const;

  const Kind What;
  Vectors Shown;
  bool Visible = false;
  bool ReadSoon = false;
  QPointer<pqView> View;
  vtkSmartPointer<vtkSMNewWidgetRepresentationProxy> Widget;
  double Size = 1; ///< of the data around it
  ///@{
  /// An arrow begins in the data's middle and has a length that can be seen there.
  std::array<double, 3> Anchor{};
  double Scale = 1;
  ///@}
};

#endif
