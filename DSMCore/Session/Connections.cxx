// SPDX-License-Identifier: BSD-3-Clause
#include "Session/Connections.h"

#include "Base/FileName.h"

#include <map>
#include <mutex>

namespace dsm::connections
{

namespace
{
struct Table
{
  std::mutex Guard;
  std::map<std::string, std::shared_ptr<Connection>> ByContact;
};

// Never destroyed: HDF5 closes files after the static destructors have run.
Table& TheTable()
{
  static Table* const table = new Table;
  return *table;
}
}

std::shared_ptr<Connection> Get(const std::string& contactPath, const std::string& role,
  std::uint64_t ranks, const Deadline& deadline)
{
  if (auto known = Find(contactPath))
  {
    return known;
  }
  auto made = Connection::Open(contactPath, role, ranks, deadline);
  Add(made);
  return made;
}

std::shared_ptr<Connection> Find(const std::string& contactPath)
{
  Table& table = TheTable();
  const std::lock_guard lock(table.Guard);
  const auto found = table.ByContact.find(AbsoluteName(contactPath));
  return found != table.ByContact.end() && found->second->Alive() ? found->second : nullptr;
}

std::vector<std::shared_ptr<Connection>> All()
{
  Table& table = TheTable();
  const std::lock_guard lock(table.Guard);
  std::vector<std::shared_ptr<Connection>> living;
  for (const auto& [path, connection] : table.ByContact)
  {
    if (connection->Alive())
    {
      living.push_back(connection);
    }
  }
  return living;
}

void Add(std::shared_ptr<Connection> connection)
{
  Table& table = TheTable();
  // The one replaced ends outside the lock: saying goodbye takes a moment.
  {
    const std::lock_guard lock(table.Guard);
    table.ByContact[connection->ContactPath()].swap(connection);
  }
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

void Clear()
{
  Table& table = TheTable();
  std::map<std::string, std::shared_ptr<Connection>> ended;
  {
    const std::lock_guard lock(table.Guard);
    ended.swap(table.ByContact);
  }
  for (const auto& [path, connection] : ended)
  {
    connection->LeaveHosts();
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
