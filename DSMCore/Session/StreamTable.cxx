// SPDX-License-Identifier: BSD-3-Clause
#include "Session/StreamTable.h"

#include "Base/FileName.h"

namespace dsm
{

std::optional<std::uint64_t> StreamTable::LastSize(const std::string& fileName) const
{
  const auto found = this->Streams.find(StreamName(fileName));
  return found == this->Streams.end() ? std::nullopt : std::optional(found->second.LastSize);
}

double StreamTable::Enter(const std::string& fileName, std::uint64_t fileSize)
{
  Stream& stream = this->Streams[StreamName(fileName)];
  const auto before = static_cast<double>(stream.Snapshots);
  ++stream.Snapshots;
  stream.LastSize = fileSize;
  return StepFromName(fileName).value_or(before);
}

}
