// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/WithoutServer.h"

#include "Base/Environment.h"

#include <array>
#include <utility>

namespace dsm
{

namespace
{
constexpr const char* Variable = "DSM_WITHOUT_SERVER";
constexpr double DefaultWaitLimit = 600;

constexpr std::array<std::pair<WithoutServer, const char*>, 4> Names{ {
  { WithoutServer::Disk, "disk" },
  { WithoutServer::Fail, "fail" },
  { WithoutServer::Wait, "wait" },
  { WithoutServer::Discard, "discard" },
} };
}

const char* WithoutServerText(WithoutServer policy)
{
  for (const auto& [value, name] : Names)
  {
    if (value == policy)
    {
      return name;
    }
  }
  return "";
}

WithoutServer WithoutServerFromText(const std::string& text, const std::string& what)
{
  for (const auto& [value, name] : Names)
  {
    if (text == name)
    {
      return value;
    }
  }
  throw Error(Fault::Usage,
    "{} is \"{}\": while ParaView does not answer, give \"disk\" (files go to disk), \"fail\" "
    "(opening them is an error), \"wait\" (the program waits for it) or \"discard\" (files go "
    "nowhere)",
    what, text);
}

WithoutServer WithoutServerFromEnvironment()
{
  const auto text = environment::Text(Variable);
  return text ? WithoutServerFromText(*text, Variable) : WithoutServer::Disk;
}

Seconds WaitForServerLimit()
{
  return environment::SecondsOr("DSM_WAIT_LIMIT", DefaultWaitLimit);
}

bool MeansNoServer(const Error& error)
{
  return error.GetFault() == Fault::NoServer || error.GetFault() == Fault::PeerLost ||
    error.GetFault() == Fault::TimedOut;
}

Error LostWithServer(const std::string& fileName, const Error& why)
{
  return { why.GetFault(),
    fmt::format(
      "{} is only in the memory of a server, and that is lost: {}", fileName, why.what()) };
}

}
