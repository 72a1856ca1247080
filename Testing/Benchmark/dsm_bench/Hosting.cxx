// SPDX-License-Identifier: BSD-3-Clause
#include "Hosting.h"

#include "Peer/Connections.h"
#include "Transport/ChooseTransport.h"

#include <fmt/format.h>

#include <unistd.h>

namespace bench
{

namespace
{
// Runs `work` on this rank; what goes wrong as text.
template <typename Work>
std::string Try(Work&& work)
{
  try
  {
    work();
    return {};
  }
  catch (const std::exception& error)
  {
    return error.what();
  }
}

void SetMap(dsm::LocalServer& server, const Cell& cell, const Settings& settings)
{
  dsm::Redistribution map;
  map.Strategy = cell.Strategy;
  map.BlockSize = cell.BlockSize;
  map.BlocksPerCycle = settings.BlocksPerCycle;
  map.Seed = settings.Seed;
  server.SetMap(map);
}
}

Hosting::Hosting(const World& world, const Settings& settings)
  : Ranks(world)
  , Given(settings)
{
}

std::string Hosting::Serve(const Cell& cell)
{
  const std::string needed =
    fmt::format("{} {} {} {}", cell.Hosts, cell.Transport, this->Given.MemoryFor(cell), cell.Size);
  if (needed != this->Served)
  {
    this->Stop();
    const auto trouble = this->Start(cell);
    if (!trouble.empty())
    {
      return trouble;
    }
    this->Served = needed;
  }
  return this->Map(cell);
}

std::string Hosting::Map(const Cell& cell)
{
  return this->Ranks.Share(this->Ranks.Rank() == 0
      ? Try([&] { SetMap(*this->Server, cell, this->Given); })
      : std::string(),
    0);
}

std::string Hosting::Start(const Cell& cell)
{
  this->Contact = this->Ranks.Share(
    fmt::format("{}/dsm_bench.{}.{}.dsm", this->Given.ContactFolder, getpid(), this->Servers++), 0);
  const auto trouble = Try(
    [&]
    {
      const MPI_Comm hosts = this->Ranks.Hosts(cell.Hosts);
      if (hosts == MPI_COMM_NULL)
      {
        return;
      }
      dsm::ServerOptions options;
      options.ContactFile = this->Contact;
      options.MemoryPerHost = this->Given.MemoryFor(cell);
      options.ExpectedFileSize = cell.Size;
      options.Map.Strategy = "contiguous"; // possible with any memory; each cell sets its own
      options.Transport = dsm::TransportFromText(cell.Transport);
      options.Transport.NodeMemory = this->Given.OverNodeMemory(cell.Transport);
      this->Server =
        std::make_unique<dsm::LocalServer>(dsm::Communicator::Duplicate(hosts), options);
    });
  return this->Ranks.Share(trouble, 0);
}

void Hosting::Stop()
{
  // Writers leave first: their mappings would keep the hosts' memory.
  if (!this->Server)
  {
    dsm::connections::Clear();
  }
  this->Ranks.Barrier();
  if (this->Server)
  {
    this->Server->Stop();
    this->Server.reset();
  }
  this->Served.clear();
  this->Ranks.Barrier();
}

std::uint64_t Hosting::BytesStored() const
{
  if (!this->Server)
  {
    return 0;
  }
  // Of a stream's first file viewers are told a moment later.
  const auto last = this->Server->Status().SnapshotsSealed;
  const auto snapshot = last == 0 ? std::nullopt
                                  : this->Server->WaitForSnapshot(dsm::SnapshotId(last - 1), true,
                                      dsm::Deadline(dsm::Seconds(5)));
  if (!snapshot)
  {
    return 0;
  }
  this->Server->Release(snapshot->Number);
  return snapshot->Statistics.Bytes;
}

}
