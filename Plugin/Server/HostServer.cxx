// SPDX-License-Identifier: BSD-3-Clause
#include "HostServer.h"

#include "Archive/SaveSnapshot.h"
#include "Base/Deadline.h"
#include "Base/Error.h"
#include "Driver/H5FDdsm.h"
#include "Mapping/AddressMap.h"
#include "Session/Agreement.h"
#include "Session/Server.h"
#include "Session/ServerDefaults.h"
#include "Session/SnapshotView.h"
#include "Steering/SteeringDesk.h"

#include <nlohmann/json.hpp>

#include <type_traits>

using dsm::Error;
using dsm::Fault;
using nlohmann::json;

namespace
{
// Several servers may run in one process: the driver stays the default until the last has stopped.
int RunningServers = 0;

void UseDriver()
{
  if (H5FD_dsm_set_default() < 0)
  {
    throw Error(Fault::System,
      "HDF5 refuses the DSM's driver: ParaView and the plugin may use two different HDF5 "
      "libraries");
  }
  ++RunningServers;
}

void LeaveDriver()
{
  if (--RunningServers == 0)
  {
    H5FD_dsm_unset_default();
  }
}

// What of the newest snapshot lies on each host.
json Spread(const dsm::ServerStatus& status)
{
  json bytes = json::array();
  if (!status.Snapshots.empty())
  {
    const auto& newest = status.Snapshots.back();
    const dsm::AddressMap map(newest.Map);
    for (std::uint64_t host = 0; host < newest.Map.Hosts; ++host)
    {
      bytes.push_back(map.LocalSize(host, newest.FileSize));
    }
  }
  return bytes;
}

json Describe(const dsm::ServerStatus& status)
{
  std::string writers;
  for (const auto& writer : status.Writers)
  {
    writers += fmt::format("{}{} ({} {} on {}{}{})", writers.empty() ? "" : ", ", writer.Program,
      writer.Ranks, writer.Ranks == 1 ? "rank" : "ranks", writer.Node,
      writer.Mpi.empty() ? "" : ", ", writer.Mpi);
  }
  return {
    { "state", dsm::ServerStateName(status.State) },
    { "last_error", status.LastError },
    { "writers", writers },
    { "receiving", status.Receiving },
    { "host_bytes", Spread(status) },
    { "writers_seen", status.WritersSeen },
    { "sealed", status.SnapshotsSealed },
    { "dropped", status.SnapshotsDropped },
    { "abandoned", status.ImagesAbandoned },
    { "memory_used", status.MemoryUsed },
    { "memory_budget", status.MemoryBudget },
    { "snapshots", status.Snapshots },
  };
}

HostServer::Status AsStatus(const json& told)
{
  HostServer::Status status;
  told.at("state").get_to(status.State);
  told.at("last_error").get_to(status.LastError);
  told.at("writers").get_to(status.Writers);
  told.at("receiving").get_to(status.Receiving);
  told.at("host_bytes").get_to(status.HostBytes);
  told.at("writers_seen").get_to(status.WritersSeen);
  told.at("sealed").get_to(status.SnapshotsSealed);
  told.at("dropped").get_to(status.SnapshotsDropped);
  told.at("abandoned").get_to(status.ImagesAbandoned);
  told.at("memory_used").get_to(status.MemoryUsed);
  told.at("memory_budget").get_to(status.MemoryBudget);
  for (const auto& entry : told.at("snapshots"))
  {
    const auto snapshot = entry.get<dsm::SnapshotDescription>();
    status.Snapshots.push_back({ snapshot.Number, snapshot.FileName, snapshot.Step,
      snapshot.FileSize, snapshot.Statistics.Bytes, snapshot.Statistics.WriteSeconds,
      snapshot.Statistics.BlockedSeconds, snapshot.SealedAt });
  }
  return status;
}

dsm::ServerOptions AsOptions(const HostServer::Settings& settings)
{
  dsm::ServerOptions options;
  options.ContactFile = settings.ContactFile;
  const auto choose = [](auto& option, const auto& wanted)
  {
    if (wanted != std::remove_cvref_t<decltype(wanted)>())
    {
      option = wanted;
    }
  };
  const auto defaults = dsm::ServerDefaults::Read();
  options.Map = defaults.Map;
  options.Transport = defaults.Transport;
  if (!settings.Transport.empty())
  {
    options.Transport = dsm::TransportChoice::FromText(settings.Transport);
  }
  choose(options.Map.Strategy, settings.Strategy);
  choose(options.Map.BlockSize, settings.BlockSize);
  choose(options.Map.BlocksPerCycle, settings.BlocksPerCycle);
  choose(options.Map.Seed, settings.Seed);
  options.MemoryPerHost = settings.MemoryPerHost;
  options.MaximumSnapshots = settings.MaximumSnapshots;
  options.WhenFull = settings.BlockWhenFull ? dsm::FullRing::Block : dsm::FullRing::DropOldest;
  options.FullRingLimit = dsm::Seconds(settings.FullRingLimit);
  options.ExpectedFileSize = settings.ExpectedFileSize;
  return options;
}
}

