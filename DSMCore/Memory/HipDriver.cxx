// SPDX-License-Identifier: BSD-3-Clause
#include "Memory/HipDriver.h"

#include "Base/Error.h"
#include "Memory/LibraryFunctions.h"

namespace dsm
{

namespace
{
// hipPointer_attribute and hipMemcpyKind of hip_runtime_api.h.
enum Attribute : int
{
  MemoryType = 2,
  IsManaged = 8,
  DeviceOrdinal = 9,
  RangeBegin = 11,
  RangeSize = 12
};
enum Kind : int
{
  HostToDevice = 1,
  DeviceToHost = 2
};
constexpr unsigned Portable = 1; // hipHostRegisterPortable
constexpr int VersionsOfAMajor = 10'000'000;
}

/// HIP remembers the last error of each thread. A program asks for its own, and must not find one
/// of ours.
class HipDriver::KeepsLastError
{
public:
  explicit KeepsLastError(const HipDriver& driver)
    : Driver(driver)
    , HadNone(driver.PeekLastError() == 0)
  {
  }
  ~KeepsLastError()
  {
    if (this->HadNone)
    {
      this->Driver.TakeLastError();
    }
  }
  KeepsLastError(const KeepsLastError&) = delete;
  KeepsLastError& operator=(const KeepsLastError&) = delete;

private:
  const HipDriver& Driver;
  bool HadNone;
};

std::unique_ptr<const DeviceDriver> HipDriver::Make(void* library)
{
  auto made = std::make_unique<HipDriver>();
  int (*getVersion)(int*) = nullptr;
  LibraryFunctions functions(library);
  functions.Get("hipRuntimeGetVersion", getVersion);
  functions.Get("hipPointerGetAttribute", made->GetAttribute);
  functions.Get("hipMemcpy", made->CopyBytes);
  functions.Get("hipStreamSynchronize", made->Synchronize);
  functions.Get("hipHostRegister", made->RegisterHost);
  functions.Get("hipHostUnregister", made->UnregisterHost);
  functions.Get("hipPeekAtLastError", made->PeekLastError);
  functions.Get("hipGetLastError", made->TakeLastError);
  functions.Get("hipGetErrorString", made->GetErrorText);
  if (!functions.HasAll())
  {
    return nullptr;
  }
  int version = 0;
  const KeepsLastError last(*made);
  if (getVersion(&version) == 0 && version < 6 * VersionsOfAMajor)
  {
    made->OfDevice = 1;
  }
  return made;
}

std::optional<DeviceDriver::Allocation> HipDriver::Find(const void* address) const
{
  const KeepsLastError last(*this);
  int type = -1;
  unsigned isManaged = 0;
  if (this->GetAttribute(&type, MemoryType, address) != 0 || type != this->OfDevice)
  {
    return std::nullopt;
  }
  Allocation found;
  void* begin = nullptr;
  std::size_t size = 0;
  // An attribute that this version does not have stays as it is.
  this->GetAttribute(&isManaged, IsManaged, address);
  this->GetAttribute(&found.Device, DeviceOrdinal, address);
  if ((isManaged & 0xFF) != 0)
  {
    return std::nullopt;
  }
  if (this->GetAttribute(&begin, RangeBegin, address) != 0 ||
    this->GetAttribute(&size, RangeSize, address) != 0 || size == 0)
  {
    throw Error(Fault::Unsupported,
      "cannot find the allocation at {} on HIP device {}: this version of HIP does not tell it. "
      "Copy "
      "the data to the host first (hipMemcpy)",
      address, found.Device);
  }
  found.Begin = static_cast<const std::byte*>(begin);
  found.Size = size;
  return found;
}

void HipDriver::Copy(
  void* to, const void* from, std::uint64_t size, int kind, const Allocation& allocation) const
{
  const KeepsLastError last(*this);
  int result = this->CopyBytes(to, from, size, kind);
  if (result == 0 && kind == HostToDevice)
  {
    result = this->Synchronize(nullptr); // the bytes may be on their way
  }
  if (result != 0)
  {
    throw Error(Fault::System, "cannot copy {} memory of HIP device {}: hipMemcpy failed: {} ({})",
      kind == HostToDevice ? "to" : "from", allocation.Device, this->GetErrorText(result), result);
  }
}

void HipDriver::CopyToHost(
  void* host, const void* device, std::uint64_t size, const Allocation& allocation) const
{
  this->Copy(host, device, size, DeviceToHost, allocation);
}

void HipDriver::CopyToDevice(
  void* device, const void* host, std::uint64_t size, const Allocation& allocation) const
{
  this->Copy(device, host, size, HostToDevice, allocation);
}

bool HipDriver::Register(void* memory, std::uint64_t size, const Allocation&) const
{
  const KeepsLastError last(*this);
  return this->RegisterHost(memory, size, Portable) == 0;
}

void HipDriver::Unregister(void* memory, const Allocation&) const
{
  const KeepsLastError last(*this);
  this->UnregisterHost(memory);
}

}
