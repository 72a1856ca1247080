// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSteeringWidget3D.h"

#include <pqActiveObjects.h>
#include <pqCoreUtilities.h>
#include <pqDataRepresentation.h>
#include <pqOutputPort.h>
#include <pqRenderView.h>
#include <pqServer.h>
#include <vtkActor.h>
#include <vtkBoundingBox.h>
#include <vtkCommand.h>
#include <vtkMapper.h>
#include <vtkNew.h>
#include <vtkPVDataInformation.h>
#include <vtkPropCollection.h>
#include <vtkProperty.h>
#include <vtkSMParaViewPipelineController.h>
#include <vtkSMPropertyHelper.h>
#include <vtkSMSessionProxyManager.h>
#include <vtkSMViewProxy.h>
#include <vtkWidgetRepresentation.h>

#include <QTimer>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace
{
using Vector = std::array<double, 3>;

const char* ProxyName(pqDSMSteeringWidget3D::Kind kind)
{
  switch (kind)
  {
    case pqDSMSteeringWidget3D::Kind::Arrow:
      return "LineWidgetRepresentation";
    case pqDSMSteeringWidget3D::Kind::Plane:
      return "ImplicitPlaneWidgetRepresentation";
    case pqDSMSteeringWidget3D::Kind::Box:
      return "BoxWidgetRepresentation";
    case pqDSMSteeringWidget3D::Kind::Handle:
      break;
  }
  return "HandleWidgetRepresentation";
}

// Of the visible data; a unit cube if there are none.
vtkBoundingBox Bounds(pqView* view)
{
  vtkBoundingBox bounds;
  for (auto* each : view->getRepresentations())
  {
    auto* shown = qobject_cast<pqDataRepresentation*>(each);
    if (shown && shown->isVisible() && shown->getOutputPortFromInput())
    {
      vtkBoundingBox one(shown->getOutputPortFromInput()->getDataInformation()->GetBounds());
      if (one.IsValid())
      {
        bounds.AddBox(one);
      }
    }
  }
  if (!bounds.IsValid())
  {
    bounds = vtkBoundingBox(0, 1, 0, 1, 0, 1);
  }
  if (bounds.GetMaxLength() <= 0)
  {
    bounds.Inflate(0.5);
  }
  // A plane's outline must not be flat.
  bounds.InflateSlice(0.05 * bounds.GetMaxLength());
  return bounds;
}

// To about four digits: the mouse is not more precise.
Vector Rounded(Vector vector, double size)
{
  const int digits = std::clamp(static_cast<int>(std::ceil(4 - std::log10(size))), 0, 300);
  for (double& number : vector)
  {
    // Through a text: 0.3 and not 0.30000000000000004. Adding 0 makes -0 a 0.
    number = QString::number(number, 'f', digits).toDouble() + 0.0;
  }
  return vector;
}

// Opaque data hide what is inside them: lines, arrows and spheres of a widget are drawn as if they
// were nearest. The face of a plane is not, which would hide the data.
void DrawInFront(vtkSMNewWidgetRepresentationProxy* widget)
{
  auto* const part = widget->GetRepresentationProxy();
  auto* representation =
    part ? vtkWidgetRepresentation::SafeDownCast(part->GetClientSideObject()) : nullptr;
  if (!representation)
  {
    return;
  }
  // By as much as the whole depth buffer.
  constexpr double units = -66000;
  vtkNew<vtkPropCollection> parts;
  representation->GetActors(parts);
  parts->InitTraversal();
  while (auto* prop = parts->GetNextProp())
  {
    auto* actor = vtkActor::SafeDownCast(prop);
    if (actor && actor->GetMapper() && actor->GetProperty()->GetOpacity() >= 1)
    {
      auto* mapper = actor->GetMapper();
      mapper->SetRelativeCoincidentTopologyLineOffsetParameters(0, units);
      mapper->SetRelativeCoincidentTopologyPolygonOffsetParameters(0, units);
      mapper->SetRelativeCoincidentTopologyPointOffsetParameter(units);
    }
  }
}

double Length(const Vector& vector)
{
  return std::hypot(vector[0], vector[1], vector[2]);
}
}

