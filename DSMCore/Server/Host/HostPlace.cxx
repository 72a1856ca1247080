// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Host/HostPlace.h"

#include "Base/Error.h"
#include "Base/LaunchedJob.h"

#include <charconv>
#include <limits>

namespace dsm
{

namespace
{
// Returns the end of the number, or null if there is none.
const char* Read(const char* begin, const char* end, int& number)
{
  const auto read = std::from_chars(begin, end, number);
  return read.ec == std::errc() && number >= 0 ? read.ptr : nullptr;
}
}

HostPlace PlaceInLaunch()
{
  const LaunchedJob job = JobOfThisProcess();
  const std::uint64_t rank = RankOfThisProcess();
  if (job.Processes <= rank || job.Processes > std::numeric_limits<int>::max())
  {
    return {};
  }
  return { static_cast<int>(rank), static_cast<int>(job.Processes), job.Name };
}

HostPlace PlaceFromText(const std::string& text)
{
  HostPlace place;
  const char* const end = text.data() + text.size();
  const char* const slash = Read(text.data(), end, place.Host);
  const bool isPair = slash && slash != end && *slash == '/';
  if (!isPair || Read(slash + 1, end, place.Hosts) != end || place.Host >= place.Hosts)
  {
    throw Error(Fault::Usage,
      "\"{}\" is no host's number and their count: give 0/4, 1/4, 2/4 and 3/4 to four hosts", text);
  }
  return place;
}

}
