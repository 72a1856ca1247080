// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace dsm
{

/// A right that a peer has. Each right includes those before it. Guests have one of the first two.
///
/// Each message that peers send declares the right that it needs as `Needs`. A message whose
/// contents may need more has a method `Needed`.
enum class Right
{
  Look,  ///< open and read snapshots, see what is declared and what becomes of changes
  Steer, ///< change values, send commands
  Write, ///< be a simulation: files, declarations, progress
  Own    ///< all else: host, invite, save to disk
};

}