pqDSMSteeringWidget3D::pqDSMSteeringWidget3D(Kind kind, QObject* parent)
  : Superclass(parent)
  , WidgetKind(kind)
  , CurrentVectors(kind == Kind::Plane || kind == Kind::Box ? 2 : 1)
{
  QObject::connect(&pqActiveObjects::instance(), &pqActiveObjects::viewChanged, this,
    [this](pqView* view)
    {
      if (this->Visible)
      {
        this->addToView(view);
      }
    });
}

pqDSMSteeringWidget3D::~pqDSMSteeringWidget3D()
{
  this->removeFromView();
}

void pqDSMSteeringWidget3D::setVisible(bool visible)
{
  this->Visible = visible;
  if (visible)
  {
    this->addToView(pqActiveObjects::instance().activeView());
  }
  else
  {
    this->removeFromView();
  }
}

void pqDSMSteeringWidget3D::removeFromView()
{
  if (this->Widget)
  {
    vtkSMPropertyHelper(this->Widget, "Visibility").Set(0);
    vtkSMPropertyHelper(this->Widget, "Enabled").Set(0);
    this->Widget->UpdateVTKObjects();
    if (this->View)
    {
      vtkSMPropertyHelper(this->View->getProxy(), "HiddenRepresentations", true)
        .Remove(this->Widget);
      this->View->getProxy()->UpdateVTKObjects();
      this->View->render();
    }
  }
  this->Widget = nullptr;
  this->View = nullptr;
}

void pqDSMSteeringWidget3D::addToView(pqView* view)
{
  auto* wanted = qobject_cast<pqRenderView*>(view);
  if (wanted == this->View && this->Widget)
  {
    return;
  }
  this->removeFromView();
  if (!wanted)
  {
    return;
  }
  this->View = wanted;
  this->makeWidget();
  if (this->Widget)
  {
    this->pushVectors();
    vtkSMPropertyHelper(this->Widget, "Visibility").Set(1);
    vtkSMPropertyHelper(this->Widget, "Enabled").Set(1);
    this->Widget->UpdateVTKObjects();
    vtkSMPropertyHelper(wanted->getProxy(), "HiddenRepresentations", true).Add(this->Widget);
    wanted->getProxy()->UpdateVTKObjects();
    wanted->render();
  }
}

void pqDSMSteeringWidget3D::makeWidget()
{
  auto* manager = this->View->getServer()->proxyManager();
  auto made = vtkSmartPointer<vtkSMProxy>::Take(
    manager->NewProxy("representations", ProxyName(this->WidgetKind)));
  this->Widget = vtkSMNewWidgetRepresentationProxy::SafeDownCast(made);
  if (!this->Widget)
  {
    qWarning("DSM: this ParaView has no 3-D widget %s", ProxyName(this->WidgetKind));
    return;
  }
  // No part of undo and of traces.
  this->Widget->PrototypeOn();
  vtkNew<vtkSMParaViewPipelineController> controller;
  controller->InitializeProxy(this->Widget);
  this->Widget->UpdateVTKObjects();
  for (const auto event : { vtkCommand::InteractionEvent, vtkCommand::EndInteractionEvent })
  {
    this->Widget->AddObserver(event, this, &pqDSMSteeringWidget3D::interacted);
  }

  DrawInFront(this->Widget);

  const auto bounds = Bounds(this->View);
  double box[6];
  bounds.GetBounds(box);
  bounds.GetCenter(this->Start.data());
  this->Size = bounds.GetDiagonalLength();
  if (this->WidgetKind == Kind::Handle)
  {
    // Its thin cross is hardly visible in ParaView's default, white.
    const double yellow[3] = { 1, 0.9, 0 };
    vtkSMPropertyHelper(this->Widget, "ForegroundWidgetColor").Set(yellow, 3);
  }
  else if (this->WidgetKind == Kind::Plane)
  {
    vtkSMPropertyHelper(this->Widget, "WidgetBounds").Set(box, 6);
    vtkSMPropertyHelper(this->Widget, "ConstrainToWidgetBounds").Set(0);
    vtkSMPropertyHelper(this->Widget, "OutlineTranslation").Set(0);
    vtkSMPropertyHelper(this->Widget, "DrawPlane").Set(1);
  }
  else if (this->WidgetKind == Kind::Box)
  {
    const double unit[6] = { 0, 1, 0, 1, 0, 1 };
    vtkSMPropertyHelper(this->Widget, "UseReferenceBounds").Set(0);
    vtkSMPropertyHelper(this->Widget, "PlaceWidget").Set(unit, 6);
    vtkSMPropertyHelper(this->Widget, "RotationEnabled").Set(0);
  }
  else if (this->WidgetKind == Kind::Arrow)
  {
    vtkSMPropertyHelper(this->Widget, "DirectionalLine").Set(1);
    const double length = Length(this->CurrentVectors[0]);
    this->Scale = 0.3 * this->Size / (length > 0 ? length : 1);
  }
}

