// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMFoundServer.h"

#include <QJsonDocument>
#include <QJsonObject>

std::optional<pqDSMFoundServer> pqDSMFoundServer::parse(const QString& json)
{
  if (json.isEmpty())
  {
    return std::nullopt;
  }
  const auto found = QJsonDocument::fromJson(json.toUtf8()).object();
  return pqDSMFoundServer{ found["Contact"].toString(), found["IsAttachable"].toBool(),
    { found["Writers"].toString(), found["Unsaved"].toInteger(),
      found["UnsavedSize"].toInteger() } };
}
