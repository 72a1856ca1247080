// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <hdf5.h>

#include <map>
#include <string>

namespace dsm::hdf5
{

/// Finds filters of datasets that this HDF5 lacks. Asks HDF5 once for each filter: for one that it
/// lacks, it searches the folders of plugins. Not thread-safe.
class FilterCheck
{
public:
  /// Returns why the elements of an open dataset cannot be read; empty if no filter is missing. The
  /// text names the filter and a remedy: "it is compressed by blosc (filter 32001), …".
  std::string WhyUnreadable(hid_t dataset);

private:
  bool Has(H5Z_filter_t filter);

  std::map<H5Z_filter_t, bool> Known;
};

}
