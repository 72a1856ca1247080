// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMColorRange.h"

#include "pqDSMRepresentation.h"

#include <pqApplicationCore.h>
#include <pqDataRepresentation.h>
#include <pqPipelineSource.h>
#include <vtkPVArrayInformation.h>
#include <vtkSMColorMapEditorHelper.h>
#include <vtkSMPVRepresentationProxy.h>
#include <vtkSMPropertyHelper.h>
#include <vtkSMTrace.h>
#include <vtkSMTransferFunctionManager.h>
#include <vtkSMTransferFunctionProxy.h>

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <utility>

namespace
{
int ModeOf(pqDSMColorRange::Mode mode)
{
  switch (mode)
  {
    case pqDSMColorRange::Mode::Grow:
      return vtkSMTransferFunctionManager::GROW_ON_APPLY_AND_TIMESTEP;
    case pqDSMColorRange::Mode::Clamp:
      return vtkSMTransferFunctionManager::RESET_ON_APPLY_AND_TIMESTEP;
    default:
      return vtkSMTransferFunctionManager::NEVER;
  }
}

vtkSMProxy* ColorMapOf(vtkSMProxy* representation)
{
  return vtkSMPropertyHelper(representation, "LookupTable", true).GetAsProxy();
}

// The visible representations that are colored by an array.
QList<vtkSMPVRepresentationProxy*> Colored(const QList<pqPipelineSource*>& readers)
{
  QList<vtkSMPVRepresentationProxy*> found;
  for (auto* reader : readers)
  {
    for (auto* source : pqDSMRepresentation::withAllMadeOf(reader))
    {
      for (auto* each : source->getRepresentations(nullptr))
      {
        auto* proxy = vtkSMPVRepresentationProxy::SafeDownCast(each->getProxy());
        if (proxy && each->isVisible() && proxy->GetUsingScalarColoring() && ColorMapOf(proxy))
        {
          found.append(proxy);
        }
      }
    }
  }
  return found;
}

struct Range
{
  double Least = 0;
  double Most = 0;
};

// Of the values by which a representation is colored.
std::optional<Range> DataRange(vtkSMPVRepresentationProxy* representation)
{
  auto* array = vtkSMColorMapEditorHelper::GetArrayInformationForColorArray(representation);
  auto* colors = ColorMapOf(representation);
  if (!array || vtkSMPropertyHelper(colors, "IndexedLookup", true).GetAsInt() ||
    vtkSMPropertyHelper(representation, "MapScalars", true).GetAsInt() == 0)
  {
    return std::nullopt;
  }
  const bool isVector = array->GetNumberOfComponents() > 1;
  const bool isComponent = vtkSMPropertyHelper(colors, "VectorMode", true).GetAsInt() != 0;
  const int component = !isVector ? 0
    : isComponent                 ? vtkSMPropertyHelper(colors, "VectorComponent", true).GetAsInt()
                                  : -1;
  if (component >= array->GetNumberOfComponents())
  {
    return std::nullopt;
  }
  const double* range = array->GetComponentFiniteRange(component);
  return range[0] <= range[1] ? std::optional(Range{ range[0], range[1] }) : std::nullopt;
}
}

void pqDSMColorRange::setMode(Mode mode)
{
  this->HasChanged = this->HasChanged || (mode != this->Current && !this->Known.empty());
  this->Current = mode;
}

void pqDSMColorRange::clear()
{
  this->Known.clear();
}

void pqDSMColorRange::update(const QList<pqPipelineSource*>& readers)
{
  const bool all = std::exchange(this->HasChanged, false);
  QList<vtkSMProxy*> changed;
  for (auto* representation : Colored(readers))
  {
    auto* colors = ColorMapOf(representation);
    const bool isNew = !this->Known.contains(colors->GetGlobalID());
    vtkSMPropertyHelper mode(colors, "AutomaticRescaleRangeMode");
    const int wanted = ModeOf(this->Current);
    const bool isDefault = mode.GetAsInt() == vtkSMTransferFunctionManager::GROW_ON_APPLY ||
      mode.GetAsInt() == vtkSMTransferFunctionManager::GROW_ON_APPLY_AND_TIMESTEP;
    this->Known.insert(colors->GetGlobalID());
    if (mode.GetAsInt() != wanted && (all || (isNew && isDefault)))
    {
      SM_SCOPED_TRACE(PropertiesModified).arg("proxy", colors);
      mode.Set(wanted);
      colors->UpdateVTKObjects();
      changed.append(representation);
    }
  }
  if (!changed.empty() && this->Current != Mode::Never)
  {
    for (auto* one : changed)
    {
      vtkSMColorMapEditorHelper::RescaleTransferFunctionToDataRange(
        one, this->Current == Mode::Grow, true);
    }
    pqApplicationCore::instance()->render();
  }
}

std::optional<pqDSMColorRange::Outside> pqDSMColorRange::find(
  const QList<pqPipelineSource*>& readers)
{
  for (auto* representation : Colored(readers))
  {
    const auto data = DataRange(representation);
    double colors[2] = { 0, 0 };
    if (!data || !vtkSMTransferFunctionProxy::GetRange(ColorMapOf(representation), colors))
    {
      continue;
    }
    // ParaView itself widens a range that has no width.
    const double tolerance =
      1e-5 * std::max({ colors[1] - colors[0], std::abs(colors[0]), std::abs(colors[1]) });
    if (data->Least < colors[0] - tolerance || data->Most > colors[1] + tolerance)
    {
      const QString name =
        vtkSMPropertyHelper(representation, "ColorArrayName").GetInputArrayNameToProcess();
      return Outside{ QCoreApplication::translate("pqDSMColorRange",
                        "%1 has values from %2 to %3. The colors only go from %4 to %5.")
                        .arg(name)
                        .arg(data->Least, 0, 'g', 4)
                        .arg(data->Most, 0, 'g', 4)
                        .arg(colors[0], 0, 'g', 4)
                        .arg(colors[1], 0, 'g', 4),
        representation };
    }
  }
  return std::nullopt;
}

void pqDSMColorRange::rescale(vtkSMProxy* representation)
{
  vtkSMColorMapEditorHelper::RescaleTransferFunctionToDataRange(representation, false, true);
  pqApplicationCore::instance()->render();
}
