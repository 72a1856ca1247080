// SPDX-License-Identifier: BSD-3-Clause
#include "Control/Presence.h"

#include "Base/Error.h"
#include "Base/TestDelay.h"
#include "Control/Connector.h"
#include "Control/Probe.h"

namespace dsm::presence
{

bool Answers(const Contact& contact, const std::string& contactPath, Seconds timeout, Wakeup& wake,
  const std::function<bool()>& stopped)
{
  try
  {
    zmq::context_t context(1);
    return Connector(contact, contactPath, timeout, wake, stopped)
      .Connect(context, "presence")
      .has_value();
  }
  catch (const Error& error)
  {
    if (error.GetFault() != Fault::NoServer)
    {
      throw;
    }
    return false;
  }
}

bool HasEnded(const Contact& contact)
{
  testdelay::At("whether the server has ended");
  Wakeup wake;
  // From another machine or network namespace the loopback tells of another process.
  std::vector<std::string> endpoints;
  for (const std::string& endpoint : contact.Endpoints)
  {
    if (!IsLoopback(endpoint) || contact.Network == NetworkIdentity())
    {
      endpoints.push_back(endpoint);
    }
  }
  const ProbeResult probe = Probe(endpoints, Seconds(0.1), wake, [] { return false; });
  return !probe.Answering && probe.Refused;
}

}
