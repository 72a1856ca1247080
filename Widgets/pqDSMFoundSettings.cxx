// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMFoundSettings.h"

#include <vtkSMDoubleVectorProperty.h>
#include <vtkSMEnumerationDomain.h>
#include <vtkSMProperty.h>
#include <vtkSMPropertyHelper.h>
#include <vtkSMProxy.h>

#include <QByteArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QJsonValue>

namespace
{
void Set(vtkSMProxy* proxy, const char* property, const QString& text)
{
  vtkSMPropertyHelper(proxy, property).Set(text.toUtf8().constData());
}

void Set(vtkSMProxy* proxy, const char* property, const QJsonValue& number)
{
  vtkSMPropertyHelper helper(proxy, property);
  if (vtkSMDoubleVectorProperty::SafeDownCast(proxy->GetProperty(property)))
  {
    helper.Set(number.toDouble());
  }
  else
  {
    helper.Set(static_cast<vtkIdType>(number.toInteger()));
  }
}
}

void pqDSMFoundSettings::take(vtkSMProxy* proxy)
{
  const QByteArray status(vtkSMPropertyHelper(proxy, "ServerStatus").GetAsString());
  const QJsonObject options = QJsonDocument::fromJson(status).object()["Options"].toObject();
  const QJsonObject map = options["Map"].toObject();
  const QJsonObject transport = options["Transport"].toObject();
  const QJsonObject files = options["Files"].toObject();
  Set(proxy, "Strategy", map["Strategy"].toString());
  Set(proxy, "BlockSize", map["BlockSize"]);
  Set(proxy, "BlocksPerCycle", map["BlocksPerCycle"]);
  Set(proxy, "Seed", map["Seed"]);
  Set(proxy, "MemoryPerHost", options["MemoryPerHost"].toInteger() >> 20); // MiB
  Set(proxy, "Lending", options["Memory"].toString());
  Set(proxy, "MaximumSnapshots", options["MaximumSnapshots"]);
  auto* policies = proxy->GetProperty("WhenFull")->FindDomain<vtkSMEnumerationDomain>();
  int known = 0;
  const int policy =
    policies->GetEntryValue(options["WhenFull"].toString().toUtf8().constData(), known);
  if (known)
  {
    Set(proxy, "WhenFull", policy);
  }
  Set(proxy, "LongestWait", options["FullRingLimit"]);
  Set(proxy, "ExpectedFileSize", options["ExpectedFileSize"]);
  const QString heavy = transport["Heavy"].toString();
  const QString light = transport["Light"].toString();
  Set(proxy, "Transport", heavy);
  Set(proxy, "SmallTransport", light.isEmpty() ? QString("same") : light);
  if (!light.isEmpty())
  {
    Set(proxy, "SmallTransferSize", transport["Threshold"]);
  }
  Set(proxy, "Publish", files["Publish"].toString() == "flush" ? 1 : 0);
  Set(proxy, "NamePattern", files["Match"].toString());
  Set(proxy, "AlsoOnDisk", options["AlsoOnDisk"].toString());
  Set(proxy, "Checkpoints", options["Checkpoints"].toString());
  proxy->UpdateVTKObjects();
}
