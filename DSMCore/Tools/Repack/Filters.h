// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <hdf5.h>

#include <string>
#include <vector>

namespace dsm::repack
{

/// One of HDF5's filters, in h5repack's words:
///
///     SHUF, GZIP=6, FLET           HDF5's own shuffle, deflate at a level of 0 to 9, checksum
///     UD=32015,0,1,3               any by its number, its flags, how many values, and these
class Filter
{
public:
  /// Throws Error(Usage), and Error(Unsupported) where this HDF5 does not have it, or cannot write
  /// with it.
  static Filter FromText(const std::string& text);

  /// The same for several, in the order in which they are applied.
  static std::vector<Filter> FromTexts(const std::vector<std::string>& texts);

  /// Adds it to a dataset's creation list. Throws Error(System).
  void AddTo(hid_t creation) const;

private:
  H5Z_filter_t Number = 0;
  unsigned Flags = 0;
  std::vector<unsigned> Values;
};

}
