// SPDX-License-Identifier: BSD-3-Clause
#include "Tools/Repack/Filters.h"

#include "Base/Error.h"
#include "Tools/Hdf5Objects.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>

namespace dsm::repack
{

namespace
{
[[noreturn]] void Refuse(const std::string& text)
{
  throw Error(Fault::Usage,
    "\"{}\" is no filter: say SHUF, GZIP=6 (0 to 9), FLET, or UD= with a filter's number, its "
    "flags, the number of its values and these (UD=32015,0,1,3)",
    text);
}

// "32015,0,1,3"
std::vector<unsigned> Numbers(std::string_view list, const std::string& text)
{
  std::vector<unsigned> numbers;
  const char* const end = list.data() + list.size();
  for (const char* at = list.data();; ++at)
  {
    unsigned number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc() || (next != end && *next != ','))
    {
      Refuse(text);
    }
    numbers.push_back(number);
    if (next == end)
    {
      return numbers;
    }
    at = next;
  }
}
}

Filter Filter::FromText(const std::string& text)
{
  constexpr std::string_view deflate = "GZIP=";
  constexpr std::string_view any = "UD=";
  constexpr unsigned mostDeflate = 9;
  Filter filter;
  if (text == "SHUF")
  {
    filter.Number = H5Z_FILTER_SHUFFLE;
    filter.Flags = H5Z_FLAG_OPTIONAL;
  }
  else if (text == "FLET")
  {
    filter.Number = H5Z_FILTER_FLETCHER32;
  }
  else if (text.starts_with(deflate))
  {
    filter.Number = H5Z_FILTER_DEFLATE;
    filter.Flags = H5Z_FLAG_OPTIONAL; // a chunk that it would enlarge stays as it is
    filter.Values = Numbers(std::string_view(text).substr(deflate.size()), text);
    if (filter.Values.size() != 1 || filter.Values[0] > mostDeflate)
    {
      Refuse(text);
    }
  }
  else if (text.starts_with(any))
  {
    const auto numbers = Numbers(std::string_view(text).substr(any.size()), text);
    if (numbers.size() < 3 || numbers[2] != numbers.size() - 3 || numbers[0] > H5Z_FILTER_MAX)
    {
      Refuse(text);
    }
    filter.Number = static_cast<H5Z_filter_t>(numbers[0]);
    filter.Flags = numbers[1];
    filter.Values.assign(numbers.begin() + 3, numbers.end());
  }
  else
  {
    Refuse(text);
  }
  const Hdf5Silence quiet;
  unsigned can = 0;
  if (H5Zfilter_avail(filter.Number) <= 0 || H5Zget_filter_info(filter.Number, &can) < 0 ||
    (can & H5Z_FILTER_CONFIG_ENCODE_ENABLED) == 0)
  {
    throw Error(Fault::Unsupported,
      "HDF5 cannot write with the filter {} here: where it is a plugin, say its folder in "
      "HDF5_PLUGIN_PATH",
      text);
  }
  return filter;
}

std::vector<Filter> Filter::FromTexts(const std::vector<std::string>& texts)
{
  std::vector<Filter> filters;
  filters.reserve(texts.size());
  std::transform(texts.begin(), texts.end(), std::back_inserter(filters), FromText);
  return filters;
}

void Filter::AddTo(hid_t creation) const
{
  CheckedHdf5(
    H5Pset_filter(creation, this->Number, this->Flags, this->Values.size(), this->Values.data()),
    "add a filter");
}

}
