// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/RequestRouter.h"

#include "Base/Error.h"
#include "Base/Log.h"
#include "Protocol/SessionMessages.h"
#include "Server/Core/AccessRules.h"

#include <utility>

namespace dsm
{

namespace
{
// Looked at before the rest of the message, which another version may have otherwise.
void RequireVersion(const Envelope& hello)
{
  const auto theirs =
    Decode<HelloVersion>(hello.Body, MessageText(hello.Name), Unknown::Ignored).Protocol;
  if (theirs != ProtocolVersion())
  {
    throw Error(Fault::Refused,
      "the simulation's side speaks version {} of the DSM protocol and ParaView's side version {}: "
      "use the same release of ParaView DSM on both sides",
      theirs, ProtocolVersion());
  }
}
}

RequestRouter::RequestRouter(CoreState& state, const Gate& gate, std::function<CoreTime()> clock)
  : State(state)
  , Admission(gate)
  , Clocks(std::move(clock))
{
}

Right RequestRouter::NeededFor(const Envelope& message) const
{
  const auto route = this->Routes.find(message.Name);
  return route == this->Routes.end() ? Right::Own : route->second.Needed(message);
}

std::vector<std::string> RequestRouter::Names() const
{
  std::vector<std::string> names;
  names.reserve(this->Routes.size());
  for (const auto& [name, route] : this->Routes)
  {
    names.push_back(name);
  }
  return names;
}

void RequestRouter::Receive(Call call, const Envelope& message)
{
  const Visit visit(*this);
  if (!this->State.IsOpen)
  {
    return;
  }
  const auto route = this->Routes.find(message.Name);
  if (call.HasPeer())
  {
    if (const GuestDescription* const guest = this->Admission.GuestOf(call.Id().Key))
    {
      access::Require(*guest, this->NeededFor(message));
      call.SetGuest(guest->Guest);
    }
  }
  else if (route == this->Routes.end() || !route->second.MayComeInMemory)
  {
    throw Error(Fault::Unsupported, "the DSM server does not answer this in its memory");
  }
  if (Is<Hello>(message))
  {
    RequireVersion(message);
  }
  if (route == this->Routes.end())
  {
    throw Error(Fault::Refused,
      "this DSM server does not understand \"{}\": its version is older or newer than the peer's",
      message.Name);
  }
  route->second.Handle(call, message);
}

// Tasks of several threads run in the order in which they were posted, one at a time. A task may
// cause another event in its own thread.
void RequestRouter::Drain()
{
  std::unique_lock lock(this->Guard);
  if (std::exchange(this->IsDraining, true))
  {
    return; // who drains goes on until nothing is left
  }
  while (!this->Tasks.empty())
  {
    auto task = std::move(this->Tasks.front());
    this->Tasks.pop_front();
    lock.unlock();
    try
    {
      task();
    }
    catch (const std::exception& error)
    {
      Log().warn("the DSM server could not finish a request: {}", error.what());
    }
    lock.lock();
  }
  this->IsDraining = false;
}

RequestRouter::Visit::Visit(RequestRouter& router)
  : Router(router)
  , Lock(router.Guard)
{
  router.State.Time = router.Clocks();
}

RequestRouter::Visit::~Visit()
{
  try
  {
    this->Router.Settle();
  }
  catch (const std::exception& error)
  {
    Log().warn("the DSM server could not finish an event: {}", error.what());
  }
  const bool hasTasks = !this->Router.Tasks.empty();
  this->Lock.unlock();
  if (hasTasks)
  {
    this->Router.Drain();
  }
}

void RequestRouter::Visit::WaitAsReader(std::optional<Clock::time_point> until)
{
  this->Wait(this->Router.Readers, until);
}

void RequestRouter::Visit::WaitAsDiskWriter(std::optional<Clock::time_point> until)
{
  this->Wait(this->Router.DiskWriters, until);
}

void RequestRouter::Visit::Wait(
  std::condition_variable& what, std::optional<Clock::time_point> until)
{
  if (until)
  {
    what.wait_until(this->Lock, *until);
  }
  else
  {
    what.wait(this->Lock);
  }
  this->Router.State.Time = this->Router.Clocks();
}

}
