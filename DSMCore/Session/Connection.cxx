// SPDX-License-Identifier: BSD-3-Clause
#include "Session/Connection.h"

#include "Base/Environment.h"
#include "Base/Error.h"
#include "Base/FileName.h"
#include "Session/MpiMembership.h"
#include "Session/Peer.h"
#include "Transport/LayRoutes.h"

namespace dsm
{

// What the server tells by itself, whenever it changes.
struct Connection::Told
{
  std::mutex Guard;
  Intake Wanted;

  void Hear(const nlohmann::json& message)
  {
    if (message.contains("intake"))
    {
      const auto wanted = message.at("intake").get<Intake>();
      const std::lock_guard lock(this->Guard);
      this->Wanted = wanted;
    }
  }
};

Seconds RequestTimeout()
{
  return environment::SecondsOr("DSM_TIMEOUT", 30);
}

std::shared_ptr<Connection> Connection::Open(const std::string& contactPath,
  const std::string& role, std::uint64_t ranks, const Deadline& deadline)
{
  std::shared_ptr<Connection> made(new Connection);
  made->Path = AbsoluteName(contactPath);
  made->Address = ReadContact(made->Path, deadline);
  made->Role = role;
  made->Ranks = ranks;
  made->Connect(deadline);
  return made;
}

std::shared_ptr<Connection> Connection::FromDescription(const std::string& contactPath,
  const Contact& contact, const ServerDescription& server, const std::string& role)
{
  std::shared_ptr<Connection> made(new Connection);
  made->Path = contactPath;
  made->Address = contact;
  made->Set(server);
  made->Role = role;
  return made;
}

// Opens the channel and says hello. The channel is kept only if the server welcomed us.
void Connection::Connect(const Deadline& deadline)
{
  const auto told = std::make_shared<Told>();
  auto link = std::make_unique<Channel>(
    this->Address, this->Path, [told](const nlohmann::json& event) { told->Hear(event); });
  const auto welcome = link->Request("hello",
    { { "protocol", ProtocolVersion }, { "peer", DescribeThisProcess(this->Role, this->Ranks) } },
    deadline);
  this->Set(welcome.at("server").get<ServerDescription>());
  this->FullRingSeconds = welcome.at("full_ring_limit").get<double>();
  told->Hear(welcome);
  this->Announced = told;
  this->Link = std::move(link);
}

Channel& Connection::Control(const Deadline& deadline)
{
  const std::lock_guard lock(this->Guard);
  if (!this->Link)
  {
    this->Connect(deadline);
  }
  return *this->Link;
}

nlohmann::json Connection::Ask(const std::string& what, nlohmann::json arguments)
{
  const Deadline deadline(RequestTimeout());
  auto reply = this->Control(deadline).Request(what, std::move(arguments), deadline);
  this->Learn(reply);
  return reply;
}

nlohmann::json Connection::AskForRoom(
  const std::string& what, nlohmann::json arguments, Seconds work)
{
  Channel& channel = this->Control(Deadline(RequestTimeout()));
  Seconds patience = RequestTimeout();
  {
    const std::lock_guard lock(this->Guard);
    patience += Seconds(this->FullRingSeconds) + work;
  }
  auto reply = channel.Request(what, std::move(arguments), Deadline(patience));
  this->Learn(reply);
  return reply;
}

// What the server tells beside its answers, once to each peer, when its settings have changed.
void Connection::Learn(const nlohmann::json& reply)
{
  const auto news = reply.find("news");
  if (news != reply.end())
  {
    this->Follow(news->at("server").get<ServerDescription>());
    const std::lock_guard lock(this->Guard);
    this->FullRingSeconds = news->at("full_ring_limit").get<double>();
  }
}

const ServerDescription& Connection::Server() const
{
  const std::lock_guard lock(this->Guard);
  return *this->Descriptions.back();
}

void Connection::Follow(const ServerDescription& server)
{
  const std::lock_guard lock(this->Guard);
  this->Set(server);
}

// With the lock held, or before anybody else knows of the connection.
void Connection::Set(const ServerDescription& server)
{
  if (!this->Descriptions.empty() && *this->Descriptions.back() == server)
  {
    return;
  }
  this->Descriptions.push_back(std::make_unique<const ServerDescription>(server));
  if (this->Mover)
  {
    this->Retired.push_back(std::move(this->Mover));
  }
}

Intake Connection::GetIntake()
{
  this->Control(Deadline(RequestTimeout()));
  std::shared_ptr<Told> told;
  {
    const std::lock_guard lock(this->Guard);
    told = this->Announced;
  }
  const std::lock_guard lock(told->Guard);
  return told->Wanted;
}

void Connection::Tell(const std::string& what, nlohmann::json arguments) noexcept
{
  const std::lock_guard lock(this->Guard);
  if (this->Link)
  {
    this->Link->Notify(what, std::move(arguments));
  }
}

Transport& Connection::Data()
{
  const std::lock_guard lock(this->Guard);
  if (!this->Mover)
  {
    const ServerDescription& server = *this->Descriptions.back();
    this->Mover = LayRoutes(server, server.Transport.WithEnvironment(), this->Joined);
  }
  return *this->Mover;
}

void Connection::AddJoined(std::vector<std::shared_ptr<Transport>> joined)
{
  const std::lock_guard lock(this->Guard);
  this->Joined = std::move(joined);
  if (this->Mover)
  {
    this->Retired.push_back(std::move(this->Mover));
  }
}

bool Connection::HasOwnWays() const
{
  const std::lock_guard lock(this->Guard);
  return !this->Joined.empty() && this->Memberships.empty();
}

std::shared_ptr<MpiMembership> Connection::Membership() const
{
  const std::lock_guard lock(this->Guard);
  return this->Memberships.empty() ? nullptr : this->Memberships.back();
}

void Connection::SetMembership(std::shared_ptr<MpiMembership> membership)
{
  this->AddJoined(membership->Transports());
  const std::lock_guard lock(this->Guard);
  this->Memberships.push_back(std::move(membership));
}

void Connection::LeaveHosts() noexcept
{
  std::vector<std::shared_ptr<MpiMembership>> left;
  {
    const std::lock_guard lock(this->Guard);
    left.swap(this->Memberships);
    // Those who still hold the mover hear from it that the hosts are left.
    this->Joined.clear();
    if (this->Mover && !left.empty())
    {
      this->Retired.push_back(std::move(this->Mover));
    }
  }
  // In the order of joining, which is the same on all ranks that share several.
  for (const auto& membership : left)
  {
    membership->Leave(*this);
  }
}

bool Connection::Alive() const
{
  const std::lock_guard lock(this->Guard);
  return !this->Link || this->Link->Alive();
}

bool Connection::CheckAlive() noexcept
{
  try
  {
    return this->Control(Deadline(Seconds(5))).Alive();
  }
  catch (const std::exception&)
  {
    return false;
  }
}

}
