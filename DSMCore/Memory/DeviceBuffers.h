// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Memory/DeviceDriver.h"

#include <atomic>
#include <cstdint>
#include <cstring>
#include <vector>

namespace dsm
{

/// Knows which of the program's buffers in one call of HDF5 lie in a GPU's memory. A callback of
/// the driver makes one, and whatever copies the program's bytes asks it (Copy) for as long as the
/// callback runs in this thread. Without a GPU's library the cost is a load and a branch.
class DeviceBuffers
{
public:
  /// An allocation of a device, and the driver that knows it.
  struct Place
  {
    const DeviceDriver* Driver = nullptr;
    DeviceDriver::Allocation Allocation;

    bool Contains(const void* address) const
    {
      return reinterpret_cast<std::uintptr_t>(address) -
        reinterpret_cast<std::uintptr_t>(this->Allocation.Begin) <
        this->Allocation.Size;
    }
  };

  DeviceBuffers() = default;
  explicit DeviceBuffers(const void* buffer) { this->Add(buffer); }
  ~DeviceBuffers()
  {
    if (!this->Places.empty()) [[unlikely]]
    {
      this->End();
    }
  }
  DeviceBuffers(const DeviceBuffers&) = delete;
  DeviceBuffers& operator=(const DeviceBuffers&) = delete;

  /// Adds a buffer if it lies in a device's memory.
  void Add(const void* buffer)
  {
    if (DeviceDriver::IsLoaded()) [[unlikely]]
    {
      this->AddKnown(buffer);
    }
  }

  /// Returns true if a call has a buffer in a device's memory.
  static bool Any() { return InUse.load(std::memory_order_relaxed) != 0; }

  /// Returns what a device has at an address that belongs to this thread's call, or null.
  static const Place* Find(const void* address);

  /// Adds a buffer that the host cannot read, after a look for libraries that the program has
  /// loaded since the last one. Returns false if it is no device's.
  bool Recognise(const void* buffer);

  /// Copies bytes if either end lies in a device's memory. Returns false if neither does, or the
  /// call has no such buffer: then memcpy does it.
  static bool Copy(void* to, const void* from, std::uint64_t size)
  {
    return Any() && CopyOfDevice(to, from, size);
  }

  /// memcpy for the program's bytes, wherever they are.
  static void CopyBytes(void* to, const void* from, std::uint64_t size)
  {
    if (!Copy(to, from, size))
    {
      std::memcpy(to, from, size);
    }
  }

private:
  void AddKnown(const void* buffer);
  void End();
  static bool CopyOfDevice(void* to, const void* from, std::uint64_t size);

  static std::atomic<int> InUse;
  static thread_local DeviceBuffers* OfThisThread;

  DeviceBuffers* Before = nullptr;
  std::vector<Place> Places;
};

}
