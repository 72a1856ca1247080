// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace dsm
{

/// Says which of the hosts of one launch this process is.
struct HostPlace
{
  int Host = 0;
  int Hosts = 1;
  std::string Launch; ///< its name, the same for all of them; empty: it has none

  bool operator==(const HostPlace&) const = default;
};

/// Returns the place that a launcher tells its processes (LaunchedJob): that of the only host if
/// none does.
HostPlace PlaceInLaunch();

/// Returns the place that "2/4" says: host 2 of hosts 0 to 3. Throws Error(Usage).
HostPlace PlaceFromText(const std::string& text);

}
