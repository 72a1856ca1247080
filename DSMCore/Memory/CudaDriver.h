// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Memory/DeviceDriver.h"

namespace dsm
{

/// CUDA's driver, libcuda.so.
class CudaDriver final : public DeviceDriver
{
public:
  /// Returns null if the library lacks a function.
  static std::unique_ptr<const DeviceDriver> Make(void* library);

  const char* Vendor() const override { return "CUDA"; }
  std::optional<Allocation> Find(const void* address) const override;
  void CopyToHost(void* host, const void* device, std::uint64_t size,
    const Allocation& allocation) const override;
  void CopyToDevice(void* device, const void* host, std::uint64_t size,
    const Allocation& allocation) const override;
  bool Register(void* memory, std::uint64_t size, const Allocation& user) const override;
  void Unregister(void* memory, const Allocation& user) const override;

private:
  class InContext;

  void Require(
    int result, const char* function, const char* action, const Allocation& allocation) const;

  using Pointer = unsigned long long; // CUdeviceptr

  int (*GetAttribute)(void* value, int attribute, Pointer) = nullptr;
  int (*GetAttributes)(unsigned count, int* attributes, void** values, Pointer) = nullptr;
  int (*GetAddressRange)(Pointer* begin, std::size_t* size, Pointer) = nullptr;
  int (*PushContext)(void* context) = nullptr;
  int (*PopContext)(void** context) = nullptr;
  int (*RetainPrimary)(void** context, int device) = nullptr;
  int (*ReleasePrimary)(int device) = nullptr;
  int (*CopyOut)(void* host, Pointer device, std::size_t size) = nullptr;
  int (*CopyIn)(Pointer device, const void* host, std::size_t size) = nullptr;
  int (*Synchronize)(void* stream) = nullptr;
  int (*RegisterHost)(void* memory, std::size_t size, unsigned flags) = nullptr;
  int (*UnregisterHost)(void* memory) = nullptr;
  int (*GetErrorText)(int result, const char** text) = nullptr;
};

}
