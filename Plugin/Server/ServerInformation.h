// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "HostServer.h"
#include "Server/SettingValues.h"
#include "SnapshotChanges.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

/// What the information properties of the proxy show: the last status of the hosts, and the
/// settings in force.
class ServerInformation
{
public:
  /// Both change while the program runs, and must outlive this. Without a server, the status is
  /// empty.
  ServerInformation(const std::unique_ptr<HostServer>& server, const dsm::SettingValues& settings);

  /// Collective: asks for the status on all ranks.
  void Refresh();

  /// With `live`, asks for the status on this rank alone. ParaView calls the getters one by one,
  /// and those of one request get the same status, unless it is outdated.
  const HostServer::Status& Status(bool live);

  /// Notes that a command may have changed the status.
  void Outdate() { this->Time = {}; }

  /// The options that are in force, or would be after Start; null if Start would refuse them.
  const dsm::ServerOptions* InForce(bool live);

  /// Returns the status as JSON, for ParaView's panel and for scripts. Its snapshots are those that
  /// changed after a revision (see SnapshotChanges); 0: all.
  std::string Json(bool live, std::uint64_t revision);

  /// The simulations that are connected: "gray_scott (4 ranks on node7, Open MPI 5.0.7), …".
  const std::string& Writers(bool live);

  /// The same of any status.
  static std::string WritersText(const dsm::ServerStatus& status);

  /// Says for people which changes are not in force yet. `started`: the settings at Start.
  std::string PendingChanges(bool live, const dsm::SettingValues& started);

private:
  void Set(HostServer::Status status);

  const std::unique_ptr<HostServer>& Server;
  const dsm::SettingValues& Settings;
  HostServer::Status Last;
  std::string LastWriters;
  SnapshotChanges Changes;
  std::chrono::steady_clock::time_point Time;
  dsm::SettingValues PreviewSettings;
  std::optional<dsm::ServerOptions> Preview;
  bool HasPreview = false;
};
