// SPDX-License-Identifier: BSD-3-Clause
#include "Session/Agreement.h"

#include "Base/Error.h"

namespace dsm
{

namespace
{
nlohmann::json Failure(const std::exception& error)
{
  const auto* known = dynamic_cast<const Error*>(&error);
  return { { "fault", FaultName(known ? known->GetFault() : Fault::System) },
    { "text", error.what() } };
}

[[noreturn]] void Rethrow(const nlohmann::json& failure, const std::string& prefix)
{
  throw Error(FaultFromName(failure.at("fault").get<std::string>()), "{}{}", prefix,
    failure.at("text").get<std::string>());
}
}

nlohmann::json AskAsOne(
  const Communicator& communicator, const std::function<nlohmann::json()>& ask)
{
  nlohmann::json told;
  if (communicator.Rank() == 0)
  {
    try
    {
      told["answer"] = ask();
    }
    catch (const std::exception& error)
    {
      told["failure"] = Failure(error);
    }
  }
  if (communicator.Size() > 1)
  {
    // CBOR, not text: JSON text refuses file names that are no UTF-8.
    std::string encoded;
    nlohmann::json::to_cbor(told, encoded);
    told = nlohmann::json::from_cbor(communicator.BroadcastText(encoded));
  }
  if (told.contains("failure"))
  {
    Rethrow(told.at("failure"), "");
  }
  return told.at("answer");
}

void Agree(const Communicator& communicator, const std::function<void()>& work)
{
  nlohmann::json mine;
  try
  {
    work();
  }
  catch (const std::exception& error)
  {
    mine = Failure(error);
  }
  const auto none = static_cast<std::uint64_t>(communicator.Size());
  const auto rank = static_cast<std::uint64_t>(communicator.Rank());
  // The lowest failing rank speaks for all: its complement is the highest.
  const std::uint64_t first = none - communicator.Max(mine.is_null() ? 0 : none - rank);
  if (first == none)
  {
    return;
  }
  const auto failure =
    nlohmann::json::parse(communicator.BroadcastText(mine.dump(), static_cast<int>(first)));
  Rethrow(failure, first == rank ? "" : fmt::format("on rank {}: ", first));
}

}
