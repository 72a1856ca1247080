// SPDX-License-Identifier: BSD-3-Clause
#include "Measure.h"

#include "Files.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <fstream>
#include <sstream>

namespace bench
{

namespace
{
using Json = nlohmann::json;

// Bytes so far over all network devices of this node but the loopback.
struct NetworkCount
{
  double Received = 0;
  double Sent = 0;

  static NetworkCount Now()
  {
    NetworkCount sum;
    std::ifstream file("/proc/net/dev");
    for (std::string line; std::getline(file, line);)
    {
      const auto colon = line.find(':');
      if (colon == std::string::npos || line.substr(0, colon).find(" lo") != std::string::npos)
      {
        continue;
      }
      std::istringstream fields(line.substr(colon + 1));
      std::vector<double> numbers(std::istream_iterator<double>(fields), {});
      if (numbers.size() >= 9)
      {
        sum.Received += numbers[0];
        sum.Sent += numbers[8];
      }
    }
    return sum;
  }
};

// Memory that the ranks of a node share, for memcpy.
class NodeMemory
{
public:
  NodeMemory(MPI_Comm comm, std::uint64_t bytes)
  {
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &this->Node);
    MPI_Win_allocate_shared(
      static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL, this->Node, &this->Memory, &this->Window);
  }
  NodeMemory(const NodeMemory&) = delete;
  NodeMemory& operator=(const NodeMemory&) = delete;
  ~NodeMemory()
  {
    MPI_Win_free(&this->Window);
    MPI_Comm_free(&this->Node);
  }
  char* Mine() const { return this->Memory; }

private:
  MPI_Comm Node = MPI_COMM_NULL;
  MPI_Win Window = MPI_WIN_NULL;
  char* Memory = nullptr;
};

// The rounds of one cell, on its writers: all ways in turns, so that what disturbs the machine
// disturbs all of them.
class Writing
{
public:
  Writing(const Cell& cell, MPI_Comm comm, const Settings& settings, const std::string& contact,
    bool baselines)
    : Comm(comm)
    , Work(cell, comm)
    , InMemory(Access(comm, contact))
    , OnTmpfs(Access(comm, ""))
    , Name(fmt::format("{}/{}.h5", settings.ScratchFolder, contact.substr(contact.rfind('/') + 1)))
  {
    if (baselines)
    {
      this->Shared = std::make_unique<NodeMemory>(comm, this->Work.ShareBytes());
    }
  }
  Writing(const Writing&) = delete;
  Writing& operator=(const Writing&) = delete;
  ~Writing()
  {
    H5Pclose(this->InMemory);
    H5Pclose(this->OnTmpfs);
    int rank = 0;
    MPI_Comm_rank(this->Comm, &rank);
    if (rank == 0)
    {
      std::remove(this->Name.c_str()); // the placeholder
      std::remove(this->TmpfsName().c_str());
    }
  }

  std::uint64_t Bytes() const { return this->Work.Bytes(); }

  void Write(int round, Measurement& measurement)
  {
    this->Work.Prepare(round);
    if (this->Shared)
    {
      this->Time(round, measurement.Memcpy, [this] { this->Work.CopyTo(this->Shared->Mine()); });
      this->Time(
        round, measurement.Tmpfs, [this] { this->Work.Write(this->OnTmpfs, this->TmpfsName()); });
    }
    this->Time(round, measurement.Driver, [this] { this->Work.Write(this->InMemory, this->Name); });
  }

  void Read(int round, Measurement& measurement)
  {
    if (this->Shared)
    {
      this->Time(round, measurement.Memcpy, [this] { this->Work.CopyFrom(this->Shared->Mine()); });
      this->Time(
        round, measurement.Tmpfs, [this] { this->Work.Read(this->OnTmpfs, this->TmpfsName()); });
    }
    this->Time(round, measurement.Driver, [this] { this->Work.Read(this->InMemory, this->Name); });
  }

  void Check() const { this->Work.Check(this->Name); }

private:
  std::string TmpfsName() const { return this->Name + ".tmpfs"; }

  template <typename Job>
  void Time(int round, Rounds& rounds, Job&& job)
  {
    const double seconds = SecondsOf(this->Comm, job);
    if (round >= 0)
    {
      rounds.Seconds.push_back(seconds);
    }
  }

