// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace dsm
{

/// A GPU vendor's library (CUDA's driver, HIP's runtime) that the program has loaded. It knows
/// which addresses are memory of its devices, and copies from and to them. It is never loaded from
/// here, so that a program without a GPU pays for nothing and the build depends on no vendor.
class DeviceDriver
{
public:
  /// An allocation in a device's memory.
  struct Allocation
  {
    const std::byte* Begin = nullptr;
    std::uint64_t Size = 0;
    int Device = 0;
    void* Context = nullptr; ///< CUDA's context, or null: the device's primary context
  };

  virtual ~DeviceDriver() = default;

  /// "CUDA" or "HIP"
  virtual const char* Vendor() const = 0;

  /// Returns the allocation that has the address, or nothing if a processor reads the address
  /// itself: memory of the host, pinned or not, and managed memory.
  virtual std::optional<Allocation> Find(const void* address) const = 0;

  /// \name Copies, which are complete when they return
  /// They wait for what the program has queued on the device's default stream and on the streams
  /// that synchronize with it. Throws Error(System) if the device refuses.
  ///@{
  virtual void CopyToHost(
    void* host, const void* device, std::uint64_t size, const Allocation& allocation) const = 0;
  virtual void CopyToDevice(
    void* device, const void* host, std::uint64_t size, const Allocation& allocation) const = 0;
  ///@}

  /// Registers memory of the host whose pages stay the same until Unregister, so that the device
  /// reads and writes it itself. Returns false if the library refuses.
  virtual bool Register(void* memory, std::uint64_t size, const Allocation& user) const = 0;
  virtual void Unregister(void* memory, const Allocation& user) const = 0;

  /// Returns true if programs may load such a library while files are open: this machine has a GPU,
  /// or DSM_GPU is "on". Throws Error(Usage) if DSM_GPU is neither "on" nor "off".
  static bool IsExpected();

  /// Looks for libraries if the program has loaded any since the last look.
  static void Look();

  /// Returns true if a look has found one.
  static bool IsLoaded() { return Loaded.load(std::memory_order_acquire); }

  /// Returns the library to whose devices the address belongs and the allocation there, or null.
  static std::pair<const DeviceDriver*, Allocation> Owner(const void* address);

private:
  static std::atomic<bool> Loaded;
};

}
