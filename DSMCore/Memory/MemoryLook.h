// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Clock.h"

#include <cstdint>
#include <functional>
#include <mutex>

namespace dsm
{

/// How much memory there is, looked at no more often than it must be: a look reads several files of
/// the system's (AvailableMemory), which takes as long as to make a small file's pages. What was
/// seen is believed for a tenth of a second, and for 64 MiB that were taken of it since; or for an
/// eighth of it, if that is less, because other processes take of it as well. Thread safe.
class MemoryLook
{
public:
  static constexpr std::uint64_t Believed = UINT64_C(64) << 20;
  static constexpr Seconds Good{ 0.1 };

  /// `look`: bytes that are there now.
  explicit MemoryLook(std::function<std::uint64_t()> look);

  /// What is going to be taken. False when there is less.
  bool Take(std::uint64_t bytes);

  /// Bytes that were there at the last look.
  std::uint64_t Seen() const;

private:
  std::function<std::uint64_t()> Look;
  mutable std::mutex Guard;
  std::uint64_t Found = 0;
  std::uint64_t Left = 0; ///< that may be taken before the next look
  Clock::time_point At{};
};

}
