// SPDX-License-Identifier: BSD-3-Clause
// dsm_selections: files of random shapes, written and read by random selections, in the hosts'
// memory and by HDF5's MPI-IO driver on disk. See README.md.
//
// Usage: mpiexec -n RANKS dsm_selections HOSTS [OPTION…]. The first ranks are the hosts, the others
// write and read.
#include "Archive/SaveSnapshot.h"
#include "Attach/LocalServer.h"
#include "Base/Error.h"
#include "Base/FileName.h"
#include "Base/Watchdog.h"
#include "Driver/H5FDdsm.h"
#include "FileRun.h"
#include "Mpi/Communicator.h"
#include "Peer/Connections.h"
#include "Peer/SnapshotView.h"
#include "PlanMaker.h"
#include "Transport/ChooseTransport.h"

#include <CLI/CLI.hpp>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace
{

using namespace selections;

constexpr std::uint64_t TellEvery = 100; ///< cases, so that one sees it go on

struct Settings
{
  int Hosts = 1;
  std::uint64_t Seed = 2011;
  std::uint64_t First = 0;
  std::uint64_t Cases = 100;
  std::optional<std::uint64_t> Only;
  std::vector<std::string> Transports;
  std::vector<std::string> Strategies;
  std::vector<std::string> ModeNames;
  std::vector<dsm::TransferMode> Modes;
  std::uint64_t DiffEvery = 50;
  double Limit = 60;
  bool Tell = false;
  bool Keep = false;
  std::string Folder;
};

/// Ranks that wait for others, and leave the processors to them meanwhile. MPI goes on: transports
/// over it need that.
void Meet(MPI_Comm comm)
{
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(comm, &request);
  int met = 0;
  for (MPI_Test(&request, &met, MPI_STATUS_IGNORE); !met;
    MPI_Test(&request, &met, MPI_STATUS_IGNORE))
  {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

/// What this rank does, for the watchdog's thread.
class Whereabouts
{
public:
  void Set(const std::string& text)
  {
    const std::lock_guard lock(this->Guard);
    this->Text = text;
  }
  std::string Get() const
  {
    const std::lock_guard lock(this->Guard);
    return this->Text;
  }

private:
  mutable std::mutex Guard;
  std::string Text;
};

std::vector<char> Bytes(const std::string& path)
{
  std::ifstream stream(path, std::ios::binary | std::ios::ate);
  std::vector<char> bytes(stream ? static_cast<std::size_t>(stream.tellg()) : 0);
  stream.seekg(0);
  stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

/// How two files differ, for people; empty when they do not.
std::string Difference(const std::vector<char>& live, const std::vector<char>& disk)
{
  const std::size_t common = std::min(live.size(), disk.size());
  std::size_t differing = 0;
  std::size_t first = common;
  for (std::size_t i = common; i-- > 0;)
  {
    if (live[i] != disk[i])
    {
      ++differing;
      first = i;
    }
  }
  if (differing == 0 && live.size() == disk.size())
  {
    return {};
  }
  std::string text = fmt::format(
    "in memory {} bytes, on disk {}; {} of them differ", live.size(), disk.size(), differing);
  if (differing > 0)
  {
    text += fmt::format(", the first at {}: {:02x}, on disk {:02x}", first,
      static_cast<unsigned char>(live[first]), static_cast<unsigned char>(disk[first]));
  }
  return text;
}

/// What became of a case.
enum class Outcome
{
  Right,
  Hdf5Fails, ///< on disk and in memory alike: HDF5 is wrong by itself, and what we carried is right
  Wrong
};

/// The job: some ranks host, the others write and read.
class Job
{
public:
  explicit Job(const Settings& settings)
    : Given(settings)
    , Watch(dsm::Seconds(settings.Limit), [this](const char*) { this->TellAndEnd(); })
  {
    MPI_Comm_rank(MPI_COMM_WORLD, &this->Rank);
    MPI_Comm_size(MPI_COMM_WORLD, &this->Size);
    if (settings.Hosts < 1 || settings.Hosts >= this->Size)
    {
      throw dsm::Error(dsm::Fault::Usage,
        "{} ranks are to be {} hosts and at least one that writes", this->Size, settings.Hosts);
    }
    this->IsHost = this->Rank < settings.Hosts;
    MPI_Comm_split(MPI_COMM_WORLD, this->IsHost ? 0 : 1, this->Rank, &this->Side);
    MPI_Comm_rank(this->Side, &this->SideRank);
    this->MakeFolder();
  }

  ~Job()
  {
    Meet(MPI_COMM_WORLD);
    MPI_Comm_free(&this->Side);
    if (this->Rank == 0 && !this->Given.Keep)
    {
      std::filesystem::remove_all(this->Folder);
    }
  }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  /// Whether all was well; the same on all ranks.
  bool Run()
  {
    const int writers = this->Size - this->Given.Hosts;
    const PlanMaker maker(
      { this->Given.Seed, this->Given.Hosts, writers, this->Given.Strategies, this->Given.Modes });
    const std::uint64_t first = this->Given.Only.value_or(this->Given.First);
    const std::uint64_t cases = this->Given.Only ? 1 : this->Given.Cases;
    const std::size_t transports = this->Given.Transports.size();
    for (std::size_t t = 0; t < transports; ++t)
    {
      std::vector<std::uint64_t> mine;
      for (std::uint64_t number = first; number < first + cases; ++number)
      {
        if (number % transports == t)
        {
          mine.push_back(number);
        }
      }
      if (!mine.empty())
      {
        this->With(this->Given.Transports[t], maker, mine);
      }
    }
    const std::uint64_t failed = this->Outcomes[Outcome::Wrong];
    const std::uint64_t alike = this->Outcomes[Outcome::Hdf5Fails];
    if (this->Rank == 0)
    {
      fmt::print("{} of {} cases failed; HDF5 failed in {}, on disk and in memory alike\n", failed,
        cases, alike);
    }
    // Where HDF5 fails often, there is little that was compared.
    return failed == 0 && alike * 100 <= cases;
  }

private:
  void MakeFolder()
  {
    // Files on disk are in memory as well, where that is to be had.
    const bool hasTmpfs = std::filesystem::is_directory("/dev/shm");
    std::string name = std::string(hasTmpfs ? "/dev/shm" : "/tmp") + "/dsm-selections-XXXXXX";
    if (!this->Given.Folder.empty())
    {
      this->Folder = this->Given.Folder;
      this->Contact = this->Folder + "/run.dsm";
      return;
    }
    if (this->Rank == 0 && !mkdtemp(name.data()))
    {
      throw dsm::Error(dsm::Fault::System, "no folder {}", name);
    }
    MPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
    this->Folder = name;
    this->Contact = this->Folder + "/run.dsm";
  }

  void TellAndEnd() const
  {
    const std::string why = fmt::format("rank {} ({}) hangs in case {}, {}\n", this->Rank,
      this->IsHost ? "host" : "writer", this->Case, this->At.Get());
    std::fputs(why.c_str(), stderr);
    // All ranks are to say where they are, before one ends the job.
    std::this_thread::sleep_for(std::chrono::seconds(2));
    dsm::EndThisProcess("a case took longer than --limit");
  }

  /// Does these cases. Collective.
  void With(
    const std::string& transport, const PlanMaker& maker, const std::vector<std::uint64_t>& cases)
  {
    dsm::ServerOptions options;
    options.ContactFile = this->Contact;
    options.MemoryPerHost = 16 << 20;
    options.Transport = dsm::TransportFromText(transport);
    options.Transport.NodeMemory = options.Transport.Heavy == "shared-memory";
    std::unique_ptr<dsm::Communicator> hosts;
    if (this->IsHost)
    {
      hosts = std::make_unique<dsm::Communicator>(dsm::Communicator::Duplicate(this->Side));
      this->Server = std::make_unique<dsm::LocalServer>(*hosts, options);
      dsm::connections::Add(this->Server->GetConnection());
    }
    Meet(MPI_COMM_WORLD);
    for (const std::uint64_t number : cases)
    {
      this->Case = number;
      const dsm::Watchdog::Watch watch(this->Watch, "a case");
      ++this->Outcomes[this->Do(maker.Make(number), transport)];
      if (++this->Done % TellEvery == 0 && this->Rank == 0)
      {
        fmt::print("{} cases are done\n", this->Done);
        std::fflush(stdout);
      }
    }
    dsm::connections::Clear();
    Meet(MPI_COMM_WORLD);
    if (this->Server)
    {
      this->Server->Stop();
      this->Server.reset();
    }
  }

  /// The same on all ranks.
  Outcome Do(const Plan& plan, const std::string& transport)
  {
    this->At.Set("beginning");
    if (this->Given.Tell && this->Rank == 0)
    {
      fmt::print("over {}: {}\n", transport, plan.ToText());
      std::fflush(stdout);
    }
    const std::string live = fmt::format("{}/live.{}.h5", this->Folder, plan.Number);
    const std::string disk = fmt::format("{}/disk.{}.h5", this->Folder, plan.Number);
    if (this->Server)
    {
      this->Server->SetMap(
        { plan.Map.Strategy, plan.Map.BlockSize, plan.Map.BlocksPerCycle, plan.Map.Seed });
    }
    Meet(MPI_COMM_WORLD);
    const auto at = [this](const char* where)
    {
      return [this, where](const std::string& what)
      { this->At.Set(fmt::format("{}: {}", where, what)); };
    };
    const bool hasMpich = dsm::Communicator::LibraryName().starts_with("MPICH");
    FileRun onDisk(plan, hasMpich ? Storage::DiskIndependently : Storage::Disk, at("on disk"));
    FileRun inMemory(plan, Storage::Memory, at("in memory"));
    for (std::size_t i = 0; i < plan.Sessions.size(); ++i)
    {
      const Session& session = plan.Sessions[i];
      if (session.ByHosts)
      {
        Meet(MPI_COMM_WORLD); // the writers are done
      }
      this->Take(session, i, onDisk, disk, false);
      this->Take(session, i, inMemory, live, true);
    }
    // What HDF5 does wrong by itself it does with both drivers.
    bool isOurs = inMemory.Complaints() != onDisk.Complaints();
    std::vector<std::string> wrong;
    for (const Complaint& complaint : inMemory.Complaints())
    {
      wrong.push_back("in memory: " + complaint.What + complaint.Found);
    }
    for (const Complaint& complaint : onDisk.Complaints())
    {
      wrong.push_back("on disk, by HDF5's own driver: " + complaint.What + complaint.Found);
    }
    if (this->IsHost && this->SideRank == this->Given.Hosts - 1)
    {
      this->At.Set("comparing the files");
      const std::size_t before = wrong.size();
      this->CompareFiles(plan, live, disk, wrong);
      isOurs = isOurs || wrong.size() > before;
    }
    this->Report(plan, transport, wrong);
    std::array<int, 2> is{ isOurs ? 1 : 0, wrong.empty() ? 0 : 1 };
    MPI_Allreduce(MPI_IN_PLACE, is.data(), is.size(), MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return is[0] ? Outcome::Wrong : is[1] ? Outcome::Hdf5Fails : Outcome::Right;
  }

  // The ranks of a session do it, the others know what it leaves behind.
  void Take(
    const Session& session, std::size_t index, FileRun& run, const std::string& name, bool live)
  {
    const bool mine = session.ByHosts == this->IsHost &&
      (session.ByHosts ||
        (this->SideRank >= session.FirstRank &&
          this->SideRank < session.FirstRank + session.Ranks));
    if (session.ByHosts != this->IsHost)
    {
      run.Skip(index);
      return;
    }
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(this->Side, mine ? 0 : MPI_UNDEFINED, this->SideRank, &comm);
    if (mine)
    {
      const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
      if (live)
      {
        H5Pset_fapl_dsm(access, comm, MPI_INFO_NULL, this->Contact.c_str());
      }
      else
      {
        H5Pset_fapl_mpio(access, comm, MPI_INFO_NULL);
      }
      run.Do(index, name, access, comm);
      H5Pclose(access);
      MPI_Comm_free(&comm);
    }
    else
    {
      run.Skip(index);
    }
    Meet(this->Side);
  }

  void CompareFiles(const Plan& plan, const std::string& live, const std::string& disk,
    std::vector<std::string>& wrong) const
  {
    try
    {
      const dsm::SnapshotView view(dsm::connections::Find(this->Contact), live);
      std::vector<char> bytes(view.Description().FileSize);
      view.Read(0, bytes.data(), bytes.size());
      const std::string difference = Difference(bytes, Bytes(disk));
      if (!difference.empty())
      {
        wrong.push_back("the files differ: " + difference);
      }
      const bool isItsTurn = plan.Number % this->Given.DiffEvery == 0 &&
        std::all_of(plan.Datasets.begin(), plan.Datasets.end(),
          [](const DatasetPlan& dataset) { return dataset.ReadsTheSameTwice(); });
      if (!difference.empty() || isItsTurn)
      {
        const std::string saved = fmt::format("{}/saved.{}.h5", this->Folder, plan.Number);
        dsm::SaveSnapshot(view, saved);
        if (std::system(fmt::format("h5diff -q '{}' '{}'", saved, disk).c_str()) != 0)
        {
          wrong.emplace_back("h5diff finds differences");
        }
        if (!this->Given.Keep)
        {
          std::filesystem::remove(saved);
        }
      }
    }
    catch (const std::exception& error)
    {
      wrong.push_back(std::string("the snapshot cannot be read: ") + error.what());
    }
  }

  // Rank 0 says what any rank found.
  void Report(
    const Plan& plan, const std::string& transport, const std::vector<std::string>& wrong) const
  {
    std::string mine;
    for (const std::string& each : wrong)
    {
      mine += "  " + each + "\n";
    }
    int length = static_cast<int>(mine.size());
    std::vector<int> lengths(static_cast<std::size_t>(this->Size));
    MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, MPI_COMM_WORLD);
    std::vector<int> places(lengths.size());
    int total = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i)
    {
      places[i] = total;
      total += lengths[i];
    }
    if (total > 0)
    {
      std::string all(static_cast<std::size_t>(total), ' ');
      MPI_Gatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), places.data(),
        MPI_CHAR, 0, MPI_COMM_WORLD);
      if (this->Rank == 0)
      {
        fmt::print("case {} of seed {} over {}:\n{}to repeat it:\n  {}\n{}\n", plan.Number,
          this->Given.Seed, transport, all, this->Command(plan.Number, transport), plan.ToText());
        std::fflush(stdout);
      }
    }
    if (this->Rank == 0 && !this->Given.Keep)
    {
      for (const char* name : { "live", "disk" })
      {
        std::filesystem::remove(fmt::format("{}/{}.{}.h5", this->Folder, name, plan.Number));
      }
    }
  }

  std::string Command(std::uint64_t number, const std::string& transport) const
  {
    std::string text =
      fmt::format("mpiexec -n {} dsm_selections {} --seed {} --case {} --transport {}", this->Size,
        this->Given.Hosts, this->Given.Seed, number, transport);
    for (const std::string& strategy : this->Given.Strategies)
    {
      text += fmt::format(" --strategy '{}'", strategy);
    }
    for (const dsm::TransferMode mode : this->Given.Modes)
    {
      text += fmt::format(" --mode {}", dsm::TransferModeText(mode));
    }
    return text;
  }

  Settings Given;
  int Rank = 0;
  int Size = 1;
  int SideRank = 0;
  bool IsHost = false;
  MPI_Comm Side = MPI_COMM_NULL;
  std::string Folder;
  std::string Contact;
  std::unique_ptr<dsm::LocalServer> Server;
  std::uint64_t Case = 0;
  std::uint64_t Done = 0;
  std::map<Outcome, std::uint64_t> Outcomes;
  Whereabouts At;
  dsm::Watchdog Watch; ///< last: its thread looks at the others
};

void Check(const std::vector<std::string>& given, const std::vector<std::string>& all)
{
  for (const std::string& name : given)
  {
    if (std::find(all.begin(), all.end(), name) == all.end())
    {
      throw dsm::Error(
        dsm::Fault::Usage, "there is no strategy '{}': {}", name, fmt::join(all, ", "));
    }
  }
}

bool Run(Settings& settings)
{
  std::vector<std::string> strategies;
  for (const dsm::StrategyKind& kind : dsm::Strategies())
  {
    strategies.push_back(kind.Name);
  }
  Check(settings.Strategies, strategies);
  if (settings.Strategies.empty())
  {
    settings.Strategies = strategies;
  }
  for (const std::string& name : settings.ModeNames)
  {
    settings.Modes.push_back(dsm::TransferModeFromText(name, "--mode"));
  }
  if (settings.Modes.empty())
  {
    settings.Modes = { dsm::TransferMode::Automatic, dsm::TransferMode::Independent,
      dsm::TransferMode::Datatype, dsm::TransferMode::Collective };
  }
  if (settings.Transports.empty())
  {
    settings.Transports = dsm::TransportNames();
    std::erase(settings.Transports, "automatic");
  }
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); // complaints have what it would print
  return Job(settings).Run();
}

}

