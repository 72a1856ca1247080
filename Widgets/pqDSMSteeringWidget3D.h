// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSteeringWidget3D_h
#define pqDSMSteeringWidget3D_h

#include <QObject>
#include <QPointer>
#include <QVector>

#include <vtkSMNewWidgetRepresentationProxy.h> // For vtkSmartPointer to one
#include <vtkSmartPointer.h>                   // For vtkSmartPointer

#include <array>

class pqView;

/// One of ParaView's interactive 3-D widgets in the active view, to edit vectors: a handle for a
/// position, an arrow for a direction, a plane (origin, normal), a box (minimum, maximum).
class pqDSMSteeringWidget3D : public QObject
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

  pqDSMSteeringWidget3D(Kind kind, QObject* parent);
  ~pqDSMSteeringWidget3D() override;

  void setVisible(bool visible);
  /// One vector for a handle or an arrow, two for a plane or a box.
  void setVectors(const Vectors& vectors);
  const Vectors& vectors() const { return this->CurrentVectors; }

Q_SIGNALS:
  /// The user has moved it.
  void moved();

private:
  void addToView(pqView* view);
  void removeFromView();
  void makeWidget();
  void pushVectors();
  void interacted();
  void pullVectors();
  void setProperty3(const char* property, const std::array<double, 3>& value);
  std::array<double, 3> property3(const char* property) const;

  const Kind WidgetKind;
  Vectors CurrentVectors;
  bool Visible = false;
  bool PullScheduled = false;
  QPointer<pqView> View;
  vtkSmartPointer<vtkSMNewWidgetRepresentationProxy> Widget;
  double Size = 1; ///< of the data: the diagonal of their bounds
  ///@{
  /// Of an arrow: it starts at the centre of the data, and is scaled to be visible there.
  std::array<double, 3> Start{};
  double Scale = 1;
  ///@}
};

#endif
