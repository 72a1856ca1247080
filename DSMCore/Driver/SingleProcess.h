// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Driver/MemoryFile.h"
#include "Driver/SingleProcessPolicy.h"

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

namespace dsm
{

/// Single-process I/O, as the HDF Group proposed it in 2018 (H5FD_MPIO_SINGLE_PROC_IO): of ranks
/// that all ask for the same bytes, rank 0 alone reads them and broadcasts, or writes for all.
///
/// Where it is checked, one exchange among the ranks tells whether they ask for the same; what is
/// read travels in it when it is short:
///
///     rank 0      read ----.                        .--- the bytes, if they are long
///     all         what I ask for -> [reduction] -> the same?
///
/// All functions are collective over the file's ranks, but on files that they have not opened
/// together: on these nothing is wanted.
class SingleProcess
{
public:
  /// What is done about ranks that ask for different bytes.
  enum class Check
  {
    Required, ///< the call fails on all of them
    Tried,    ///< each transfers its own
    None      ///< it is known that they do not
  };

  /// Whether a collective transfer of raw data is to go this way: as its property list says (the
  /// same on all ranks), as HDF5 has found out about a read, or as the file's policy says.
  static std::optional<Check> Wanted(OpenMemoryFile& file, hid_t dxpl, bool reads);

  /// Visits pieces (file address, buffer, bytes), in one order on all ranks. How pieces that follow
  /// one another in the file are divided may differ.
  template <typename Byte>
  using Pieces =
    std::function<void(const std::function<void(haddr_t, Byte*, std::uint64_t)>& visit)>;

  /// Reads the pieces on all ranks. False, with Check::Tried, when they are not the same. Throws
  /// AgreedError(Usage) when they have to be, and what reading throws on rank 0, on all.
  /// `transferList`: HDF5's, which may say how rank 0 moves many pieces (TransferMode).
  static bool Read(
    OpenMemoryFile& file, hid_t transferList, Check check, const Pieces<std::byte>& pieces);

  /// Writes rank 0's; what the other ranks' buffers hold is not looked at. When it returns, all
  /// ranks can read it. Otherwise as Read.
  static bool Write(
    OpenMemoryFile& file, hid_t transferList, Check check, const Pieces<const std::byte>& pieces);
};

}
