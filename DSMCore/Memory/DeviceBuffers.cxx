// SPDX-License-Identifier: BSD-3-Clause
#include "Memory/DeviceBuffers.h"

#include <algorithm>

namespace dsm
{

std::atomic<int> DeviceBuffers::InUse = 0;
thread_local DeviceBuffers* DeviceBuffers::OfThisThread = nullptr;

void DeviceBuffers::AddKnown(const void* buffer)
{
  if (Find(buffer))
  {
    return;
  }
  const auto [driver, allocation] = DeviceDriver::Owner(buffer);
  if (!driver)
  {
    return;
  }
  if (this->Places.empty())
  {
    this->Before = OfThisThread;
    OfThisThread = this;
    InUse.fetch_add(1, std::memory_order_relaxed);
  }
  this->Places.push_back({ driver, allocation });
}

void DeviceBuffers::End()
{
  OfThisThread = this->Before;
  InUse.fetch_sub(1, std::memory_order_relaxed);
}

bool DeviceBuffers::Recognise(const void* buffer)
{
  DeviceDriver::Look();
  this->Add(buffer);
  return Find(buffer) != nullptr;
}

const DeviceBuffers::Place* DeviceBuffers::Find(const void* address)
{
  for (const DeviceBuffers* buffers = OfThisThread; buffers; buffers = buffers->Before)
  {
    const auto found = std::find_if(buffers->Places.begin(), buffers->Places.end(),
      [address](const Place& place) { return place.Contains(address); });
    if (found != buffers->Places.end())
    {
      return &*found;
    }
  }
  return nullptr;
}

bool DeviceBuffers::CopyOfDevice(void* to, const void* from, std::uint64_t size)
{
  if (size == 0)
  {
    return false;
  }
  if (const Place* const source = Find(from))
  {
    source->Driver->CopyToHost(to, from, size, source->Allocation);
    return true;
  }
  if (const Place* const target = Find(to))
  {
    target->Driver->CopyToDevice(to, from, size, target->Allocation);
    return true;
  }
  return false;
}

}
