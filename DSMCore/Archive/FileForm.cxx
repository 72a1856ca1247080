// SPDX-License-Identifier: BSD-3-Clause
#include "Archive/FileForm.h"

#include "Base/Error.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace dsm
{

namespace
{
constexpr std::string_view Subfiled = "subfiles";
// Of files that lie in no blocks: what HDF5 takes.
constexpr std::uint64_t DefaultStripe = UINT64_C(32) << 20;

// The number behind "subfiles"; 0 where there is none.
std::uint64_t HostsIn(std::string_view text)
{
  if (text == Subfiled)
  {
    return 1;
  }
  text.remove_prefix(std::min(text.find_first_not_of(' ', Subfiled.size()), text.size()));
  std::uint64_t hosts = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), hosts);
  return error == std::errc() && end == text.data() + text.size() ? hosts : 0;
}
}

FileForm FileForm::FromText(const std::string& text)
{
  FileForm form;
  if (text == "single")
  {
    return form;
  }
  if (text == Subfiled || text.starts_with("subfiles "))
  {
    form.HostsPerSubfile = HostsIn(text);
  }
  if (form.HostsPerSubfile == 0)
  {
    throw Error(Fault::Usage,
      "\"{}\" is no form of a file on disk: say single, subfiles (one for each host), or subfiles "
      "4 (one for each 4 hosts, or another number above 0)",
      text);
  }
  return form;
}

std::uint64_t FileForm::Subfiles(const MapParameters& map) const
{
  return (map.Hosts + this->HostsPerSubfile - 1) / this->HostsPerSubfile;
}

std::uint64_t FileForm::StripeSize(const MapParameters& map) const
{
  const auto& kinds = Strategies();
  const bool hasBlocks = std::any_of(kinds.begin(), kinds.end(),
    [&](const StrategyKind& kind) { return kind.Name == map.Strategy && kind.HasBlocks; });
  return hasBlocks ? this->HostsPerSubfile * map.BlockSize : DefaultStripe;
}

}
