// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/SnapshotsRead.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

namespace dsm
{

namespace
{
struct Numbers
{
  std::mutex Guard;
  std::map<std::pair<std::string, std::string>, std::uint64_t> Last;
};

// Never destroyed: HDF5 closes files when the process ends.
Numbers& TheNumbers()
{
  static Numbers* const numbers = new Numbers;
  return *numbers;
}
}

std::uint64_t SnapshotsRead::Last(const std::string& contact, const std::string& fileName)
{
  Numbers& numbers = TheNumbers();
  const std::lock_guard lock(numbers.Guard);
  const auto found = numbers.Last.find({ contact, fileName });
  return found == numbers.Last.end() ? 0 : found->second;
}

void SnapshotsRead::Note(
  const std::string& contact, const std::string& fileName, std::uint64_t number)
{
  Numbers& numbers = TheNumbers();
  const std::lock_guard lock(numbers.Guard);
  std::uint64_t& last = numbers.Last[{ contact, fileName }];
  last = std::max(last, number);
}

}
