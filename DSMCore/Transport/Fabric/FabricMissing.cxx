// SPDX-License-Identifier: BSD-3-Clause
// In place of the fabric transport in builds without libfabric.
#include "Base/Error.h"
#include "Transport/Fabric/Fabric.h"
#include "Transport/Fabric/FabricHost.h"

namespace dsm
{

namespace
{
[[noreturn]] void Missing()
{
  throw Error(Fault::Unsupported,
    "the transport \"fabric\" is not in this build of ParaView DSM, because libfabric was not "
    "there "
    "when it was configured: install libfabric's development files and configure again, or choose "
    "another transport");
}
}

class Fabric::Implementation
{
};

Fabric::Fabric(const ServerDescription&, const std::string&, const std::vector<HostIndex>&)
{
  Missing();
}

Fabric::~Fabric() = default;
std::string Fabric::Name() const
{
  return "fabric";
}
void Fabric::Put(HostIndex, std::uint64_t, const void*, std::uint64_t) {}
void Fabric::Get(HostIndex, std::uint64_t, void*, std::uint64_t) {}
void Fabric::Flush() {}
void Fabric::UseBounceBuffers() {}

class FabricHost::Implementation
{
public:
  std::vector<FabricAddress> Addresses;
};

FabricHost::FabricHost(
  const LentSegment&, const TransportChoice& choice, const std::vector<std::string>&)
  : Self(std::make_unique<Implementation>())
{
  if (choice.Heavy.starts_with("fabric") || choice.Light.starts_with("fabric"))
  {
    Missing();
  }
}

FabricHost::~FabricHost() = default;

const std::vector<FabricAddress>& FabricHost::Addresses() const
{
  return this->Self->Addresses;
}

std::vector<std::string> FabricHost::Describe() const
{
  return {};
}

PinningNeed FabricHost::NeedsPinned(const TransportChoice&)
{
  return {};
}

}
