// SPDX-License-Identifier: BSD-3-Clause
#include "Base/Error.h"

#include <array>
#include <system_error>

namespace dsm
{

namespace
{
constexpr std::array<std::pair<Fault, const char*>, 9> FaultNames{ {
  { Fault::Usage, "usage" },
  { Fault::NoServer, "no-server" },
  { Fault::Refused, "refused" },
  { Fault::Gone, "gone" },
  { Fault::RingFull, "ring-full" },
  { Fault::TimedOut, "timed-out" },
  { Fault::PeerLost, "peer-lost" },
  { Fault::Unsupported, "unsupported" },
  { Fault::System, "system" },
} };
}

Error Error::From(const std::exception& thrown)
{
  const auto* known = dynamic_cast<const Error*>(&thrown);
  return known ? *known : Error(Fault::System, std::string(thrown.what()));
}

Error Error::From(const std::exception_ptr& thrown)
{
  try
  {
    std::rethrow_exception(thrown);
  }
  catch (const std::exception& error)
  {
    return From(error);
  }
  catch (...)
  {
    return Error(Fault::System, "a function threw something that is not a std::exception");
  }
}

std::string SystemText(int errorNumber)
{
  return fmt::format("{} ({})", std::generic_category().message(errorNumber), errorNumber);
}

const char* FaultName(Fault fault)
{
  for (const auto& [kind, name] : FaultNames)
  {
    if (kind == fault)
    {
      return name;
    }
  }
  return "system";
}

Fault FaultFromName(const std::string& name)
{
  for (const auto& [kind, text] : FaultNames)
  {
    if (name == text)
    {
      return kind;
    }
  }
  return Fault::System;
}

}
