// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace dsm
{

/// Keeps an object's memory until the program ends, because MPI may still read or write there: a
/// request that a dead peer left open can neither be completed nor be cancelled for sure.
template <typename T>
void Abandon(T&& owned)
{
  static_cast<void>(std::make_unique<std::decay_t<T>>(std::forward<T>(owned)).release());
}

}
