// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSteeringShape.h"

#include <pqActiveObjects.h>
#include <pqCoreUtilities.h>
#include <pqDataRepresentation.h>
#include <pqOutputPort.h>
#include <pqRenderView.h>
#include <pqServer.h>
#include <vtkBoundingBox.h>
#include <vtkCommand.h>
#include <vtkPVDataInformation.h>
#include <vtkSMParaViewPipelineController.h>
#include <vtkSMPropertyHelper.h>
#include <vtkSMSessionProxyManager.h>
#include <vtkSMViewProxy.h>

#include <QTimer>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace
{
using Vector = std::array<double, 3>;

const char* ProxyName(pqDSMSteeringShape::Kind kind)
{
  switch (kind)
  {
    case pqDSMSteeringShape::Kind::Arrow:
      return "LineWidgetRepresentation";
    case pqDSMSteeringShape::Kind::Plane:
      return "ImplicitPlaneWidgetRepresentation";
    case pqDSMSteeringShape::Kind::Box:
      return "BoxWidgetRepresentation";
    case pqDSMSteeringShape::Kind::Handle:
      break;
  }
  return "HandleWidgetRepresentation";
}

// Of what is to be seen; a unit cube where nothing is.
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
  // A plane's frame must have some thickness in each direction.
  bounds.InflateSlice(0.05 * bounds.GetMaxLength());
  return bounds;
}

// Nobody places by hand what is finer than this.
Vector Rounded(Vector vector, double size)
{
  const int digits = std::clamp(static_cast<int>(std::ceil(4 - std::log10(size))), 0, 300);
  for (double& number : vector)
  {
    // By way of text: 0.3 and not 0.30000000000000004. And no minus before a zero.
    number = QString::number(number, 'f', digits).toDouble() + 0.0;
  }
  return vector;
}

double Length(const Vector& vector)
{
  return std::hypot(vector[0], vector[1], vector[2]);
}
}

pqDSMSteeringShape::pqDSMSteeringShape(Kind kind, QObject* parent)
  : Superclass(parent)
  , What(kind)
  , Shown(kind == Kind::Plane || kind == Kind::Box ? 2 : 1)
{
  QObject::connect(&pqActiveObjects::instance(), &pqActiveObjects::viewChanged, this,
    [this](pqView* view)
    {
      if (this->Visible)
      {
        this->enterView(view);
      }
    });
}

pqDSMSteeringShape::~pqDSMSteeringShape()
{
  this->leaveView();
}

void pqDSMSteeringShape::setVisible(bool visible)
{
  this->Visible = visible;
  if (visible)
  {
    this->enterView(pqActiveObjects::instance().activeView());
  }
  else
  {
    this->leaveView();
  }
}

void pqDSMSteeringShape::leaveView()
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

void pqDSMSteeringShape::enterView(pqView* view)
{
  auto* wanted = qobject_cast<pqRenderView*>(view);
  if (wanted == this->View && this->Widget)
  {
    return;
  }
  this->leaveView();
  if (!wanted)
  {
    return;
  }
  this->View = wanted;
  this->make();
  if (this->Widget)
  {
    this->place();
    vtkSMPropertyHelper(this->Widget, "Visibility").Set(1);
    vtkSMPropertyHelper(this->Widget, "Enabled").Set(1);
    this->Widget->UpdateVTKObjects();
    vtkSMPropertyHelper(wanted->getProxy(), "HiddenRepresentations", true).Add(this->Widget);
    wanted->getProxy()->UpdateVTKObjects();
    wanted->render();
  }
}

