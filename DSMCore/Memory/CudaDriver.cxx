// SPDX-License-Identifier: BSD-3-Clause
#include "Memory/CudaDriver.h"

#include "Base/Error.h"
#include "Memory/LibraryFunctions.h"

#include <array>
#include <utility>

namespace dsm
{

namespace
{
// CUpointer_attribute and CUmemorytype of cuda.h.
enum Attribute : int
{
  ContextOf = 1,
  MemoryType = 2,
  IsManaged = 8,
  DeviceOrdinal = 9,
  RangeBegin = 11,
  RangeSize = 12
};
constexpr unsigned OfDevice = 2;
constexpr unsigned Portable = 1; // CU_MEMHOSTREGISTER_PORTABLE
}

/// Makes an allocation's context this thread's current one.
class CudaDriver::InContext
{
public:
  InContext(const CudaDriver& driver, const Allocation& allocation)
    : Driver(driver)
    , Device(allocation.Device)
  {
    void* context = allocation.Context;
    // Pools and virtual memory belong to no context. A device's number is its handle, too.
    this->IsPrimary = !context && driver.RetainPrimary(&context, allocation.Device) == 0;
    this->IsPushed = context && driver.PushContext(context) == 0;
  }
  ~InContext()
  {
    void* popped = nullptr;
    if (this->IsPushed)
    {
      this->Driver.PopContext(&popped);
    }
    if (this->IsPrimary)
    {
      this->Driver.ReleasePrimary(this->Device);
    }
  }
  InContext(const InContext&) = delete;
  InContext& operator=(const InContext&) = delete;

private:
  const CudaDriver& Driver;
  int Device;
  bool IsPrimary = false;
  bool IsPushed = false;
};

std::unique_ptr<const DeviceDriver> CudaDriver::Make(void* library)
{
  auto made = std::make_unique<CudaDriver>();
  LibraryFunctions functions(library);
  functions.Get("cuPointerGetAttribute", made->GetAttribute);
  functions.Get("cuPointerGetAttributes", made->GetAttributes);
  functions.Get("cuMemGetAddressRange_v2", made->GetAddressRange);
  functions.Get("cuCtxPushCurrent_v2", made->PushContext);
  functions.Get("cuCtxPopCurrent_v2", made->PopContext);
  functions.Get("cuDevicePrimaryCtxRetain", made->RetainPrimary);
  functions.Get("cuDevicePrimaryCtxRelease_v2", made->ReleasePrimary);
  functions.Get("cuMemcpyDtoH_v2", made->CopyOut);
  functions.Get("cuMemcpyHtoD_v2", made->CopyIn);
  functions.Get("cuStreamSynchronize", made->Synchronize);
  functions.Get("cuMemHostRegister_v2", made->RegisterHost);
  functions.Get("cuMemHostUnregister", made->UnregisterHost);
  functions.Get("cuGetErrorString", made->GetErrorText);
  return functions.HasAll() ? std::move(made) : nullptr;
}

// Asked in the plural, CUDA says nothing of a pointer that it does not know, and that is no error.
std::optional<DeviceDriver::Allocation> CudaDriver::Find(const void* address) const
{
  const auto pointer = static_cast<Pointer>(reinterpret_cast<std::uintptr_t>(address));
  unsigned type = 0;
  unsigned isManaged = 0;
  Allocation found;
  std::array<int, 4> attributes{ MemoryType, IsManaged, DeviceOrdinal, ContextOf };
  std::array<void*, 4> values{ &type, &isManaged, &found.Device, &found.Context };
  if (this->GetAttributes(attributes.size(), attributes.data(), values.data(), pointer) != 0 ||
    type != OfDevice || isManaged != 0)
  {
    return std::nullopt;
  }
  Pointer begin = 0;
  std::size_t size = 0;
  if (this->GetAttribute(&begin, RangeBegin, pointer) != 0 ||
    this->GetAttribute(&size, RangeSize, pointer) != 0 || size == 0)
  {
    const InContext current(*this, found);
    this->Require(this->GetAddressRange(&begin, &size, pointer), "cuMemGetAddressRange",
      "find an allocation in", found);
  }
  found.Begin = static_cast<const std::byte*>(address) - (pointer - begin);
  found.Size = size;
  return found;
}

void CudaDriver::CopyToHost(
  void* host, const void* device, std::uint64_t size, const Allocation& allocation) const
{
  const InContext current(*this, allocation);
  this->Require(this->CopyOut(host, reinterpret_cast<std::uintptr_t>(device), size), "cuMemcpyDtoH",
    "copy from", allocation);
}

// From memory that is not registered the bytes may be on their way when the copy returns.
void CudaDriver::CopyToDevice(
  void* device, const void* host, std::uint64_t size, const Allocation& allocation) const
{
  const InContext current(*this, allocation);
  this->Require(this->CopyIn(reinterpret_cast<std::uintptr_t>(device), host, size), "cuMemcpyHtoD",
    "copy to", allocation);
  this->Require(this->Synchronize(nullptr), "cuStreamSynchronize", "copy to", allocation);
}

bool CudaDriver::Register(void* memory, std::uint64_t size, const Allocation& user) const
{
  const InContext current(*this, user);
  return this->RegisterHost(memory, size, Portable) == 0;
}

void CudaDriver::Unregister(void* memory, const Allocation& user) const
{
  const InContext current(*this, user);
  this->UnregisterHost(memory);
}

void CudaDriver::Require(
  int result, const char* function, const char* action, const Allocation& allocation) const
{
  if (result != 0)
  {
    const char* text = nullptr;
    this->GetErrorText(result, &text);
    throw Error(Fault::System, "cannot {} memory of CUDA device {}: {} failed: {} ({})", action,
      allocation.Device, function, text ? text : "unknown error", result);
  }
}

}
