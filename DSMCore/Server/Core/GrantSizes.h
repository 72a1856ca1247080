// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Server/Core/ImageState.h"

#include <cstdint>
#include <string>

namespace dsm
{

/// Computes how many file bytes a new image is granted.
class GrantSizes
{
public:
  explicit GrantSizes(const ImageState& state);

  /// The size by which a file may exceed the last one of its stream without a request.
  static std::uint64_t WithMargin(std::uint64_t bytes);

  /// The likely size of a file; 0 if nothing is known of it.
  std::uint64_t Expected(const std::string& fileName) const;

  /// The grant of an image of unknown size. As many small files as there are slots can be open at
  /// once. An image that grows asks a few times.
  std::uint64_t First(const AddressMap& map) const;

  /// The grant of an image that is expected to have `expected` bytes; 0: unknown. The image gets
  /// all of a slot that is ready if that is not much more, because pages beyond a grant must be
  /// released. If its size is unknown, it gets them in any case: they are a part of what is lent,
  /// and the next file asks for less.
  std::uint64_t ForNew(const AddressMap& map, std::uint64_t expected) const;

  /// The grant of an image that continues a file of `size` bytes in its slot: as much more as the
  /// file grew the last time, or a little.
  std::uint64_t ForReopened(
    const std::string& fileName, const AddressMap& map, SlotIndex slot, std::uint64_t size) const;

  /// How much is made ready for each of many files of unknown size.
  std::uint64_t FirstReady() const;
  /// How much is made ready for one large file of unknown size.
  std::uint64_t LargeFirstReady() const;

private:
  std::uint64_t GrantedUnforeseen() const;

  const ImageState& State;
};

}