int main(int argc, char** argv)
{
  Settings settings;
  CLI::App app(
    "Random selections in the hosts' memory and on disk: all must be the same.", "dsm_selections");
  app.add_option("hosts", settings.Hosts, "how many of the ranks host")->required();
  app.add_option("--seed", settings.Seed, "of the cases");
  app.add_option("--cases", settings.Cases, "how many");
  app.add_option("--first", settings.First, "number of the first");
  app.add_option("--case", settings.Only, "this one only");
  app.add_option("--transport", settings.Transports, "by turns; all where none is given");
  app.add_option("--strategy", settings.Strategies, "any of these; all where none is given");
  app.add_option(
    "--mode", settings.ModeNames, "any of these for a transfer; all where none is given");
  app.add_option("--h5diff", settings.DiffEvery, "runs h5diff for each n-th case")
    ->check(CLI::PositiveNumber);
  app.add_option("--limit", settings.Limit, "seconds for a case");
  app.add_flag("--tell", settings.Tell, "tells each case before it is done");
  app.add_flag("--keep", settings.Keep, "leaves the files");
  app.add_option("--folder", settings.Folder, "an empty one for the files; default: a new one");
  CLI11_PARSE(app, argc, argv);
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  int status = 1;
  try
  {
    status = Run(settings) ? 0 : 1;
  }
  catch (const std::exception& error)
  {
    std::fprintf(stderr, "dsm_selections: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return status;
}
