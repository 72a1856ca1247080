// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/VectorNames.h"

#include <algorithm>
#include <set>

namespace dsm::describe
{

std::vector<JoinedName> JoinVectors(const std::vector<std::string>& names)
{
  const std::set<std::string> there(names.begin(), names.end());
  std::set<std::string> joined;
  std::vector<JoinedName> made;
  for (const std::string& name : names)
  {
    if (joined.count(name) > 0)
    {
      continue;
    }
    JoinedName one{ name, { name } };
    const std::string base = name.substr(0, name.empty() ? 0 : name.size() - 1);
    for (const std::string letters : { "XYZ", "xyz" })
    {
      // Of a tensor, whose components are named xx, xy and so on, they are no vector.
      if (base.empty() || letters.find(name.back()) == std::string::npos ||
        letters.find(base.back()) != std::string::npos || there.count(base + letters[0]) == 0 ||
        there.count(base + letters[1]) == 0)
      {
        continue;
      }
      one.Members = { base + letters[0], base + letters[1] };
      if (there.count(base + letters[2]) > 0)
      {
        one.Members.push_back(base + letters[2]);
      }
      const auto end = base.find_last_not_of("_ ");
      one.Name = end == std::string::npos ? base : base.substr(0, end + 1);
    }
    // The name is somebody else's.
    if (one.Members.size() > 1 && there.count(one.Name) > 0)
    {
      one.Name += " vector";
    }
    joined.insert(one.Members.begin(), one.Members.end());
    made.push_back(std::move(one));
  }
  return made;
}

}
