// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMBlankPicture.h"

#include "pqDSMColorRange.h"
#include "pqDSMFollower.h"
#include "pqDSMRepresentation.h"

#include <pqActiveObjects.h>
#include <pqApplicationCore.h>
#include <pqDataRepresentation.h>
#include <pqOutputPort.h>
#include <pqPipelineFilter.h>
#include <pqPipelineSource.h>
#include <pqRenderView.h>
#include <pqUndoStack.h>
#include <vtkBoundingBox.h>
#include <vtkCamera.h>
#include <vtkDataObject.h>
#include <vtkPVArrayInformation.h>
#include <vtkPVDataInformation.h>
#include <vtkPVDataSetAttributesInformation.h>
#include <vtkSMArrayListDomain.h>
#include <vtkSMPropertyHelper.h>
#include <vtkSMPropertyIterator.h>
#include <vtkSMRenderViewProxy.h>
#include <vtkSMSourceProxy.h>
#include <vtkSMStringVectorProperty.h>
#include <vtkSMTrace.h>

#include <QCoreApplication>
#include <QPointer>

#include <algorithm>
#include <array>

using Reason = pqDSMBlankPicture::Reason;

namespace
{
QString Say(const char* text)
{
  return QCoreApplication::translate("pqDSMBlankPicture", text);
}

bool IsVisible(pqPipelineSource* source)
{
  const auto all = source->getRepresentations(nullptr);
  return std::any_of(
    all.begin(), all.end(), [](const pqDataRepresentation* each) { return each->isVisible(); });
}

// The array that a property names, and where its data come from; nothing where it names none.
struct Wanted
{
  vtkSMStringVectorProperty* Property = nullptr;
  int Association = 0;
  QString Name;
};

// Five texts are an array: index, port, connection, association, name.
std::optional<Wanted> ArrayOf(vtkSMProperty* property)
{
  auto* texts = vtkSMStringVectorProperty::SafeDownCast(property);
  if (!texts || texts->GetInformationOnly() || texts->GetNumberOfElements() != 5 ||
    !texts->FindDomain<vtkSMArrayListDomain>())
  {
    return std::nullopt;
  }
  const QString name = QString::fromUtf8(texts->GetElement(4));
  if (name.isEmpty())
  {
    return std::nullopt;
  }
  return Wanted{ texts, QString(texts->GetElement(3)).toInt(), name };
}

bool Has(vtkPVDataInformation* data, int association, const QString& name)
{
  auto* arrays = data->GetAttributeInformation(association);
  return !arrays || arrays->GetArrayInformation(name.toUtf8().constData());
}

QString AnyArray(vtkPVDataInformation* data, int association)
{
  auto* arrays = data->GetAttributeInformation(association);
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

// Whether the file has it, and it is not loaded: as the property for arrays of points or cells has
// it.
vtkSMStringVectorProperty* Unloaded(pqPipelineSource* reader, int association, const QString& name)
{
  auto* loaded = vtkSMStringVectorProperty::SafeDownCast(reader->getProxy()->GetProperty(
    association == vtkDataObject::CELL ? "CellArrayStatus" : "PointArrayStatus"));
  for (unsigned int index = 0; loaded && index + 1 < loaded->GetNumberOfElements(); index += 2)
  {
    if (name == loaded->GetElement(index) && QString(loaded->GetElement(index + 1)) == "0")
    {
      return loaded;
    }
  }
  return nullptr;
}

void SetElement(vtkSMStringVectorProperty* property, vtkSMProxy* proxy, unsigned int element,
  const QString& value)
{
  SM_SCOPED_TRACE(PropertiesModified).arg("proxy", proxy);
  property->SetElement(element, value.toUtf8().constData());
  proxy->UpdateVTKObjects();
}

// An array that a filter works on has gone.
std::optional<Reason> MissingArray(pqDSMFollower& follower, pqPipelineSource* reader)
{
  for (auto* source : pqDSMRepresentation::withAllMadeOf(reader))
  {
    auto* filter = qobject_cast<pqPipelineFilter*>(source);
    auto* input = filter ? filter->getInput(0) : nullptr;
    if (!input || filter->modifiedState() == pqProxy::UNINITIALIZED)
    {
      continue;
    }
    auto* data = input->getSourceProxy()->GetDataInformation(0);
    vtkSmartPointer<vtkSMPropertyIterator> each =
      vtkSmartPointer<vtkSMPropertyIterator>::Take(filter->getProxy()->NewPropertyIterator());
    for (each->Begin(); !each->IsAtEnd(); each->Next())
    {
      const auto wanted = ArrayOf(each->GetProperty());
      if (!wanted || wanted->Association > vtkDataObject::CELL ||
        Has(data, wanted->Association, wanted->Name))
      {
        continue;
      }
      const QString needs = Say("%1 needs array \"%2\", which this data does not have.")
                              .arg(filter->getSMName(), wanted->Name);
      QPointer<pqPipelineSource> safe(filter);
      QPointer<pqPipelineSource> from(reader);
      if (auto* loaded = Unloaded(reader, wanted->Association, wanted->Name))
      {
        return Reason{ needs, Say("Load %1").arg(wanted->Name),
          [loaded, from, name = wanted->Name, &follower]
          {
            for (unsigned int index = 0; from && index + 1 < loaded->GetNumberOfElements();
              index += 2)
            {
              if (name == loaded->GetElement(index))
              {
                SetElement(loaded, from->getProxy(), index + 1, "1");
                follower.contentsChanged(from);
              }
            }
          } };
      }
      const QString other = AnyArray(data, wanted->Association);
      if (!other.isEmpty())
      {
        return Reason{ needs, Say("Use %1").arg(other), [property = wanted->Property, safe, other]
          {
            if (safe)
            {
              SetElement(property, safe->getProxy(), 4, other);
              safe->renderAllViews();
            }
          } };
      }
    }
  }
  return std::nullopt;
}

// Whether nothing of a box is between the sides of what a camera sees.
bool IsOutside(const vtkBoundingBox& box, vtkCamera* camera, double aspect)
{
  std::array<double, 24> planes{};
  camera->GetFrustumPlanes(aspect, planes.data());
  // Left, right, bottom, top; the other two follow what there is.
  for (std::size_t side = 0; side < 4; ++side)
  {
    const double* plane = &planes[std::size_t{ 4 } * side];
    bool outside = true;
    for (int corner = 0; corner < 8 && outside; ++corner)
    {
      std::array<double, 3> point{};
      box.GetCorner(corner, point.data());
      outside = plane[0] * point[0] + plane[1] * point[1] + plane[2] * point[2] + plane[3] < 0;
    }
    if (outside)
    {
      return true;
    }
  }
  return false;
}

std::optional<Reason> OutsideTheView(const QList<pqPipelineSource*>& readers)
{
  auto* view = qobject_cast<pqRenderView*>(pqActiveObjects::instance().activeView());
  if (!view)
  {
    return std::nullopt;
  }
  vtkBoundingBox box;
  for (auto* reader : readers)
  {
    for (auto* source : pqDSMRepresentation::withAllMadeOf(reader))
    {
      for (auto* each : source->getRepresentations(view))
      {
        if (each->isVisible())
        {
          std::array<double, 6> bounds{};
          each->getOutputPortFromInput()->getDataInformation()->GetBounds(bounds.data());
          if (vtkBoundingBox::IsValid(bounds.data()))
          {
            box.AddBounds(bounds.data());
          }
        }
      }
    }
  }
  const QSize size = view->getSize();
  auto* camera = view->getRenderViewProxy()->GetActiveCamera();
  if (!box.IsValid() || size.isEmpty() || !camera ||
    !IsOutside(box, camera, static_cast<double>(size.width()) / size.height()))
  {
    return std::nullopt;
  }
  QPointer<pqRenderView> safe(view);
  return Reason{ Say("The data is outside the view."), Say("Reset Camera"), [safe]
    {
      if (safe)
      {
        safe->resetCamera();
      }
    } };
}

std::optional<Reason> OutsideTheColors(const QList<pqPipelineSource*>& readers)
{
  const auto outside = pqDSMColorRange::find(readers);
  if (!outside)
  {
    return std::nullopt;
  }
  return Reason{ outside->Text, Say("Rescale"), [representation = outside->Representation]
    {
      if (representation)
      {
        SCOPED_UNDO_SET(Say("Rescale"));
        pqDSMColorRange::rescale(representation);
      }
    } };
}
}

std::optional<Reason> pqDSMBlankPicture::find(pqDSMFollower& follower)
{
  const QString deleted = follower.withoutReader();
  if (!deleted.isEmpty())
  {
    return Reason{ Say("The reader of %1 was deleted.").arg(deleted), Say("Recreate"),
      [deleted, &follower] { follower.want(deleted); } };
  }
  const auto readers = follower.readers();
  for (auto* reader : readers)
  {
    if (const auto missing = MissingArray(follower, reader))
    {
      return missing;
    }
  }
  const bool anyVisible = std::any_of(readers.begin(), readers.end(),
    [](pqPipelineSource* reader)
    {
      const auto all = pqDSMRepresentation::withAllMadeOf(reader);
      return std::any_of(all.begin(), all.end(), IsVisible);
    });
  if (!readers.empty() && !anyVisible)
  {
    QPointer<pqPipelineSource> first(readers.first());
    return Reason{ Say("Nothing is visible in any view."), Say("Show"), [first, &follower]
      {
        if (first)
        {
          SCOPED_UNDO_SET(Say("Show"));
          pqDSMRepresentation::show(first, follower.sceneTime(), false);
        }
      } };
  }
  if (const auto outside = OutsideTheView(readers))
  {
    return outside;
  }
  return OutsideTheColors(readers);
}
