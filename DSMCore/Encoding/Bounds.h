// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace dsm
{

/// No record of ours nests deeper. What anybody sends is read by functions that call themselves, so
/// without a bound a few kilobytes of "[[[[" end the process.
constexpr int DeepestNesting = 32;

/// Nor does a PlainValue, which is handed on in other records than it came in: one that was just
/// within the bound would be beyond it there, and nobody could read that record.
constexpr int DeepestValue = 8;

/// No record of ours has as many values (names in records are some as well). Each is a byte where
/// it comes from, and up to a hundred when it is read: without a bound the largest message would
/// take gigabytes.
constexpr std::uint64_t MostValues = UINT64_C(1) << 22;

}
