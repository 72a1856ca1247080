// SPDX-License-Identifier: BSD-3-Clause
#include "Attach/LocalServer.h"

#include "Peer/Connections.h"

#include <utility>

namespace dsm
{

LocalServer::LocalServer(const Communicator& comm, const ServerOptions& options)
  : LocalServer(std::make_shared<Communicator>(Communicator::Duplicate(comm.Handle())), options)
{
}

LocalServer::LocalServer(std::shared_ptr<RankGroup> hosts, const ServerOptions& options)
  : Server(std::move(hosts), options)
  , Link(Connection::FromDescription(
      this->ContactPath(), this->Address(), *this->Description(), "viewer"))
{
  this->Link->AddJoined(this->OwnTransports());
  connections::Add(this->Link);
}

LocalServer::~LocalServer()
{
  this->Leave();
}

void LocalServer::Stop()
{
  Server::Stop();
  this->Leave();
}

void LocalServer::Leave()
{
  if (this->Link)
  {
    connections::Remove(this->Link);
    this->Link.reset();
  }
}

}
