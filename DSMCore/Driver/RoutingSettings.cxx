// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/RoutingSettings.h"

#include "Base/Environment.h"
#include "Base/Error.h"
#include "Base/FileName.h"
#include "Protocol/FilePolicy.h"

namespace dsm
{

namespace
{

/// Seconds.
constexpr double DefaultReadLimit = 600;

}

RoutingSettings RoutingSettings::FromEnvironment(const std::string& contactOfAccessList)
{
  RoutingSettings settings;
  settings.Contact = contactOfAccessList.empty() ? environment::Text("DSM_CONTACT")
                                                 : std::optional(contactOfAccessList);
  if (settings.Contact)
  {
    settings.Contact = AbsoluteName(*settings.Contact);
  }
  settings.Match = environment::Text("DSM_MATCH");
  static_cast<void>(FilePolicy().WithEnvironment());
  settings.IfLost = WithoutServerFromEnvironment();
  const std::string read = environment::Text("DSM_READ").value_or("newest");
  if (read != "newest" && read != "next")
  {
    throw Error(Fault::Usage, "DSM_READ is \"{}\": newest or next", read);
  }
  settings.ReadsNext = read == "next";
  settings.ReadLimit = environment::SecondsOr("DSM_READ_LIMIT", DefaultReadLimit);
  settings.NamesOnDisk = environment::SwitchOr("DSM_PLACEHOLDERS", settings.Contact.has_value());
  settings.Transfer = TransferModeFromEnvironment();
  return settings;
}

}
