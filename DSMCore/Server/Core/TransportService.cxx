// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/TransportService.h"

#include "Base/Error.h"
#include "Server/Core/RequestRouter.h"

#include <utility>

namespace dsm
{

TransportService::TransportService(
  CoreState& state, PeerRegistry& peers, HostService& hosts, Mediators mediators)
  : State(state)
  , Peers(peers)
  , Hosts(hosts)
  , All(std::move(mediators))
{
  for (auto& [name, mediator] : this->All)
  {
    mediator->Connect(this->CallbacksFor(name));
  }
}

TransportMediator::Callbacks TransportService::CallbacksFor(const std::string& transport)
{
  TransportMediator::Callbacks callbacks;
  callbacks.Reply = [this](const RequestId& request, Bytes reply)
  {
    if (const auto call = this->TakeCall(request))
    {
      call->Reply(TransportReply{ std::move(reply) });
    }
  };
  callbacks.Refuse = [this](const RequestId& request, const std::exception& error)
  {
    if (const auto call = this->TakeCall(request))
    {
      call->Refuse(error);
    }
  };
  callbacks.ToHost = [this, transport](HostIndex host, Bytes message)
  { this->Hosts.Send(host, TransportEvent{ transport, std::move(message) }); };
  callbacks.Report = [this](const std::string& trouble) { this->State.Trouble.Report(trouble); };
  return callbacks;
}

// None if the peer has left.
std::optional<Call> TransportService::TakeCall(const RequestId& request)
{
  const auto found = this->Waiting.extract({ request.Peer, request.Id });
  return found.empty() ? std::nullopt : std::optional(found.mapped());
}

TransportMediator& TransportService::MediatorOf(const std::string& transport)
{
  const auto found = this->All.find(transport);
  if (found == this->All.end())
  {
    throw Error(Fault::Refused, "this DSM server's transport \"{}\" has nothing to say", transport);
  }
  return *found->second;
}

void TransportService::Serve(RequestRouter& router)
{
  router.On<TransportRequest>(*this);
  router.On<TransportNotice>(*this);
}

void TransportService::Handle(const Call& call, const TransportRequest& message)
{
  this->Peers.Known(call.Peer());
  TransportMediator& mediator = this->MediatorOf(message.Transport);
  const std::pair key{ call.Peer(), call.Id().Id };
  this->Waiting.insert_or_assign(key, call);
  try
  {
    mediator.Request(call.Id(), message.Content);
  }
  catch (...)
  {
    this->Waiting.erase(key);
    throw;
  }
}

void TransportService::Handle(const Call& call, const TransportNotice& message)
{
  const Peer* const peer = this->Peers.Find(call.Peer());
  this->MediatorOf(message.Transport)
    .Notify(call.Peer(), peer && peer->Host.has_value(), message.Content);
}

void TransportService::Tick()
{
  for (const auto& [name, mediator] : this->All)
  {
    mediator->Tick();
  }
}

void TransportService::OnPeerLeft(const PeerLeft& left)
{
  for (const auto& [name, mediator] : this->All)
  {
    mediator->Gone(left.Id);
  }
  std::erase_if(this->Waiting, [&](const auto& one) { return one.first.first == left.Id; });
}

}
