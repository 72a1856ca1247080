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
  std::map<std::pair<std::string, std::string>, SnapshotId> Last;
};

// Never destroyed: HDF5 closes files when the process ends.
Numbers& TheNumbers()
{
  static Numbers* const numbers = new Numbers;
  return *numbers;
}
}

SnapshotId SnapshotsRead::Last(const std::string& contact, const std::string& fileName)
{
  Numbers& numbers = TheNumbers();
  const std::lock_guard lock(numbers.Guard);
  const auto found = numbers.Last.find({ contact, fileName });
  return found == numbers.Last.end() ? SnapshotId(0) : found->second;
}

void SnapshotsRead::Note(const std::string& contact, const std::string& fileName, SnapshotId number)
{
  Numbers& numbers = TheNumbers();
  const std::lock_guard lock(numbers.Guard);
  SnapshotId& last = numbers.Last[{ contact, fileName }];
  last = std::max(last, number);
}

}
