// SPDX-License-Identifier: BSD-3-Clause
#include "Session/JointReads.h"

namespace dsm
{

bool JointReads::Opened(std::uint64_t snapshot, const std::string& viewer, std::uint64_t ranks)
{
  const auto [read, isNew] = this->Reads.try_emplace({ snapshot, viewer });
  if (isNew)
  {
    read->second.Ranks = ranks;
    read->second.Until = Deadline(this->Limit);
  }
  return isNew;
}

bool JointReads::Closed(std::uint64_t snapshot, const std::string& viewer, const std::string& who)
{
  const auto read = this->Reads.find({ snapshot, viewer });
  if (read == this->Reads.end())
  {
    return false;
  }
  read->second.Done.insert(who);
  if (read->second.Done.size() < read->second.Ranks)
  {
    return false;
  }
  this->Reads.erase(read);
  return true;
}

std::vector<std::uint64_t> JointReads::Expired()
{
  std::vector<std::uint64_t> ended;
  for (auto read = this->Reads.begin(); read != this->Reads.end();)
  {
    if (read->second.Until.Expired())
    {
      ended.push_back(read->first.first);
      read = this->Reads.erase(read);
    }
    else
    {
      ++read;
    }
  }
  return ended;
}

}