bool HostServer::Settings::SpreadsAs(const Settings& other) const
{
  return AsOptions(*this).Map == AsOptions(other).Map;
}

HostServer::HostServer(MPI_Comm hosts, const Settings& settings)
  : Hosts(dsm::Communicator::Duplicate(hosts))
{
  dsm::ServerOptions options;
  dsm::Agree(this->Hosts, [&] { options = AsOptions(settings); });
  this->Self = std::make_unique<dsm::Server>(this->Hosts, options);
  UseDriver();
}

HostServer::~HostServer()
{
  if (this->Self)
  {
    LeaveDriver();
  }
}

void HostServer::Stop()
{
  if (this->Self)
  {
    // Ranks that run a script side by side may still be reading.
    this->Hosts.Barrier();
    LeaveDriver();
    this->Pinned.clear();
    // Taken first: whatever happens, it is no longer ours.
    const auto server = std::move(this->Self);
    server->Stop();
    this->Hosts.Free();
  }
}

const std::string& HostServer::ContactPath() const
{
  return this->Self->ContactPath();
}

HostServer::Status HostServer::GetStatus() const
{
  return AsStatus(dsm::AskAsOne(this->Hosts, [this] { return Describe(this->Self->Status()); }));
}

HostServer::Status HostServer::PeekStatus() const
{
  auto status = AsStatus(Describe(this->Self->Status()));
  for (auto& snapshot : status.Snapshots)
  {
    snapshot.Pinned = this->Pinned.contains(snapshot.Number);
  }
  return status;
}

HostServer::Found HostServer::WaitForSnapshot(std::uint64_t after, bool next, double seconds) const
{
  const json told = dsm::AskAsOne(this->Hosts,
    [&]() -> json
    {
      const auto began = dsm::Clock::now();
      const auto found =
        this->Self->WaitForSnapshot(after, next, dsm::Deadline(dsm::Seconds(seconds)));
      const auto status = this->Self->Status();
      // A simulation may have come or written between the two calls: then it goes on.
      const bool finished = !found && status.WritersSeen > 0 && status.Writers.empty() &&
        status.State != dsm::ServerState::Receiving && status.SnapshotsSealed <= after;
      return { { "found", found ? found->Number : 0 }, { "finished", finished },
        { "waited", dsm::Seconds(dsm::Clock::now() - began).count() },
        { "status", Describe(status) } };
    });
  return { told.at("found").get<std::uint64_t>(), told.at("finished").get<bool>(),
    told.at("waited").get<double>(), AsStatus(told.at("status")) };
}

void HostServer::Release(std::uint64_t number) const
{
  // Ranks that run a script side by side may still be reading it. Only rank 0 lets go.
  this->Hosts.Barrier();
  this->Self->Release(number);
}

void HostServer::SaveSnapshot(std::uint64_t number, const std::string& path) const
{
  dsm::AskAsOne(this->Hosts,
    [&]() -> json
    {
      const dsm::SnapshotView view(this->Self->GetConnection(), number);
      dsm::SaveSnapshot(view, path);
      return json::object();
    });
}

void HostServer::ChangeMap(const Settings& settings) const
{
  dsm::AskAsOne(this->Hosts,
    [&]() -> json
    {
      this->Self->SetMap(AsOptions(settings).Map);
      return json::object();
    });
}

void HostServer::Pin(std::uint64_t number, bool pinned)
{
  dsm::AskAsOne(this->Hosts,
    [&]() -> json
    {
      if (!pinned)
      {
        this->Pinned.erase(number);
      }
      else if (!this->Pinned.contains(number))
      {
        this->Pinned.emplace(
          number, std::make_unique<dsm::SnapshotView>(this->Self->GetConnection(), number));
      }
      return json::object();
    });
}

namespace
{
json ReadRequest(const std::string& request)
{
  json asked = json::parse(request, nullptr, false);
  if (!asked.is_object() || !asked.contains("do"))
  {
    throw Error(
      Fault::Usage, "a steering request is a JSON object with a member \"do\", not {}", request);
  }
  return asked;
}

std::string AnswerText(const json& answer)
{
  return answer.dump(-1, ' ', false, json::error_handler_t::replace);
}
}

std::string HostServer::Steer(const std::string& request) const
{
  return dsm::AskAsOne(this->Hosts, [&]() -> json
    { return AnswerText(this->Self->Steering()->Answer(ReadRequest(request), "ParaView")); })
    .get<std::string>();
}

std::string HostServer::PeekSteering(const std::string& request) const
{
  auto* desk = this->Self->Steering();
  return desk ? AnswerText(desk->Answer(ReadRequest(request), "ParaView")) : std::string();
}
