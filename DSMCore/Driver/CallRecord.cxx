// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/CallRecord.h"

#include <algorithm>

namespace dsm
{

void CallRecord::Add(const Way& way, std::uint64_t bytes)
{
  const auto known = std::find_if(this->Hosts.begin(), this->Hosts.end(),
    [&](const Share& share) { return share.Host == way.Host; });
  if (known == this->Hosts.end())
  {
    this->Hosts.push_back({ way.Host, bytes });
  }
  else
  {
    known->Bytes += bytes;
  }
  if (std::find(this->Transports.begin(), this->Transports.end(), way.TransportName) ==
    this->Transports.end())
  {
    this->Transports.push_back(way.TransportName);
  }
}

const char* OperationText(CallRecord::Operation operation)
{
  switch (operation)
  {
    case CallRecord::Operation::Open:
      return "open";
    case CallRecord::Operation::Read:
      return "read";
    case CallRecord::Operation::Write:
      return "write";
    case CallRecord::Operation::Flush:
      return "flush";
    case CallRecord::Operation::Truncate:
      return "truncate";
    case CallRecord::Operation::Seal:
      return "seal";
    case CallRecord::Operation::Close:
      return "close";
  }
  return "";
}

}
