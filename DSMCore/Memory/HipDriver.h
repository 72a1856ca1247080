// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Memory/DeviceDriver.h"

namespace dsm
{

/// HIP's runtime, libamdhip64.so.
class HipDriver final : public DeviceDriver
{
public:
  /// Returns null if the library lacks a function.
  static std::unique_ptr<const DeviceDriver> Make(void* library);

  const char* Vendor() const override { return "HIP"; }
  std::optional<Allocation> Find(const void* address) const override;
  void CopyToHost(void* host, const void* device, std::uint64_t size,
    const Allocation& allocation) const override;
  void CopyToDevice(void* device, const void* host, std::uint64_t size,
    const Allocation& allocation) const override;
  bool Register(void* memory, std::uint64_t size, const Allocation& user) const override;
  void Unregister(void* memory, const Allocation& user) const override;

private:
  class KeepsLastError;

  void Copy(
    void* to, const void* from, std::uint64_t size, int kind, const Allocation& allocation) const;

  int OfDevice = 2; ///< hipMemoryTypeDevice, which ROCm 6 has changed
  int (*GetAttribute)(void* value, int attribute, const void* pointer) = nullptr;
  int (*CopyBytes)(void* to, const void* from, std::size_t size, int kind) = nullptr;
  int (*Synchronize)(void* stream) = nullptr;
  int (*RegisterHost)(void* memory, std::size_t size, unsigned flags) = nullptr;
  int (*UnregisterHost)(void* memory) = nullptr;
  int (*PeekLastError)() = nullptr;
  int (*TakeLastError)() = nullptr;
  const char* (*GetErrorText)(int result) = nullptr;
};

}
