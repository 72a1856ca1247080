// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace dsm
{

/// Keeps an object's memory until the process ends, because MPI may still read or write there: a
/// request that another process left open can neither be completed nor be cancelled for sure. For
/// destructors too: it never throws. Only when no memory is left for that, the object stays with
/// its owner.
template <typename T>
void Leak(T&& owned) noexcept
{
  using Kept = std::decay_t<T>;
  static_assert(std::is_nothrow_constructible_v<Kept, T&&>, "give it an object that can be moved");
  static_cast<void>(
    std::unique_ptr<Kept>(new (std::nothrow) Kept(std::forward<T>(owned))).release());
}

}