  MPI_Comm Comm;
  Files Work;
  hid_t InMemory;
  hid_t OnTmpfs;
  std::string Name;
  std::unique_ptr<NodeMemory> Shared;
};

Json ToJson(const Measurement& measurement)
{
  return { measurement.Driver.Seconds, measurement.Memcpy.Seconds, measurement.Tmpfs.Seconds };
}

void FromJson(const Json& json, Measurement& measurement)
{
  measurement.Driver.Seconds = json.at(0).get<std::vector<double>>();
  measurement.Memcpy.Seconds = json.at(1).get<std::vector<double>>();
  measurement.Tmpfs.Seconds = json.at(2).get<std::vector<double>>();
}

// Collective over all ranks: a small file of the cell's writers with a piece of each of them on
// each of its hosts. A connection is made when it is first needed, which is not what is to be
// measured.
void Acquaint(const Cell& cell, const World& world, Hosting& hosting, const Settings& settings)
{
  constexpr std::uint64_t block = 4096;
  Cell small = cell;
  small.Datasets = 1;
  small.Strategy = "block cyclic";
  small.BlockSize = block;
  small.Size =
    2 * block * static_cast<std::uint64_t>(cell.Hosts) * static_cast<std::uint64_t>(cell.Writers);
  const MPI_Comm comm = world.Writers(cell.Writers);
  if (hosting.Map(small).empty() && comm != MPI_COMM_NULL)
  {
    Writing writing(small, comm, settings, hosting.ContactPath(), false);
    Measurement unmeasured;
    writing.Write(-1, unmeasured);
  }
  world.Barrier();
}

// How many bytes the hosts' nodes received and sent during `work`, per file.
template <typename Work>
NetworkCount CountNetwork(const World& world, int hosts, int files, Work&& work)
{
  const bool counts = world.LeadsHostNode(hosts);
  world.Barrier();
  const auto before = counts ? NetworkCount::Now() : NetworkCount();
  work();
  world.Barrier();
  const auto after = counts ? NetworkCount::Now() : NetworkCount();
  return { world.Sum(after.Received - before.Received) / files,
    world.Sum(after.Sent - before.Sent) / files };
}
}

Outcome Measure(const Cell& cell, const World& world, Hosting& hosting, const Settings& settings)
{
  Outcome outcome;
  outcome.What = cell;
  outcome.HostNodes = world.HostNodes(cell.Hosts);
  outcome.WriterNodes = world.WriterNodes(cell.Writers);
  outcome.LinkBytesPerSecond =
    settings.LinkRate / 8 * std::min(outcome.HostNodes, outcome.WriterNodes);
  outcome.Trouble = hosting.Serve(cell);
  if (outcome.Trouble.empty() && settings.Acquaint)
  {
    Acquaint(cell, world, hosting, settings);
    outcome.Trouble = hosting.Map(cell);
  }
  if (!outcome.Trouble.empty())
  {
    return outcome;
  }
  const MPI_Comm comm = world.Writers(cell.Writers);
  const bool writer = comm != MPI_COMM_NULL;
  const bool baselines = !settings.NoBaselines && outcome.WriterNodes == 1;
  std::unique_ptr<Writing> writing;
  if (writer)
  {
    writing = std::make_unique<Writing>(cell, comm, settings, hosting.ContactPath(), baselines);
  }
  const int rounds = settings.WarmUps + settings.Rounds;
  // With the memory of one file only, the last written is the only one to read: so in turns, and
  // the network's bytes of both directions are told apart by theirs.
  const auto network = CountNetwork(world, cell.Hosts, rounds,
    [&]
    {
      if (!writer)
      {
        return;
      }
      try
      {
        for (int round = -settings.WarmUps; round < settings.Rounds; ++round)
        {
          writing->Write(round, outcome.Write);
          if (!settings.WriteOnly)
          {
            writing->Read(round, outcome.Read);
          }
        }
        if (settings.WriteOnly && settings.Unchecked)
        {
          return;
        }
        if (settings.WriteOnly)
        {
          Measurement unmeasured;
          writing->Read(-1, unmeasured);
        }
        writing->Check();
      }
      catch (const NotPossible& error)
      {
        outcome.Trouble = error.what();
      }
    });
  outcome.Write.NetworkBytes = network.Received;
  outcome.Read.NetworkBytes = network.Sent;
  const auto told = Json::parse(
    world.Share(writer ? Json{ { "write", ToJson(outcome.Write) }, { "read", ToJson(outcome.Read) },
                           { "bytes", writing->Bytes() }, { "trouble", outcome.Trouble } }
                           .dump()
                       : std::string(),
      world.FirstWriter()));
  FromJson(told.at("write"), outcome.Write);
  FromJson(told.at("read"), outcome.Read);
  told.at("bytes").get_to(outcome.Bytes);
  told.at("trouble").get_to(outcome.Trouble);
  outcome.BytesStored = hosting.BytesStored();
  return outcome;
}

}
