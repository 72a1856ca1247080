// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMCheckpoint.h"

#include <array>
#include <cctype>
#include <string_view>

bool pqDSMCheckpoint::isName(const std::string& name)
{
  constexpr std::array<std::string_view, 8> words = { "checkpoint", "chkpoint", "chkpt", "chk",
    "ckpt", "cpt", "restart", "rst" };
  std::string word;
  // A character behind the end, which ends the last word.
  for (const char each : name + ' ')
  {
    if (std::isalpha(static_cast<unsigned char>(each)) != 0)
    {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(each)));
      continue;
    }
    if (word.size() > 1 && word.back() == 's')
    {
      word.pop_back();
    }
    for (const auto known : words)
    {
      if (word == known)
      {
        return true;
      }
    }
    word.clear();
  }
  return false;
}
