// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Hdf5Filters.h"

#include "Describe/Hdf5Handle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace dsm::hdf5
{

std::string FilterCheck::WhyUnreadable(hid_t dataset)
{
  const PropertiesHandle creation(H5Dget_create_plist(dataset));
  for (int index = 0; index < H5Pget_nfilters(creation); ++index)
  {
    char name[64] = "";
    std::size_t values = 0;
    unsigned flags = 0;
    const H5Z_filter_t filter = H5Pget_filter2(creation, static_cast<unsigned>(index), &flags,
      &values, nullptr, sizeof name - 1, name, nullptr);
    if (filter >= 0 && !this->Has(filter))
    {
      // Some names go on with an address: "bitshuffle; see https://…".
      const std::string known(name, std::min(sizeof name, std::strcspn(name, ";")));
      return fmt::format("it is compressed by {}, which this HDF5 does not have: name the folder "
                         "of the filter's plugin in HDF5_PLUGIN_PATH, or write without the filter",
        known.empty() ? fmt::format("filter {}", filter)
                      : fmt::format("{} (filter {})", known, filter));
    }
  }
  return {};
}

bool FilterCheck::Has(H5Z_filter_t filter)
{
  const auto [known, isNew] = this->Known.try_emplace(filter, false);
  if (isNew)
  {
    known->second = H5Zfilter_avail(filter) > 0;
  }
  return known->second;
}

}
