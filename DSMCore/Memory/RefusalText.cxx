// SPDX-License-Identifier: BSD-3-Clause
#include "Memory/RefusalText.h"

#include "Memory/SegmentLayout.h"

namespace dsm::refusaltext
{

// The generation, the fault's name, and the words, a line each.
std::string Encode(std::uint64_t generation, const Error& why)
{
  std::string text =
    fmt::format("{}\n{}\n{}", generation, FaultName(why.GetFault()), std::string(why.what()));
  text.resize(SegmentLayout::LongestReason, '\0');
  text.back() = '\0';
  return text;
}

Error Decode(std::uint64_t generation, const std::string& text)
{
  const auto first = text.find('\n');
  const auto second = first == std::string::npos ? first : text.find('\n', first + 1);
  if (second == std::string::npos || text.substr(0, first) != std::to_string(generation))
  {
    return { Fault::RingFull, "the DSM server has no more memory for it: its log says why" };
  }
  return { FaultFromName(text.substr(first + 1, second - first - 1)), "{}",
    text.substr(second + 1) };
}

}
