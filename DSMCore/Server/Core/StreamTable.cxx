// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/StreamTable.h"

#include "Base/FileName.h"

#include <algorithm>

namespace dsm
{

namespace
{
// Of what an appended file has, no more than one part of so many is written again, or so much: what
// describes it is.
constexpr std::uint64_t RewrittenShare = 4;
constexpr std::uint64_t AlwaysRewritten = UINT64_C(64) << 10;
}

const StreamTable::Stream* StreamTable::Find(const std::string& fileName) const
{
  return this->Streams.Find(StreamName(fileName));
}

std::optional<std::uint64_t> StreamTable::LastSize(const std::string& fileName) const
{
  const Stream* stream = this->Find(fileName);
  return stream ? std::optional(stream->LastSize) : std::nullopt;
}

double StreamTable::Enter(const std::string& fileName, std::uint64_t fileSize)
{
  Stream& stream = this->Streams[StreamName(fileName)];
  const auto before = static_cast<double>(stream.Snapshots);
  ++stream.Snapshots;
  stream.LastSize = fileSize;
  stream.GoesOn = false;
  return before;
}

void StreamTable::EnterFurther(
  const std::string& fileName, std::uint64_t before, std::uint64_t written)
{
  Stream& stream = this->Streams[StreamName(fileName)];
  stream.Growth = stream.LastSize - std::min(before, stream.LastSize);
  const std::uint64_t rewritten = written - std::min(stream.Growth, written);
  stream.Appended = rewritten <= std::max(before / RewrittenShare, AlwaysRewritten);
  stream.GoesOn = stream.Growth < before;
}

std::optional<bool> StreamTable::IsAppended(const std::string& fileName) const
{
  const Stream* stream = this->Find(fileName);
  return stream ? stream->Appended : std::nullopt;
}

std::uint64_t StreamTable::LastGrowth(const std::string& fileName) const
{
  const Stream* stream = this->Find(fileName);
  return stream ? stream->Growth : 0;
}

bool StreamTable::GoesOn(const std::string& fileName) const
{
  const Stream* stream = this->Find(fileName);
  return stream && stream->GoesOn;
}

}
