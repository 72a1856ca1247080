// SPDX-License-Identifier: BSD-3-Clause
#include "Peer/Connections.h"

#include "Base/FileName.h"
#include "Base/Log.h"
#include "Base/TestDelay.h"
#include "Mpi/Leak.h"
#include "Peer/ServerSearch.h"

#include <map>
#include <mutex>
#include <utility>

namespace dsm::connections
{

namespace
{
struct Table
{
  std::mutex Guard;
  std::map<std::string, std::shared_ptr<Connection>> ByContact;
  std::map<std::string, std::shared_ptr<ServerSearch>> Searches;
};

// Never destroyed: HDF5 closes files after the static destructors have run.
Table& TheTable()
{
  static Table* const table = new Table;
  return *table;
}

// What goes out of the table; it ends outside the lock: saying goodbye takes a moment.
struct Ended
{
  std::vector<std::shared_ptr<Connection>> Connections;
  std::vector<std::shared_ptr<ServerSearch>> Searches;
};

// With the lock held: enters what a search has found, and ends it. Found servers are looked for
// here, in the threads that use connections: so the search's own thread needs no lock of theirs,
// and no connection that was joined over MPI ends in it.
void Settle(Table& table, const std::string& path, Ended& ended)
{
  const auto search = table.Searches.find(path);
  if (search == table.Searches.end())
  {
    return;
  }
  std::shared_ptr<Connection> found;
  if (!search->second->Forked())
  {
    found = search->second->Found();
    if (!found)
    {
      return;
    }
  }
  ended.Searches.push_back(std::move(search->second));
  table.Searches.erase(search);
  if (found)
  {
    table.ByContact[path].swap(found);
    ended.Connections.push_back(std::move(found));
  }
}

// A server that was lost while nobody needed it, and another that is there by now: what the first
// held has gone, and a simulation's user is told.
void TellOfReplacement(const Connection& made)
{
  Table& table = TheTable();
  const std::lock_guard lock(table.Guard);
  const auto before = table.ByContact.find(made.ContactPath());
  const auto& contact = made.GetContact();
  if (made.ThisProcess().Role == "writer" && before != table.ByContact.end() &&
    before->second->GetContact().Session != contact.Session)
  {
    Log().warn("the server of {} (process {}) is gone, and with it the snapshots that it has not "
               "saved; another has come into its place (process {} on {}): files go to its memory",
      made.ContactPath(), before->second->GetContact().Process, contact.Process, contact.HostName);
  }
}
}

std::shared_ptr<Connection> Get(const std::string& contactPath, const std::string& role,
  std::uint64_t ranks, const Deadline& deadline)
{
  if (auto known = Find(contactPath))
  {
    return known;
  }
  {
    Table& table = TheTable();
    const std::lock_guard lock(table.Guard);
    if (const auto search = table.Searches.find(AbsoluteName(contactPath));
      search != table.Searches.end())
    {
      throw search->second->Why();
    }
  }
  auto made = Connection::Open(contactPath, role, ranks, deadline);
  testdelay::At("after a connection was made");
  TellOfReplacement(*made);
  Add(made);
  return made;
}

std::shared_ptr<Connection> Find(const std::string& contactPath)
{
  testdelay::At("finding a connection");
  const std::string path = AbsoluteName(contactPath);
  Ended ended;
  Table& table = TheTable();
  const std::lock_guard lock(table.Guard);
  Settle(table, path, ended);
  const auto found = table.ByContact.find(path);
  return found != table.ByContact.end() && found->second->Alive() && !table.Searches.contains(path)
    ? found->second
    : nullptr;
}

bool WasLost(const std::string& contactPath)
{
  const std::string path = AbsoluteName(contactPath);
  Table& table = TheTable();
  const std::lock_guard lock(table.Guard);
  const auto known = table.ByContact.find(path);
  return known != table.ByContact.end() &&
    (!known->second->Alive() || table.Searches.contains(path));
}

std::vector<std::shared_ptr<Connection>> All()
{
  Ended ended;
  Table& table = TheTable();
  const std::lock_guard lock(table.Guard);
  std::vector<std::string> searched;
  searched.reserve(table.Searches.size());
  for (const auto& [path, search] : table.Searches)
  {
    searched.push_back(path);
  }
  for (const std::string& path : searched)
  {
    Settle(table, path, ended);
  }
  std::vector<std::shared_ptr<Connection>> living;
  for (const auto& [path, connection] : table.ByContact)
  {
    if (connection->Alive() && !table.Searches.contains(path))
    {
      living.push_back(connection);
    }
  }
  return living;
}

void Add(std::shared_ptr<Connection> connection)
{
  Ended ended;
  Table& table = TheTable();
  const std::lock_guard lock(table.Guard);
  const std::string& path = connection->ContactPath();
  if (const auto search = table.Searches.find(path); search != table.Searches.end())
  {
    ended.Searches.push_back(std::move(search->second));
    table.Searches.erase(search);
  }
  auto& place = table.ByContact[path];
  ended.Connections.push_back(std::exchange(place, std::move(connection)));
}

void Remove(const std::shared_ptr<Connection>& connection)
{
  Table& table = TheTable();
  const std::lock_guard lock(table.Guard);
  const auto found = table.ByContact.find(connection->ContactPath());
  if (found != table.ByContact.end() && found->second == connection)
  {
    table.ByContact.erase(found);
  }
}

void Search(const std::string& contactPath, const PeerDescription& self, const Error& why)
{
  const std::string path = AbsoluteName(contactPath);
  Table& table = TheTable();
  const std::lock_guard lock(table.Guard);
  if (!table.Searches.contains(path))
  {
    table.Searches[path] =
      std::make_shared<ServerSearch>(path, self, why, table.ByContact.contains(path));
  }
}

std::optional<Missing> TakeUntold(const std::string& contactPath)
{
  Table& table = TheTable();
  const std::lock_guard lock(table.Guard);
  const auto search = table.Searches.find(AbsoluteName(contactPath));
  if (search == table.Searches.end() || std::exchange(search->second->Told, true))
  {
    return std::nullopt;
  }
  return Missing{ search->second->Why(), table.ByContact.contains(search->first) };
}

void Clear()
{
  Ended ended;
  Table& table = TheTable();
  {
    const std::lock_guard lock(table.Guard);
    for (auto& [path, connection] : std::exchange(table.ByContact, {}))
    {
      ended.Connections.push_back(connection);
    }
    for (auto& [path, search] : std::exchange(table.Searches, {}))
    {
      ended.Searches.push_back(search);
    }
  }
  for (auto& connection : ended.Connections)
  {
    if (connection->Forked())
    {
      Leak(std::move(connection)); // a child that ends takes nothing from its parent
    }
    else
    {
      connection->LeaveHosts();
    }
  }
}

void Leave() noexcept
{
  constexpr Seconds limit(0.5);
  Table& table = TheTable();
  const std::unique_lock lock(table.Guard, std::try_to_lock);
  if (!lock)
  {
    return;
  }
  for (const auto& [path, connection] : table.ByContact)
  {
    if (connection && !connection->Forked())
    {
      connection->Leave(limit);
    }
  }
}

void LeaveHostsAtFinalize()
{
  Table& table = TheTable();
  const std::lock_guard lock(table.Guard);
  for (const auto& [path, connection] : table.ByContact)
  {
    if (connection.use_count() == 1)
    {
      connection->LeaveHosts();
    }
  }
}

}
