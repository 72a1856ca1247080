// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMRepresentation.h"

#include <pqActiveObjects.h>
#include <pqApplicationCore.h>
#include <pqDataRepresentation.h>
#include <pqObjectBuilder.h>
#include <pqOutputPort.h>
#include <pqPipelineSource.h>
#include <pqServerManagerModel.h>
#include <pqView.h>
#include <vtkDataObject.h>
#include <vtkNew.h>
#include <vtkPVArrayInformation.h>
#include <vtkPVDataInformation.h>
#include <vtkPVDataSetAttributesInformation.h>
#include <vtkSMColorMapEditorHelper.h>
#include <vtkSMOutputPort.h>
#include <vtkSMPVRepresentationProxy.h>
#include <vtkSMParaViewPipelineControllerWithRendering.h>
#include <vtkSMPropertyHelper.h>
#include <vtkSMRenderViewProxy.h>
#include <vtkSMSourceProxy.h>
#include <vtkSMTrace.h>
#include <vtkSMTransferFunctionManager.h>
#include <vtkSMTransferFunctionProxy.h>
#include <vtkSMViewProxy.h>

#include <algorithm>
#include <array>

namespace
{
// Not one of those that ParaView's readers add, such as vtkGhostType.
QString FirstArray(vtkSMSourceProxy* reader, int association)
{
  auto* arrays = reader->GetDataInformation(0)->GetAttributeInformation(association);
  for (int index = 0; arrays && index < arrays->GetNumberOfArrays(); ++index)
  {
    const QString name = arrays->GetArrayInformation(index)->GetName();
    if (!name.startsWith("vtk"))
    {
      return name;
    }
  }
  return {};
}

// A color map for all arrays of one name, or one that no other stream has.
enum class ColourMap
{
  Shared,
  Own
};

bool UsesSharedMap(vtkSMPVRepresentationProxy* representation, const QString& array)
{
  return representation && representation->GetUsingScalarColoring() &&
    !vtkSMColorMapEditorHelper::GetUseSeparateColorMap(representation) &&
    array == vtkSMPropertyHelper(representation, "ColorArrayName").GetInputArrayNameToProcess();
}

// Returns whether data that are not made of a reader's are coloured by an array of that name, with
// the map that all arrays of one name share.
bool IsMapOfOthers(pqPipelineSource* reader, const QString& array)
{
  const auto own = pqDSMRepresentation::withAllMadeOf(reader);
  const auto all =
    pqApplicationCore::instance()->getServerManagerModel()->findItems<pqDataRepresentation*>(
      reader->getServer());
  return std::any_of(all.begin(), all.end(),
    [&](pqDataRepresentation* each)
    {
      return !own.contains(each->getInput()) &&
        UsesSharedMap(vtkSMPVRepresentationProxy::SafeDownCast(each->getProxy()), array);
    });
}

// Colours by an array. Where the map of that name is another stream's, the representation gets a
// map of its own, and a legend that says whose it is.
void ColourBy(vtkSMPVRepresentationProxy* representation, pqPipelineSource* reader,
  const QString& array, int association, vtkSMViewProxy* view, ColourMap map)
{
  const bool isApart = map == ColourMap::Own && IsMapOfOthers(reader, array);
  if (isApart)
  {
    SM_SCOPED_TRACE(PropertiesModified).arg("proxy", representation);
    vtkSMColorMapEditorHelper::SetUseSeparateColorMap(representation, true);
    representation->UpdateVTKObjects();
  }
  representation->SetScalarColoring(qPrintable(array), association);
  representation->RescaleTransferFunctionToDataRange(false, false);
  representation->SetScalarBarVisibility(view, true);
  auto* legend = vtkSMColorMapEditorHelper::GetUseSeparateColorMap(representation)
    ? vtkSMTransferFunctionProxy::FindScalarBarRepresentation(
        vtkSMPropertyHelper(representation, "LookupTable").GetAsProxy(), view)
    : nullptr;
  if (legend)
  {
    SM_SCOPED_TRACE(PropertiesModified).arg("proxy", legend);
    vtkSMPropertyHelper(legend, "Title")
      .Set(qUtf8Printable(QString("%1, %2").arg(array, reader->getSMName())));
    legend->UpdateVTKObjects();
  }
}

constexpr int LineWidth = 3; // pixels

// Returns along which axes the reader's data have no extent.
std::array<bool, 3> FlatAxes(vtkSMSourceProxy* reader)
{
  std::array<double, 6> bounds{};
  reader->GetDataInformation(0U)->GetBounds(bounds.data());
  return { bounds[0] >= bounds[1], bounds[2] >= bounds[3], bounds[4] >= bounds[5] };
}

// Turns the camera to data that are flat, where it would look at their edge.
void TurnTo(vtkSMSourceProxy* reader, vtkSMRenderViewProxy* view)
{
  const auto [x, y, z] = FlatAxes(reader);
  if (y && !z)
  {
    view->ResetActiveCameraToPositiveY();
  }
  else if (x && !z)
  {
    view->ResetActiveCameraToNegativeX();
  }
}

// The first array as colours on the surface: ParaView's defaults for images are an uncoloured
// outline and, also for lines, which it cannot draw, a slice.
void SetColouring(
  vtkSMProxy* proxy, pqPipelineSource* reader, vtkSMViewProxy* view, ColourMap map = ColourMap::Own)
{
  auto* representation = vtkSMPVRepresentationProxy::SafeDownCast(proxy);
  if (!representation)
  {
    return;
  }
  const QString type = vtkSMPropertyHelper(proxy, "Representation", true).GetAsString();
  const auto flat = FlatAxes(reader->getSourceProxy());
  const bool isLine = type == "Slice" && std::count(flat.begin(), flat.end(), true) > 1;
  if (type == "Outline" || isLine)
  {
    SM_SCOPED_TRACE(PropertiesModified).arg("proxy", proxy);
    representation->SetRepresentationType("Surface");
    if (isLine)
    {
      vtkSMPropertyHelper(representation, "LineWidth", true).Set(LineWidth);
    }
    representation->UpdateVTKObjects();
  }
  if (representation->GetUsingScalarColoring())
  {
    representation->SetScalarBarVisibility(view, true);
    const vtkSMPropertyHelper colours(representation, "ColorArrayName");
    const QString name = colours.GetInputArrayNameToProcess();
    if (map == ColourMap::Own && UsesSharedMap(representation, name) && IsMapOfOthers(reader, name))
    {
      ColourBy(representation, reader, name, colours.GetInputArrayAssociation(), view, map);
    }
    return;
  }
  for (const int association : { vtkDataObject::POINT, vtkDataObject::CELL })
  {
    const QString name = FirstArray(reader->getSourceProxy(), association);
    if (!name.isEmpty())
    {
      ColourBy(representation, reader, name, association, view, map);
      return;
    }
  }
}

// Lets the range of colours grow with each time step, unless the user has chosen another mode.
void SetRangeMode(vtkSMProxy* representation)
{
  auto* colours = vtkSMPropertyHelper(representation, "LookupTable", true).GetAsProxy();
  if (colours &&
    vtkSMPropertyHelper(colours, "AutomaticRescaleRangeMode").GetAsInt() ==
      vtkSMTransferFunctionManager::GROW_ON_APPLY)
  {
    SM_SCOPED_TRACE(PropertiesModified).arg("proxy", colours);
    vtkSMPropertyHelper(colours, "AutomaticRescaleRangeMode")
      .Set(vtkSMTransferFunctionManager::GROW_ON_APPLY_AND_TIMESTEP);
    colours->UpdateVTKObjects();
  }
}

// Returns whether a view has data of another server, and none of the reader's.
bool IsOfOthers(const pqView* view, pqPipelineSource* reader)
{
  const auto contact = [](pqPipelineSource* one)
  { return QByteArray(vtkSMPropertyHelper(one->getProxy(), "ContactFile", true).GetAsString()); };
  bool others = false;
  for (auto* each : view->getRepresentations())
  {
    auto* data = qobject_cast<pqDataRepresentation*>(each);
    auto* input = data ? data->getInput() : nullptr;
    if (input && input->getProxy()->GetXMLName() == QString("DSMReader"))
    {
      if (contact(input) == contact(reader))
      {
        return false;
      }
      others = true;
    }
  }
  return others;
}

// The active view, else another one that can show the data, if possible one without another
// server's. By itself ParaView would make a new view, or show an image's numbers in a spreadsheet.
vtkSMViewProxy* SuitableView(pqPipelineSource* reader)
{
  auto* proxy = reader->getSourceProxy();
  vtkNew<vtkSMParaViewPipelineControllerWithRendering> controller;
  const QString preferred = controller->GetPreferredViewType(proxy, 0);
  const auto suits = [&](pqView* view)
  {
    return view &&
      (preferred.isEmpty() ? view->getViewType() != "SpreadSheetView" &&
            view->getViewProxy()->CanDisplayData(proxy, 0)
                           : view->getViewType() == preferred);
  };
  auto& objects = pqActiveObjects::instance();
  auto* active = objects.activeView();
  const auto views =
    pqApplicationCore::instance()->getServerManagerModel()->findItems<pqView*>(reader->getServer());
  const auto suitsBest = [&](pqView* view) { return suits(view) && !IsOfOthers(view, reader); };
  const auto best = std::find_if(views.begin(), views.end(), suitsBest);
  const auto found = best != views.end() ? best : std::find_if(views.begin(), views.end(), suits);
  if (!suitsBest(active) && found != views.end() && (best != views.end() || !suits(active)))
  {
    active = *found;
    objects.setActiveView(active);
  }
  return active ? active->getViewProxy() : nullptr;
}
}

