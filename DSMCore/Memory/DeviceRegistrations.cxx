// SPDX-License-Identifier: BSD-3-Clause
#include "Memory/DeviceRegistrations.h"

#include <algorithm>

namespace dsm
{

namespace
{
// Registering takes about a millisecond for so much, once.
constexpr std::uint64_t PartSize = UINT64_C(32) << 20;
}

DeviceRegistrations::~DeviceRegistrations()
{
  for (const Registered& one : this->All)
  {
    one.User.Driver->Unregister(one.Memory, one.User.Allocation);
  }
}

void DeviceRegistrations::Use(std::span<std::byte> whole, std::uint64_t offset, std::uint64_t size,
  const DeviceBuffers::Place& user)
{
  const std::uint64_t end = std::min<std::uint64_t>(offset + size, whole.size());
  for (std::uint64_t part = offset / PartSize; part * PartSize < end; ++part)
  {
    if (part >= this->Parts.size())
    {
      this->Parts.resize(part + 1, State::Unused);
    }
    if (this->Parts[part] != State::Unused)
    {
      continue;
    }
    std::byte* const memory = whole.data() + part * PartSize;
    const bool registered = user.Driver->Register(
      memory, std::min(PartSize, whole.size() - part * PartSize), user.Allocation);
    this->Parts[part] = registered ? State::Registered : State::Refused;
    if (registered)
    {
      this->All.push_back({ memory, user });
    }
  }
}

}
