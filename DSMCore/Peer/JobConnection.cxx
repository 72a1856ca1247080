// SPDX-License-Identifier: BSD-3-Clause
#include "Peer/JobConnection.h"

#include "Encoding/Encoding.h"
#include "Mpi/Agreement.h"
#include "Peer/Connections.h"

namespace dsm
{

namespace
{
// What a rank must know to reach a server.
struct ServerIntroduction
{
  std::string Contact; ///< its text
  ServerDescription Server;
};

void Describe(Fields& fields, ServerIntroduction& introduction)
{
  fields("Contact", introduction.Contact);
  fields("Server", introduction.Server);
}
}

void Describe(Fields& fields, JobConnection& job)
{
  fields("ContactPath", job.ContactPath);
  fields("Session", job.Session);
  fields("Digest", job.Digest);
  fields("FullRingLimit", job.Settings.FullRingLimit);
  fields("Files", job.Settings.Files);
  fields("Speaker", job.Settings.Speaker);
}

JobConnection JobConnection::Of(const Connection& connection)
{
  return { connection.ContactPath(), connection.Server()->Session, connection.Digest(),
    connection.Known() };
}

std::shared_ptr<Connection> JobConnection::Find(const std::shared_ptr<Connection>& own) const
{
  if (own)
  {
    return own;
  }
  auto link = connections::Find(this->ContactPath);
  if (!link || link->Server()->Session != this->Session || link->Digest() != this->Digest)
  {
    return nullptr;
  }
  link->Heed(this->Settings);
  return link;
}

std::shared_ptr<Connection> JobConnection::Introduce(
  const Communicator& ranks, const std::shared_ptr<Connection>& own) const
{
  const auto told = RunOnRankZero(
    ranks, [&] { return ServerIntroduction{ own->GetContact().ToText(), *own->Server() }; });
  std::shared_ptr<Connection> link = own;
  Agree(ranks,
    [&]
    {
      if (own)
      {
        return;
      }
      link = connections::Find(this->ContactPath);
      if (link && link->Server()->Session == this->Session)
      {
        link->Follow(told.Server);
      }
      else
      {
        link = Connection::FromDescription(
          this->ContactPath, Contact::FromText(told.Contact), told.Server, "rank");
        connections::Add(link);
      }
      link->Heed(this->Settings);
    });
  return link;
}

std::shared_ptr<Connection> JobConnection::Follow(
  const Communicator& ranks, const std::shared_ptr<Connection>& own) const
{
  auto link = this->Find(own);
  return ranks.Max(std::uint64_t{ !link }) == 0 ? link : this->Introduce(ranks, own);
}

}
