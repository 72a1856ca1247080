// SPDX-License-Identifier: BSD-3-Clause
#include "Session/SnapshotHold.h"

#include "Session/Connection.h"

#include <utility>

namespace dsm
{

SnapshotHold::List SnapshotHold::Newest(
  std::shared_ptr<Connection> connection, const std::string& pattern, std::uint64_t number)
{
  const auto answer =
    connection->Ask("snapshots", { { "match", pattern }, { "number", number }, { "hold", true } });
  List list;
  if (const auto lease = answer.find("lease"); lease != answer.end())
  {
    list.Newest.Link = std::move(connection);
    list.Newest.Lease = lease->get<std::uint64_t>();
  }
  answer.at("snapshots").get_to(list.Snapshots);
  if (list.Newest.Link)
  {
    list.Newest.Snapshot = list.Snapshots.back();
  }
  return list;
}

SnapshotHold SnapshotHold::Together(std::shared_ptr<Connection> connection, std::uint64_t number,
  const std::optional<std::string>& instead, const Viewer& viewer)
{
  nlohmann::json question{ { "number", number },
    { "together", { { "viewer", viewer.Name }, { "ranks", viewer.Ranks } } } };
  if (instead)
  {
    question["instead"] = *instead;
  }
  return Open(std::move(connection), std::move(question));
}

SnapshotHold SnapshotHold::Open(std::shared_ptr<Connection> connection, nlohmann::json question)
{
  const auto answer = connection->Ask("open", std::move(question));
  SnapshotHold hold;
  hold.Link = std::move(connection);
  hold.Lease = answer.at("lease").get<std::uint64_t>();
  answer.at("snapshot").get_to(hold.Snapshot);
  return hold;
}

SnapshotHold& SnapshotHold::operator=(SnapshotHold&& other) noexcept
{
  if (this != &other)
  {
    this->Release();
    this->Link = std::move(other.Link);
    this->Snapshot = std::move(other.Snapshot);
    this->Lease = other.Lease;
  }
  return *this;
}

void SnapshotHold::Release() noexcept
{
  if (const auto link = std::exchange(this->Link, nullptr))
  {
    link->Tell("close", { { "lease", this->Lease } });
  }
}

}
