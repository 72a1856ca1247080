// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <functional>

namespace dsm
{

/// Says whether numbers of a kind are positions, to which a number of bytes can be added.
template <typename Kind>
constexpr bool IsPosition = false;

template <>
inline constexpr bool IsPosition<struct FileOffsetKind> = true;

/// A number that names one thing of a kind, as an index or an identifier. The compiler makes it
/// from a literal, but from a variable only if the code says so: arguments in the wrong order do
/// not compile. It becomes an integer by itself: it indexes arrays and counts bytes. Two kinds do
/// not compare.
template <typename Kind>
class StrongType
{
public:
  constexpr StrongType() = default;
  constexpr explicit StrongType(std::uint64_t number)
    : Number(number)
  {
  }
  template <std::same_as<int> Literal>
  consteval StrongType(Literal literal)
    : Number{ literal < 0 ? NegativeLiteral() : static_cast<std::uint64_t>(literal) }
  {
  }

  constexpr operator std::uint64_t() const { return this->Number; }

  constexpr StrongType& operator++()
  {
    ++this->Number;
    return *this;
  }

  /// \name A position that so many bytes follow
  ///@{
  constexpr StrongType& operator+=(std::integral auto bytes)
    requires IsPosition<Kind>
  {
    this->Number += bytes;
    return *this;
  }
  friend constexpr StrongType operator+(StrongType position, std::integral auto bytes)
    requires IsPosition<Kind>
  {
    position += bytes;
    return position;
  }
  ///@}

  friend constexpr auto operator<=>(const StrongType&, const StrongType&) = default;
  constexpr bool operator==(std::integral auto number) const
  {
    return this->Number == static_cast<std::uint64_t>(number);
  }
  constexpr auto operator<=>(std::integral auto number) const
  {
    return this->Number <=> static_cast<std::uint64_t>(number);
  }
  template <typename Other>
    requires(!std::same_as<Kind, Other>)
  bool operator==(const StrongType<Other>&) const = delete;
  template <typename Other>
    requires(!std::same_as<Kind, Other>)
  std::strong_ordering operator<=>(const StrongType<Other>&) const = delete;

  /// Returns the number, for fmt.
  friend constexpr std::uint64_t format_as(const StrongType& value) { return value.Number; }

private:
  /// Is not constexpr, so the compiler refuses negative literals. It has no body.
  static std::uint64_t NegativeLiteral();

  std::uint64_t Number = 0;
};

using HostIndex = StrongType<struct HostKind>; ///< its rank among the hosts of a server
using SlotIndex = StrongType<struct SlotKind>; ///< among the slots, the same on each host
/// The number of a snapshot: 1, 2, 3, … in the order of sealing. 0: none.
using SnapshotId = StrongType<struct SnapshotKind>;
/// The number of an image, a file that is being written: 1, 2, 3, … in the order of beginning. It
/// is no number of the snapshots that the image becomes. 0: none.
using ImageId = StrongType<struct ImageKind>;
/// The position of a byte in a file, from the file's first byte: HDF5's address. It is no offset in
/// a host's memory.
using FileOffset = StrongType<struct FileOffsetKind>;

}

template <typename Kind>
struct std::hash<dsm::StrongType<Kind>> : std::hash<std::uint64_t>
{
};
