// SPDX-License-Identifier: BSD-3-Clause
#include "Transport/Mpi/MpiMediator.h"

#include "Base/Error.h"
#include "Transport/Mpi/LinkMessages.h"

#include <utility>

namespace dsm
{

namespace
{
template <typename Message>
auto Sender(const std::function<void(HostIndex, Bytes)>& toHost)
{
  return [toHost](HostIndex host, const Message& message)
  { toHost(host, EncodeLinkMessage(message)); };
}

[[noreturn]] void ThrowUnknown(const LinkMessage& message)
{
  throw Error(Fault::Refused,
    "the DSM server's hosts do not understand \"{}\" of a transport over MPI", message.Name);
}
}

void MpiMediator::Connect(Callbacks callbacks)
{
  JoinCoordinator::Callbacks call;
  call.Plan = [reply = callbacks.Reply](const RequestId& request, const JoinPlan& plan)
  { reply(request, Encode(plan)); };
  call.Enter = [reply = callbacks.Reply](const RequestId& request, const OpenPort& port)
  { reply(request, Encode(port)); };
  call.Refuse = std::move(callbacks.Refuse);
  call.Prepare = Sender<PrepareJoin>(callbacks.ToHost);
  call.Execute = Sender<ExecuteJoin>(callbacks.ToHost);
  call.Close = Sender<CloseLink>(callbacks.ToHost);
  call.Drop = Sender<DropLink>(callbacks.ToHost);
  call.Report = std::move(callbacks.Report);
  this->Joins = std::make_unique<JoinCoordinator>(this->Offer, std::move(call));
}

void MpiMediator::Request(const RequestId& request, const Bytes& bytes)
{
  const auto message = Decode<LinkMessage>(bytes, "a request of a transport over MPI");
  if (message.Is<JoinRequest>())
  {
    this->Joins->Join(request, message.Content<JoinRequest>());
  }
  else if (message.Is<EnterLink>())
  {
    this->Joins->Enter(request, message.Content<EnterLink>());
  }
  else
  {
    ThrowUnknown(message);
  }
}

void MpiMediator::Notify(const PeerId& peer, bool isHost, const Bytes& bytes)
{
  const auto message = Decode<LinkMessage>(bytes, "a message of a transport over MPI");
  if (message.Is<LeaveLink>())
  {
    this->Joins->Leave(peer, message.Content<LeaveLink>());
  }
  else if (isHost && message.Is<JoinPrepared>())
  {
    this->Joins->Prepared(message.Content<JoinPrepared>());
  }
  else if (isHost && message.Is<JoinExecuted>())
  {
    this->Joins->Executed(message.Content<JoinExecuted>());
  }
  else
  {
    ThrowUnknown(message);
  }
}

}
