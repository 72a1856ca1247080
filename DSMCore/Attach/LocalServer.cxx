// SPDX-License-Identifier: BSD-3-Clause
#include "Attach/LocalServer.h"

#include "Peer/Connections.h"

namespace dsm
{

LocalServer::LocalServer(const Communicator& comm, const ServerOptions& options)
  : Server(comm, options)
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
