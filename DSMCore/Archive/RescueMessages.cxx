// SPDX-License-Identifier: BSD-3-Clause
#include "Archive/RescueMessages.h"

#include "Encoding/Fields.h"

namespace dsm
{

void Describe(Fields& fields, RescueServer& message)
{
  fields("Server", message.Server);
  fields("Contact", message.Contact);
  fields("Folder", message.Folder);
}

void Describe(Fields& fields, RescueSnapshot& message)
{
  fields("Snapshot", message.Snapshot);
}

void Describe(Fields& fields, SnapshotSaved& message)
{
  fields("Number", message.Number);
}

void Describe(Fields&, EndRescue&) {}

void Describe(Fields& fields, RescueEnded& message)
{
  fields("Unsaved", message.Unsaved);
  fields("GoesOn", message.GoesOn);
}

}
