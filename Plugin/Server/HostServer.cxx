// SPDX-License-Identifier: BSD-3-Clause
#include "HostServer.h"

#include "Archive/DiskWriter.h"
#include "Archive/SaveSnapshot.h"
#include "Base/Deadline.h"
#include "Base/Error.h"
#include "Driver/H5FDdsm.h"
#include "Session/Agreement.h"
#include "Session/Peer.h"
#include "Session/Server.h"
#include "Session/ServerDefaults.h"
#include "Session/SnapshotView.h"
#include "Steering/SteeringDesk.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <limits>

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

constexpr dsm::FullRing Policies[] = { dsm::FullRing::DropOldest, dsm::FullRing::Block,
  dsm::FullRing::DropNewest };

constexpr double LongestLimit = 1e9; // seconds; a clock that counts in nanoseconds holds this

// Not chosen: left to this machine's defaults.
bool IsAutomatic(const std::string& text)
{
  return text.empty() || text == "automatic";
}

// An amount that somebody typed.
std::uint64_t Amount(std::int64_t value, const char* what, std::int64_t unit = 1)
{
  if (value < 0)
  {
    throw Error(Fault::Usage, "{} is {}: it must be 0 or more", what, value);
  }
  if (value > std::numeric_limits<std::int64_t>::max() / unit)
  {
    throw Error(Fault::Usage, "{} is {}: that is more than any machine has", what, value);
  }
  return static_cast<std::uint64_t>(value * unit);
}

HostServer::Effective AsEffective(const dsm::ServerOptions& options)
{
  HostServer::Effective effective;
  effective.Strategy = options.Map.Strategy;
  effective.BlockSize = options.Map.BlockSize;
  effective.Transport = options.Transport.ToText();
  effective.MemoryPerHost = options.MemoryPerHost;
  effective.MaximumSnapshots = options.MaximumSnapshots;
  effective.FullRing = static_cast<int>(
    std::find(std::begin(Policies), std::end(Policies), options.WhenFull) - std::begin(Policies));
  effective.FullRingLimit = options.FullRingLimit.count();
  return effective;
}

