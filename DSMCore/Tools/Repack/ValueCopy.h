// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Tools/Repack/DatasetPlan.h"

#include <cstdint>
#include <functional>

namespace dsm::repack
{

/// Copies values of a dataset whose type HasFixedSize.
class ValueCopy
{
public:
  /// `moved` is told how many bytes, as they go.
  explicit ValueCopy(std::function<void(std::uint64_t)> moved)
    : Moved(std::move(moved))
  {
  }

  /// Those of a box into a dataset that was made for it (DatasetPlan::Space, CreationList). Chunks
  /// that keep their filters are not decompressed. Throws Error(System).
  void Copy(hid_t from, hid_t to, const DatasetPlan& plan, const Box& box) const;

private:
  void CopyChunks(hid_t from, hid_t to, const Box& box) const;
  void CopyPieces(hid_t from, hid_t to, const DatasetPlan& plan, const Box& box) const;

  std::function<void(std::uint64_t)> Moved;
};

}