namespace
{
// On a representation.
const char* const HiddenByUs = "DSMHidden";

// Shows what the reader has read in a new view.
void ShowInNewView(pqPipelineSource* reader, ColourMap map)
{
  auto* proxy = reader->getSourceProxy();
  vtkNew<vtkSMParaViewPipelineControllerWithRendering> controller;
  const QString preferred = controller->GetPreferredViewType(proxy, 0);
  auto* view = pqApplicationCore::instance()->getObjectBuilder()->createView(
    preferred.isEmpty() ? "RenderView" : preferred, reader->getServer());
  if (!view)
  {
    return;
  }
  controller->AssignViewToLayout(view->getViewProxy());
  if (auto* representation = controller->Show(proxy, 0, view->getViewProxy()))
  {
    SetColouring(representation, reader, view->getViewProxy(), map);
    if (map == ColourMap::Own)
    {
      SetRangeMode(representation);
    }
  }
  if (auto* render = vtkSMRenderViewProxy::SafeDownCast(view->getViewProxy()))
  {
    TurnTo(proxy, render);
  }
  view->resetDisplay();
}
}

QList<pqPipelineSource*> pqDSMRepresentation::withAllMadeOf(pqPipelineSource* reader)
{
  QList<pqPipelineSource*> all{ reader };
  for (qsizetype next = 0; next < all.size(); ++next)
  {
    for (auto* consumer : all[next]->getAllConsumers())
    {
      if (!all.contains(consumer))
      {
        all.append(consumer);
      }
    }
  }
  return all;
}

