// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Memory/DeviceBuffers.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dsm
{

/// Registers parts of this process's memory with a GPU's driver when they are first used for a
/// copy, so that the device reads and writes them itself. Only for memory whose pages stay the
/// same: the device goes on with the pages that it was given.
class DeviceRegistrations
{
public:
  DeviceRegistrations() = default;
  ~DeviceRegistrations();
  DeviceRegistrations(const DeviceRegistrations&) = delete;
  DeviceRegistrations& operator=(const DeviceRegistrations&) = delete;
  DeviceRegistrations(DeviceRegistrations&&) = default;
  DeviceRegistrations& operator=(DeviceRegistrations&&) = delete;

  /// Registers the parts of `whole` that have the bytes from `offset` on. A part that the driver
  /// has refused once is not offered again: it is copied without.
  void Use(std::span<std::byte> whole, std::uint64_t offset, std::uint64_t size,
    const DeviceBuffers::Place& user);

private:
  enum class State : std::uint8_t
  {
    Unused,
    Registered,
    Refused
  };
  struct Registered
  {
    std::byte* Memory;
    DeviceBuffers::Place User;
  };

  std::vector<State> Parts;
  std::vector<Registered> All;
};

}
