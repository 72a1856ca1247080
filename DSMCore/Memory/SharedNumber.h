// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

namespace dsm
{

/// A 64-bit number in memory that several processes map; each change of it is seen whole. It must
/// lie at a multiple of its size.
class SharedNumber
{
public:
  explicit SharedNumber(std::byte* place);

  /// After all that this thread has read before.
  std::uint64_t Load() const;

  /// As fast as a load can be. What this thread has read before may be newer.
  std::uint64_t Glance() const;

  /// Before all that this thread writes later.
  void Store(std::uint64_t number) const;

  /// The same; a lower number changes nothing.
  void Raise(std::uint64_t number) const;

  /// Stores `wanted` where `expected` is. Else false, and `expected` is what there is; also without
  /// a reason, now and then.
  bool Replace(std::uint64_t& expected, std::uint64_t wanted) const;

private:
  std::uint64_t* Place;
};

}