void pqDSMRepresentation::show(pqPipelineSource* reader, double time, bool onlyInPresentViews)
{
  auto* proxy = reader->getSourceProxy();
  auto* suitable = SuitableView(reader);
  vtkNew<vtkSMParaViewPipelineControllerWithRendering> controller;
  if (onlyInPresentViews)
  {
    const QString preferred = controller->GetPreferredViewType(proxy, 0);
    if (!suitable || !suitable->CanDisplayData(proxy, 0) ||
      (!preferred.isEmpty() && preferred != suitable->GetXMLName()))
    {
      return;
    }
  }
  auto* view = controller->ShowInPreferredView(proxy, 0, suitable);
  if (!view)
  {
    return;
  }
  if (view != suitable)
  {
    controller->AssignViewToLayout(view);
  }
  proxy->UpdatePipeline(time);
  if (auto* representation = view->FindRepresentation(proxy, 0))
  {
    SetColouring(representation, reader, view);
    SetRangeMode(representation);
  }
  auto* shown = pqApplicationCore::instance()->getServerManagerModel()->findItem<pqView*>(view);
  if (shown)
  {
    const bool isAlone = shown->getNumberOfVisibleDataRepresentations() == 1;
    auto* render = vtkSMRenderViewProxy::SafeDownCast(view);
    if (render && isAlone)
    {
      TurnTo(proxy, render);
    }
    isAlone ? shown->resetDisplay() : shown->render();
    if (render)
    {
      // Else a state file has the camera before this one until the user moves it.
      render->SynchronizeCameraProperties();
    }
  }
}

