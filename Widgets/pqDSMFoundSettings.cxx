// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMFoundSettings.h"

#include <vtkPVXMLElement.h>
#include <vtkSMDoubleVectorProperty.h>
#include <vtkSMProperty.h>
#include <vtkSMPropertyHelper.h>
#include <vtkSMProxy.h>

#include <QByteArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QJsonValue>

#include <algorithm>

namespace
{
// How many bytes a property's 1 is; 1 for what is no size.
qint64 Unit(vtkSMProperty* property)
{
  auto* hints = property->GetHints();
  auto* size = hints ? hints->FindNestedElementByName("Size") : nullptr;
  int unit = 1;
  if (size)
  {
    size->GetScalarAttribute("unit", &unit);
  }
  return std::max(unit, 1);
}
}

void pqDSMFoundSettings::take(vtkSMProxy* proxy)
{
  const QByteArray text(vtkSMPropertyHelper(proxy, "SettingsInForce").GetAsString());
  const QJsonObject settings = QJsonDocument::fromJson(text).object();
  for (auto each = settings.begin(); each != settings.end(); ++each)
  {
    auto* property = proxy->GetProperty(each.key().toUtf8().constData());
    if (!property)
    {
      continue;
    }
    vtkSMPropertyHelper helper(property);
    if (each.value().isString())
    {
      helper.Set(each.value().toString().toUtf8().constData());
    }
    else if (vtkSMDoubleVectorProperty::SafeDownCast(property))
    {
      helper.Set(each.value().toDouble());
    }
    else
    {
      helper.Set(static_cast<vtkIdType>(each.value().toInteger() / Unit(property)));
    }
  }
  proxy->UpdateVTKObjects();
}
