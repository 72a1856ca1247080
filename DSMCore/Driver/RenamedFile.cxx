// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/RenamedFile.h"

#include "Base/FileIdentity.h"
#include "Base/FileName.h"
#include "Base/Log.h"
#include "Driver/LiveDirectory.h"
#include "Driver/Placeholder.h"
#include "Driver/RoutingSettings.h"
#include "Protocol/SnapshotMessages.h"

#include <exception>
#include <optional>

namespace dsm
{

void TellRenamed(const std::string& name) noexcept
{
  try
  {
    const auto there = Placeholder::Read(name);
    if (!there || there->State != PlaceholderState::InMemory)
    {
      return;
    }
    const PlaceholderAddress& address = there->Address;
    auto server = LiveDirectory::Connected(address);
    if (!server)
    {
      LiveDirectory directory("viewer", 1);
      server =
        directory.Link(directory.ContactOf(address, RoutingSettings::FromEnvironment({}).Contact));
    }
    // Another program may have renamed it further while this one was connecting. That one tells the
    // name that the file has then, and the server must not hear this older one behind it.
    if (FileIdentity(name) != there->Identity)
    {
      return;
    }
    const std::string path = AbsoluteName(name);
    server->Ask(RenameFile{ path, address.Number, UnfinishedFile::Of(*there), there->Identity });
  }
  catch (const std::exception& error)
  {
    Log().debug("{} is not known to its server by that name: {}", name, error.what());
  }
}

}
