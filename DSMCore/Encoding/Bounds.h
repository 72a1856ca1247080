// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

namespace dsm
{

/// No record of ours nests deeper. What anybody sends is read by functions that call themselves, so
/// without a bound a few kilobytes of "[[[[" end the process.
constexpr int DeepestNesting = 32;

/// True for CBOR (RFC 8949) as Encode makes it: one item that is nested no deeper than that, with
/// all lengths given and within the bytes, and without tags. Thread safe; needs no more stack for
/// deep nesting.
bool IsBoundedCbor(const std::uint8_t* data, std::size_t size);

}
