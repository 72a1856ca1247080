// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Pieces.h"

#include <cstdint>
#include <functional>
#include <span>

namespace dsm
{

/// Moves pieces in a GPU's memory by way of a buffer in the host's memory, for all that cannot copy
/// from and to the device itself: networks, exchanges among ranks, files on disk.
namespace devicestage
{

/// From this size on each piece is worth a copy of its own.
constexpr std::uint64_t Large = UINT64_C(64) << 10;

/// The size of the buffer, of which each thread has one once it needs it.
constexpr std::uint64_t Size = UINT64_C(4) << 20;

/// Calls `write` with the same bytes in the host's memory, some at a time. When it returns it has
/// done with them. Small pieces that lie near one another leave the device in one copy.
void Move(
  std::span<const PutPiece> pieces, const std::function<void(std::span<const PutPiece>)>& write);

/// Calls `read`, which fills memory of the host before it returns, and copies that to the device.
void Move(
  std::span<const GetPiece> pieces, const std::function<void(std::span<const GetPiece>)>& read);

}

}