json Describe(const dsm::ServerStatus& status)
{
  json writers = json::array();
  for (const auto& writer : status.Writers)
  {
    writers.push_back({ writer.Program, writer.Ranks, writer.Node, writer.Mpi, writer.Since });
  }
  const auto inForce = AsEffective(status.Options);
  return {
    { "state", dsm::ServerStateName(status.State) },
    { "last_error", status.LastError },
    { "last_error_at", status.LastErrorAt },
    { "writers", writers },
    { "receiving", status.Receiving },
    { "transports", status.Transports },
    { "pending", status.Pending },
    { "in_force",
      { inForce.Strategy, inForce.BlockSize, inForce.Transport, inForce.MemoryPerHost,
        inForce.MaximumSnapshots, inForce.FullRing, inForce.FullRingLimit } },
    { "host_bytes",
      status.Snapshots.empty() ? std::vector<std::uint64_t>()
                               : status.Snapshots.back().Statistics.HostBytes },
    { "all_host_bytes", status.HostBytes },
    { "host_memory_used", status.HostMemoryUsed },
    { "bytes_received", status.BytesReceived },
    { "blocked_seconds", status.BlockedSeconds },
    { "waiting_seconds", status.WaitingSeconds },
    { "writers_seen", status.WritersSeen },
    { "sealed", status.SnapshotsSealed },
    { "dropped", status.SnapshotsDropped },
    { "skipped", status.SnapshotsSkipped },
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
  told.at("last_error_at").get_to(status.LastErrorAt);
  for (const auto& writer : told.at("writers"))
  {
    status.Writers.push_back({ writer[0].get<std::string>(), writer[1].get<std::uint64_t>(),
      writer[2].get<std::string>(), writer[3].get<std::string>(), writer[4].get<double>() });
  }
  told.at("receiving").get_to(status.Receiving);
  told.at("transports").get_to(status.Transports);
  told.at("pending").get_to(status.Pending);
  const auto& inForce = told.at("in_force");
  status.InForce = { inForce[0].get<std::string>(), inForce[1].get<std::uint64_t>(),
    inForce[2].get<std::string>(), inForce[3].get<std::uint64_t>(), inForce[4].get<std::uint64_t>(),
    inForce[5].get<int>(), inForce[6].get<double>() };
  told.at("host_bytes").get_to(status.HostBytes);
  told.at("all_host_bytes").get_to(status.AllHostBytes);
  told.at("host_memory_used").get_to(status.HostMemoryUsed);
  told.at("bytes_received").get_to(status.BytesReceived);
  told.at("blocked_seconds").get_to(status.BlockedSeconds);
  told.at("waiting_seconds").get_to(status.WaitingSeconds);
  told.at("writers_seen").get_to(status.WritersSeen);
  told.at("sealed").get_to(status.SnapshotsSealed);
  told.at("dropped").get_to(status.SnapshotsDropped);
  told.at("skipped").get_to(status.SnapshotsSkipped);
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

dsm::TransportChoice ChosenTransport(
  const HostServer::Settings& settings, const dsm::TransportChoice& usual)
{
  dsm::TransportChoice choice = usual;
  if (!IsAutomatic(settings.Transport))
  {
    choice = dsm::TransportChoice::FromText(settings.Transport);
    choice.NodeMemory = usual.NodeMemory;
  }
  if (!settings.SmallTransport.empty() && settings.SmallTransport != "same")
  {
    choice =
      dsm::TransportChoice::FromText(fmt::format("{},{}:{}", choice.Heavy, settings.SmallTransport,
        Amount(settings.SmallTransferSize, "the threshold of small transfers")));
    choice.NodeMemory = usual.NodeMemory;
  }
  return choice;
}

dsm::ServerOptions AsOptions(const HostServer::Settings& settings)
{
  dsm::ServerOptions options;
  options.ContactFile = settings.ContactFile;
  const auto choose = [](std::uint64_t& option, std::int64_t wanted, const char* what)
  { option = wanted != 0 ? Amount(wanted, what) : option; };
  const auto defaults = dsm::ServerDefaults::Read();
  options.Map = defaults.Map;
  if (!IsAutomatic(settings.Strategy))
  {
    options.Map.Strategy = settings.Strategy;
  }
  choose(options.Map.BlockSize, settings.BlockSize, "the block size");
  choose(options.Map.BlocksPerCycle, settings.BlocksPerCycle, "the number of blocks per cycle");
  choose(options.Map.Seed, settings.Seed, "the seed");
  options.Transport = ChosenTransport(settings, defaults.Transport);
  options.Files = options.Files.WithEnvironment();
  options.Files.OnFlush = options.Files.OnFlush || settings.PublishOnFlush;
  if (!settings.NamePattern.empty() && settings.NamePattern != "*")
  {
    options.Files.Match = settings.NamePattern;
  }
  options.MemoryPerHost = Amount(settings.MemoryPerHost, "the memory per host, in MiB,", 1 << 20);
  options.MaximumSnapshots = Amount(settings.MaximumSnapshots, "the most snapshots to keep");
  if (settings.FullRing < 0 || settings.FullRing >= static_cast<int>(std::size(Policies)))
  {
    throw Error(Fault::Usage, "there is no policy number {} for a full ring: choose 0 to {}",
      settings.FullRing, std::size(Policies) - 1);
  }
  options.WhenFull = Policies[settings.FullRing];
  if (!(settings.FullRingLimit >= 0 && settings.FullRingLimit <= LongestLimit))
  {
    throw Error(Fault::Usage,
      "the limit for a full ring is {} s: it must be 0 to {}, the longest that a simulation waits",
      settings.FullRingLimit, LongestLimit);
  }
  options.FullRingLimit = dsm::Seconds(settings.FullRingLimit);
  options.ExpectedFileSize = Amount(settings.ExpectedFileSize, "the expected file size");
  return options;
}
}

HostServer::Effective HostServer::Preview(const Settings& settings)
{
  return AsEffective(AsOptions(settings));
}

HostServer::HostServer(MPI_Comm hosts, const Settings& settings)
  : Hosts(dsm::Communicator::Duplicate(hosts))
{
  dsm::ServerOptions options;
  dsm::Agree(this->Hosts, [&] { options = AsOptions(settings); });
  this->Self = std::make_unique<dsm::Server>(this->Hosts, options);
  this->Saver = std::make_unique<dsm::DiskWriter>(*this->Self);
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
    this->Saver.reset();
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

void HostServer::Change(const Settings& settings) const
{
  dsm::ServerOptions options;
  dsm::Agree(this->Hosts, [&] { options = AsOptions(settings); });
  this->Self->Adjust(options);
}

std::uint64_t HostServer::Room() const
{
  return this->Self->Room();
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

// Whoever runs ParaView's server, for the log.
std::string Who()
{
  return dsm::PersonHere() + " (ParaView)";
}

std::string AnswerText(const json& answer)
{
  return answer.dump(-1, ' ', false, json::error_handler_t::replace);
}
}

std::string HostServer::Steer(const std::string& request) const
{
  return dsm::AskAsOne(this->Hosts, [&]() -> json
    { return AnswerText(this->Self->Steering()->Answer(ReadRequest(request), Who())); })
    .get<std::string>();
}

std::string HostServer::PeekSteering(const std::string& request) const
{
  auto* desk = this->Self->Steering();
  return desk ? AnswerText(desk->Answer(ReadRequest(request), Who())) : std::string();
}