void pqDSMSteeringWidget3D::setVectors(const Vectors& vectors)
{
  if (vectors != this->CurrentVectors)
  {
    this->CurrentVectors = vectors;
    if (this->Widget)
    {
      this->pushVectors();
      this->View->render();
    }
  }
}

void pqDSMSteeringWidget3D::setProperty3(const char* property, const Vector& value)
{
  vtkSMPropertyHelper(this->Widget, property).Set(value.data(), 3);
}

Vector pqDSMSteeringWidget3D::property3(const char* property) const
{
  Vector value{};
  vtkSMPropertyHelper(this->Widget, property).Get(value.data(), 3);
  return value;
}

void pqDSMSteeringWidget3D::pushVectors()
{
  const auto& first = this->CurrentVectors[0];
  Vector other{};
  switch (this->WidgetKind)
  {
    case Kind::Handle:
      this->setProperty3("WorldPosition", first);
      break;
    case Kind::Arrow:
      for (int axis = 0; axis < 3; ++axis)
      {
        other[axis] = this->Start[axis] + this->Scale * first[axis];
      }
      this->setProperty3("Point1WorldPosition", this->Start);
      this->setProperty3("Point2WorldPosition", other);
      break;
    case Kind::Plane:
      this->setProperty3("Origin", first);
      if (Length(this->CurrentVectors[1]) > 0)
      {
        this->setProperty3("Normal", this->CurrentVectors[1]);
      }
      break;
    case Kind::Box:
      for (int axis = 0; axis < 3; ++axis)
      {
        other[axis] = std::max(this->CurrentVectors[1][axis] - first[axis], 1e-12);
      }
      this->setProperty3("Position", first);
      this->setProperty3("Scale", other);
      break;
  }
  this->Widget->UpdateVTKObjects();
}

// Later: ParaView updates the proxy's properties after this event.
void pqDSMSteeringWidget3D::interacted()
{
  if (!this->PullScheduled)
  {
    this->PullScheduled = true;
    QTimer::singleShot(0, this, &pqDSMSteeringWidget3D::pullVectors);
  }
}

void pqDSMSteeringWidget3D::pullVectors()
{
  this->PullScheduled = false;
  if (!this->Widget)
  {
    return;
  }
  switch (this->WidgetKind)
  {
    case Kind::Handle:
      this->CurrentVectors[0] = Rounded(this->property3("WorldPosition"), this->Size);
      break;
    case Kind::Arrow:
    {
      this->Start = this->property3("Point1WorldPosition");
      auto tip = this->property3("Point2WorldPosition");
      for (int axis = 0; axis < 3; ++axis)
      {
        tip[axis] = (tip[axis] - this->Start[axis]) / this->Scale;
      }
      this->CurrentVectors[0] = Rounded(tip, this->Size / this->Scale);
      break;
    }
    case Kind::Plane:
      this->CurrentVectors = { Rounded(this->property3("Origin"), this->Size),
        Rounded(this->property3("Normal"), 1) };
      break;
    case Kind::Box:
    {
      auto low = this->property3("Position");
      auto high = this->property3("Scale");
      for (int axis = 0; axis < 3; ++axis)
      {
        // The user can drag a face past the opposite one.
        high[axis] += low[axis];
        std::tie(low[axis], high[axis]) = std::minmax({ low[axis], high[axis] });
      }
      this->CurrentVectors = { Rounded(low, this->Size), Rounded(high, this->Size) };
      break;
    }
  }
  Q_EMIT this->moved();
}
