// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Host/HostLink.h"

#include "Base/Log.h"
#include "Base/Timeouts.h"
#include "Mpi/Communicator.h"
#include "Protocol/Peer.h"
#include "Protocol/SessionMessages.h"

#include <utility>

namespace dsm
{

namespace
{
const Seconds RestoreLimit(2);
}

HostLink::HostLink(const Contact& contact, const std::string& contactPath, HostIndex host,
  const std::string& secret, Channel::EventHandler handler)
  : Address(contact)
  , Path(contactPath)
  , Host(host)
  , Secret(secret)
  , Handler(std::move(handler))
  , Link(this->Introduce(Deadline(RequestTimeout())))
{
}

std::shared_ptr<Channel> HostLink::Introduce(const Deadline& deadline)
{
  auto channel = std::make_shared<Channel>(
    this->Address, this->Path, [this](const Envelope& event) { this->Receive(event); });
  Hello hello;
  hello.Peer = DescribeThisProcess("host", 1, Communicator::RunningLibrary());
  hello.Host = HostSeat{ this->Host, this->Secret, ++this->Connections };
  channel->Request(hello, deadline);
  return channel;
}

void HostLink::Receive(const Envelope& event)
{
  if (event.Name == "stopping")
  {
    const std::lock_guard lock(this->Guard);
    this->Stopped = true;
  }
  this->Handler(event);
}

std::shared_ptr<Channel> HostLink::Current() const
{
  const std::lock_guard lock(this->Guard);
  return this->Link;
}

void HostLink::Restore() noexcept
{
  {
    const std::lock_guard lock(this->Guard);
    if (this->Stopped || this->Link->Alive())
    {
      return;
    }
  }
  try
  {
    auto made = this->Introduce(Deadline(RestoreLimit));
    const std::lock_guard lock(this->Guard);
    this->Link.swap(made);
  }
  catch (const std::exception& error)
  {
    Log().debug("host {} cannot reach its server: {}", this->Host, error.what());
  }
}

}
