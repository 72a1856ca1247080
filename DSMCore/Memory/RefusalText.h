// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Error.h"

#include <cstdint>
#include <string>

/// Why the server refuses to grow an image, as text in host 0's memory (SegmentLayout::ReasonOf).
/// The text names the generation of the slot that it is meant for, so nobody takes it for
/// another's.
namespace dsm::refusaltext
{

/// Returns exactly SegmentLayout::LongestReason bytes, the last of which is zero. Longer words are
/// cut.
std::string Encode(std::uint64_t generation, const Error& why);

/// Returns the error in a text. If the text is meant for another generation, returns an
/// Error(RingFull) that refers to the server's log.
Error Decode(std::uint64_t generation, const std::string& text);

}