void pqDSMSteeringShape::make()
{
  auto* manager = this->View->getServer()->proxyManager();
  auto made =
    vtkSmartPointer<vtkSMProxy>::Take(manager->NewProxy("representations", ProxyName(this->What)));
  this->Widget = vtkSMNewWidgetRepresentationProxy::SafeDownCast(made);
  if (!this->Widget)
  {
    qWarning("DSM: this ParaView has no 3-D widget %s", ProxyName(this->What));
    return;
  }
  // Undo and traces have nothing to do with it.
  this->Widget->PrototypeOn();
  vtkNew<vtkSMParaViewPipelineController> controller;
  controller->InitializeProxy(this->Widget);
  this->Widget->UpdateVTKObjects();
  for (const auto event : { vtkCommand::InteractionEvent, vtkCommand::EndInteractionEvent })
  {
    this->Widget->AddObserver(event, this, &pqDSMSteeringShape::interacted);
  }

  const auto bounds = Bounds(this->View);
  double box[6];
  bounds.GetBounds(box);
  bounds.GetCenter(this->Anchor.data());
  this->Size = bounds.GetDiagonalLength();
  if (this->What == Kind::Handle)
  {
    // A thin cross: white is lost in most pictures.
    const double yellow[3] = { 1, 0.9, 0 };
    vtkSMPropertyHelper(this->Widget, "ForegroundWidgetColor").Set(yellow, 3);
  }
  else if (this->What == Kind::Plane)
  {
    vtkSMPropertyHelper(this->Widget, "WidgetBounds").Set(box, 6);
    vtkSMPropertyHelper(this->Widget, "ConstrainToWidgetBounds").Set(0);
    vtkSMPropertyHelper(this->Widget, "OutlineTranslation").Set(0);
    vtkSMPropertyHelper(this->Widget, "DrawPlane").Set(1);
  }
  else if (this->What == Kind::Box)
  {
    const double unit[6] = { 0, 1, 0, 1, 0, 1 };
    vtkSMPropertyHelper(this->Widget, "UseReferenceBounds").Set(0);
    vtkSMPropertyHelper(this->Widget, "PlaceWidget").Set(unit, 6);
    vtkSMPropertyHelper(this->Widget, "RotationEnabled").Set(0);
  }
  else if (this->What == Kind::Arrow)
  {
    vtkSMPropertyHelper(this->Widget, "DirectionalLine").Set(1);
    const double length = Length(this->Shown[0]);
    this->Scale = 0.3 * this->Size / (length > 0 ? length : 1);
  }
}

void pqDSMSteeringShape::setVectors(const Vectors& vectors)
{
  if (vectors != this->Shown)
  {
    this->Shown = vectors;
    if (this->Widget)
    {
      this->place();
      this->View->render();
    }
  }
}

void pqDSMSteeringShape::set(const char* property, const Vector& value)
{
  vtkSMPropertyHelper(this->Widget, property).Set(value.data(), 3);
}

Vector pqDSMSteeringShape::get(const char* property) const
{
  Vector value{};
  vtkSMPropertyHelper(this->Widget, property).Get(value.data(), 3);
  return value;
}

void pqDSMSteeringShape::place()
{
  const auto& first = this->Shown[0];
  Vector other{};
  switch (this->What)
  {
    case Kind::Handle:
      this->set("WorldPosition", first);
      break;
    case Kind::Arrow:
      for (int axis = 0; axis < 3; ++axis)
      {
        other[axis] = this->Anchor[axis] + this->Scale * first[axis];
      }
      this->set("Point1WorldPosition", this->Anchor);
      this->set("Point2WorldPosition", other);
      break;
    case Kind::Plane:
      this->set("Origin", first);
      if (Length(this->Shown[1]) > 0)
      {
        this->set("Normal", this->Shown[1]);
      }
      break;
    case Kind::Box:
      for (int axis = 0; axis < 3; ++axis)
      {
        other[axis] = std::max(this->Shown[1][axis] - first[axis], 1e-12);
      }
      this->set("Position", first);
      this->set("Scale", other);
      break;
  }
  this->Widget->UpdateVTKObjects();
}

// ParaView brings the proxy's properties up to date after it has told us.
void pqDSMSteeringShape::interacted()
{
  if (!this->ReadSoon)
  {
    this->ReadSoon = true;
    QTimer::singleShot(0, this, &pqDSMSteeringShape::read);
  }
}

void pqDSMSteeringShape::read()
{
  this->ReadSoon = false;
  if (!this->Widget)
  {
    return;
  }
  switch (this->What)
  {
    case Kind::Handle:
      this->Shown[0] = Rounded(this->get("WorldPosition"), this->Size);
      break;
    case Kind::Arrow:
    {
      this->Anchor = this->get("Point1WorldPosition");
      auto tip = this->get("Point2WorldPosition");
      for (int axis = 0; axis < 3; ++axis)
      {
        tip[axis] = (tip[axis] - this->Anchor[axis]) / this->Scale;
      }
      this->Shown[0] = Rounded(tip, this->Size / this->Scale);
      break;
    }
    case Kind::Plane:
      this->Shown = { Rounded(this->get("Origin"), this->Size), Rounded(this->get("Normal"), 1) };
      break;
    case Kind::Box:
    {
      auto low = this->get("Position");
      auto high = this->get("Scale");
      for (int axis = 0; axis < 3; ++axis)
      {
        // A face can be drawn through the opposite one.
        high[axis] += low[axis];
        std::tie(low[axis], high[axis]) = std::minmax({ low[axis], high[axis] });
      }
      this->Shown = { Rounded(low, this->Size), Rounded(high, this->Size) };
      break;
    }
  }
  Q_EMIT this->moved();
}