void pqDSMRepresentation::hide(pqPipelineSource* reader)
{
  vtkNew<vtkSMParaViewPipelineControllerWithRendering> controller;
  for (auto* source : withAllMadeOf(reader))
  {
    for (auto* each : source->getRepresentations(nullptr))
    {
      if (each->isVisible())
      {
        each->setProperty(HiddenByUs, true);
        controller->Hide(each->getProxy(), each->getView()->getViewProxy());
        each->getView()->render();
      }
    }
  }
}

void pqDSMRepresentation::restore(pqPipelineSource* reader)
{
  vtkNew<vtkSMParaViewPipelineControllerWithRendering> controller;
  for (auto* source : withAllMadeOf(reader))
  {
    for (auto* each : source->getRepresentations(nullptr))
    {
      if (each->property(HiddenByUs).toBool())
      {
        each->setProperty(HiddenByUs, QVariant());
        controller->Show(source->getSourceProxy(), each->getOutputPortFromInput()->getPortNumber(),
          each->getView()->getViewProxy());
        each->getView()->render();
      }
    }
  }
}

void pqDSMRepresentation::recolour(pqPipelineSource* reader)
{
  auto* proxy = reader->getSourceProxy();
  for (auto* each : reader->getRepresentations(nullptr))
  {
    auto* representation = vtkSMPVRepresentationProxy::SafeDownCast(each->getProxy());
    if (!representation || !representation->GetUsingScalarColoring())
    {
      continue;
    }
    const vtkSMPropertyHelper colours(representation, "ColorArrayName");
    auto* arrays =
      proxy->GetDataInformation(0)->GetAttributeInformation(colours.GetInputArrayAssociation());
    if (arrays && arrays->GetArrayInformation(colours.GetInputArrayNameToProcess()))
    {
      continue;
    }
    auto* view = each->getView()->getViewProxy();
    representation->SetScalarColoring(nullptr, vtkDataObject::POINT);
    SetColouring(representation, reader, view);
    SetRangeMode(representation);
    vtkNew<vtkSMTransferFunctionManager> functions;
    functions->UpdateScalarBars(view, vtkSMTransferFunctionManager::HIDE_UNUSED_SCALAR_BARS);
  }
}

void pqDSMRepresentation::showBeside(pqPipelineSource* reader)
{
  reader->getSourceProxy()->UpdatePipeline();
  // It has the colours of its stream, so that the two can be compared.
  ShowInNewView(reader, ColourMap::Shared);
}

void pqDSMRepresentation::showApart(pqPipelineSource* reader, double time)
{
  reader->getSourceProxy()->UpdatePipeline(time);
  ShowInNewView(reader, ColourMap::Own);
}

QString pqDSMRepresentation::kindOf(pqPipelineSource* reader)
{
  auto* port = reader->getSourceProxy()->GetOutputPort(0U);
  port->InvalidateDataInformation();
  return port->GetDataClassName();
}

bool pqDSMRepresentation::replace(pqPipelineSource* reader, double time)
{
  vtkNew<vtkSMParaViewPipelineControllerWithRendering> controller;
  bool visible = false;
  for (auto* each : reader->getRepresentations(nullptr))
  {
    visible = visible || each->isVisible();
    // With its colour legend. A spreadsheet has none, and ParaView would warn.
    if (each->getProxy()->GetProperty("LookupTable"))
    {
      controller->Hide(each->getProxy(), each->getView()->getViewProxy());
    }
    pqApplicationCore::instance()->getObjectBuilder()->destroy(each);
  }
  if (visible)
  {
    pqDSMRepresentation::show(reader, time, false);
  }
  return visible;
}
