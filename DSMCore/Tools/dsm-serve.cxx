// SPDX-License-Identifier: BSD-3-Clause
// dsm-serve: hosts the memory without ParaView. Keeps what arrives, and saves every
// snapshot to disk when told to: a burst buffer, and what the library's tests write to.
#include "Archive/DiskWriter.h"
#include "Archive/RescueLink.h"
#include "Archive/SaveSnapshot.h"
#include "Archive/SnapshotWriter.h"
#include "Archive/WriteBehind.h"
#include "Attach/LocalServer.h"
#include "Base/Clock.h"
#include "Base/Environment.h"
#include "Base/Error.h"
#include "Base/FileName.h"
#include "Encoding/Encoding.h"
#include "Mpi/Agreement.h"
#include "Mpi/Job.h"
#include "Peer/SnapshotView.h"
#include "Server/Core/KeepRule.h"
#include "Server/ServerDefaults.h"
#include "Transport/ChooseTransport.h"
#include "Transport/TransportKind.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <sys/resource.h>

namespace
{

std::atomic<bool> stopAsked{ false };

void AskStop(int)
{
  stopAsked = true;
}

struct Settings
{
  dsm::ServerOptions Server;
  std::string SaveFolder;
  dsm::KeepRule Keep;
  bool UntilDisconnect = false;
  double Limit = 0;
  double Linger = 0;
  bool ForViewer = false;
  bool OneThread = false;
  bool Choices = false;
};

// Each program that connects takes a file descriptor, of which systems allow 1024 at first. Not
// done for ParaView, whose libraries may use select().
void AllowManyPeers()
{
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
  {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
}

void ReadCommandLine(CLI::App& app, Settings& settings)
{
  const auto bytes = [](std::uint64_t& target, const char* what)
  {
    return [&target, what](const std::string& text)
    { target = dsm::environment::ParseBytes(text, what); };
  };
  const auto defaults = dsm::ServerDefaults::Read();
  settings.Server.Map = defaults.Map;
  settings.Server.Transport = defaults.Transport;
  app.add_option("--contact", settings.Server.ContactFile, "contact file to write")
    ->default_val("run.dsm");
  app
    .add_option("--strategy", settings.Server.Map.Strategy,
      "how the bytes of a file are distributed over the hosts: " + dsm::StrategyNames())
    ->capture_default_str();
  app.add_option_function<std::string>(
    "--block-size", [&settings](const std::string& text)
    { settings.Server.Map.BlockSize = dsm::ParseBlockSize(text, "--block-size"); },
    "how many consecutive bytes are on the same host, such as \"1 MiB\"; automatic: 64 KiB to 1 "
    "MiB, by the size that each file will likely have");
  app
    .add_option("--blocks-per-cycle", settings.Server.Map.BlocksPerCycle,
      "how many blocks are given to the hosts before the first has its turn again; 0: one to each")
    ->capture_default_str();
  app.add_option("--seed", settings.Server.Map.Seed, "of the random order of blocks")
    ->capture_default_str();
  app.add_option_function<std::string>("--memory-per-host",
    bytes(settings.Server.MemoryPerHost, "--memory-per-host"),
    "memory that each host lends, such as \"512 MiB\"; default: a quarter of the computer's "
    "available memory");
  app
    .add_option_function<std::string>(
      "--lending",
      [&settings](const std::string& text) { settings.Server.Memory = dsm::LendingFromName(text); },
      "how that memory is lent (DSM_LENDING): sparse, its pages come and go with what needs them; "
      "pinned, all of them are there at once and stay, in slots of one size for "
      "--expected-file-size or for --maximum-snapshots, as networks need it that pin memory "
      "(InfiniBand, Slingshot, EFA); or automatic, pinned where the transport's network asks for "
      "it")
    ->check(CLI::IsMember({ "automatic", "sparse", "pinned" }));
  app.add_option_function<std::string>("--expected-file-size",
    bytes(settings.Server.ExpectedFileSize, "--expected-file-size"),
    "touch memory for files of this size at once, and spread them by it (mask)");
  app.add_option_function<std::string>(
    "--transport",
    [&settings](const std::string& text)
    {
      const bool nodeMemory = settings.Server.Transport.NodeMemory;
      settings.Server.Transport = dsm::TransportFromText(text);
      settings.Server.Transport.NodeMemory = nodeMemory;
    },
    "how bytes reach hosts that share no memory with the simulation: " + dsm::TransportsText());
  app.add_flag_function(
    "--no-node-memory", [&settings](auto) { settings.Server.Transport.NodeMemory = false; },
    "use the transport between processes on one node, too");
  settings.Server.Files = dsm::FilePolicy().WithEnvironment();
  app
    .add_option("--match", settings.Server.Files.Match,
      "which files come here, the name pattern: shell patterns with ':' between them; the others "
      "are written to disk as usual (DSM_MATCH)")
    ->capture_default_str();
  app
    .add_option_function<std::string>(
      "--publish", [&settings](const std::string& text)
      { settings.Server.Files.OnFlush = dsm::PublishFromText(text, "--publish"); },
      "when a file becomes a snapshot: when it is closed, or also at each flush (DSM_PUBLISH)")
    ->check(CLI::IsMember({ "close", "flush" }));
  app
    .add_option("--maximum-snapshots", settings.Server.MaximumSnapshots,
      "the most snapshots that are kept at once; 0: as many as there is memory for")
    ->default_val(0);
  app
    .add_option_function<std::string>(
      "--when-full",
      [&settings](const std::string& policy)
      {
        settings.Server.WhenFull = policy == "block" ? dsm::FullRing::Block
          : policy == "drop newest"                  ? dsm::FullRing::DropNewest
                                                     : dsm::FullRing::DropOldest;
      },
      "what happens when there is no room for a new file: drop oldest; block, so that the "
      "simulation waits until snapshots were saved; or drop newest, so that new files are not kept "
      "until then")
    ->transform(
      [](const std::string& text)
      {
        // As a word of a shell that needs no quotes.
        std::string policy = text;
        std::replace(policy.begin(), policy.end(), '-', ' ');
        return policy;
      })
    ->check(CLI::IsMember({ "drop oldest", "block", "drop newest" }));
  app.add_option_function<double>(
    "--longest-wait",
    [&settings](double seconds) { settings.Server.FullRingLimit = dsm::Seconds(seconds); },
    "the longest that a simulation waits for room with block, in seconds; default: 60");
  app.add_option_function<std::string>(
    "--also-on-disk",
    [&settings](const std::string& text)
    {
      static_cast<void>(dsm::KeepRule::FromText(text)); // or throws
      settings.Server.AlsoOnDisk = text;
    },
    "which files are put on disk as well, in the background, under the names that the simulation "
    "gives them: all; none; \"every 5\", the first of each stream and every fifth from there; or "
    "shell patterns of names with ':' between them (default none)");
  app.add_option("--checkpoints", settings.Server.Checkpoints,
    "which files are checkpoints, as shell patterns of names with ':' between them, or none: of "
    "those whose names differ in numbers only the newest stays in memory, whatever else comes and "
    "also when the simulation has died, until there is a newer one");
  app.add_option(
    "--save", settings.SaveFolder, "folder to save every snapshot in, by its name; it is made");
  app.add_flag("--until-disconnect", settings.UntilDisconnect, "end when the simulation has left");
  app.add_flag("--one-thread", settings.OneThread,
    "start MPI at MPI_THREAD_SINGLE and let this program make MPI's progress, as a host does whose "
    "MPI allows no threads");
  app.add_option("--limit", settings.Limit, "end after this many seconds in any case");
  auto* save = app.get_option("--save");
  app
    .add_option_function<std::string>(
      "--keep",
      [&settings](const std::string& text) { settings.Keep = dsm::KeepRule::FromText(text); },
      "which snapshots --save saves: all; \"every 5\", the first of each stream and every fifth "
      "from there; or shell patterns of names with ':' between them (default all)")
    ->needs(save);
  app
    .add_flag("--for-viewer", settings.ForViewer,
      "snapshots are read by a ParaView that attaches, and count as read (--when-full) when that "
      "has read them")
    ->excludes(save);
  app.add_option("--linger", settings.Linger,
    "end when neither a simulation nor a ParaView has been connected for this many seconds");
  app
    .add_option_function<std::string>(
      "--options", [&settings](const std::string& text)
      { settings.Server = dsm::FromText<dsm::ServerOptions>(text, "--options"); },
      "the options above all at once, as JSON; how ParaView starts its hosts")
    ->excludes("--contact");
  app.add_flag("--choices", settings.Choices,
    "print the strategies and transports there are, as JSON, and end");
}

// For programs that offer them to people, and for tests of each.
std::string Choices()
{
  auto strategies = dsm::Strategies();
  auto transports = dsm::TransportKinds();
  return dsm::TextOfFields(
    [&](dsm::Fields& fields)
    {
      fields.List("strategies", strategies,
        [&](dsm::StrategyKind& kind)
        {
          fields.Record(nullptr,
            [&]
            {
              fields("name", kind.Name);
              fields("text", kind.Text);
              fields("blocks", kind.HasBlocks);
              fields("random", kind.IsRandom);
              fields("expected size", kind.NeedsExpected);
            });
        });
      fields.List("transports", transports,
        [&](const dsm::TransportKind* kind)
        {
          fields.Record(nullptr,
            [&]
            {
              auto names = kind->Choices();
              auto text = kind->Text();
              auto variants = kind->VariantExamples();
              bool nodeLocal = kind->IsNodeLocal();
              fields("names", names);
              fields("text", text);
              fields("variants", variants);
              fields("node local", nodeLocal);
            });
        });
    },
    2);
}

// Lines of snapshots, which can wait. To print them takes launchers several wakeups, on cores that
// the program may want which has just written a file, so those of some files are said at once.
class Lines
{
public:
  static constexpr dsm::Seconds Longest{ 0.02 };

  Lines() = default;
  ~Lines() { this->Say(); }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  void Add(const std::string& line)
  {
    if (this->Unsaid.empty())
    {
      this->Until = dsm::Deadline(Longest);
    }
    this->Unsaid += line + "\n";
  }

  bool IsEmpty() const { return this->Unsaid.empty(); }
  bool IsTime() const { return !this->IsEmpty() && this->Until.Expired(); }

  void Say()
  {
    std::fwrite(this->Unsaid.data(), 1, this->Unsaid.size(), stdout);
    std::fflush(stdout);
    this->Unsaid.clear();
  }

private:
  std::string Unsaid;
  dsm::Deadline Until{ dsm::Seconds(0) };
};

void Say(const std::string& line)
{
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

// How long after a failure what is not saved is tried again.
constexpr std::chrono::seconds SaveAgain(5);
// How long the rescuer may take for what is left at the end.
constexpr dsm::Seconds RescueLimit(120);

// Saves snapshots in a folder, each by its file's name. What cannot be written is said once, stays
// in memory, and is tried again: a host may have been away, a disk full. When this program is
// killed, another one saves what is left.
class Saving
{
public:
  Saving(dsm::Server& server, const std::string& folder, dsm::KeepRule keep)
    : Hosts(server)
    , Writer(&server)
    , Folder(folder.empty() ? "" : dsm::AbsoluteName(folder))
    , Keep(std::move(keep))
  {
    if (!this->Folder.empty())
    {
      this->Rescue.emplace(server, this->Folder);
    }
  }

  // Takes what WaitForSnapshot gave.
  void Take(const dsm::SnapshotDescription& snapshot)
  {
    if (this->Folder.empty() || !this->Keep.Keeps(snapshot))
    {
      this->Release(snapshot, false);
      return;
    }
    const std::string failure = this->Save(snapshot);
    if (failure.empty())
    {
      // Which would take its place.
      this->Forget([&](const auto& older) { return older.FileName == snapshot.FileName; }, false);
      this->Release(snapshot, true);
      return;
    }
    std::fprintf(stderr,
      "dsm-serve: snapshot %llu (%s) is not saved, and stays in memory as long as there is room: "
      "%s\n",
      static_cast<unsigned long long>(snapshot.Number), snapshot.FileName.c_str(), failure.c_str());
    this->Unsaved.push_back(snapshot);
    this->Next = dsm::Clock::now() + SaveAgain;
  }

  // Tries again when it is time to, or at once.
  void Retry(bool atOnce)
  {
    if (this->Unsaved.empty() || (!atOnce && dsm::Clock::now() < this->Next))
    {
      return;
    }
    this->Forget(
      [this](const auto& snapshot)
      {
        const bool saved = this->Save(snapshot).empty();
        if (saved)
        {
          std::fprintf(stderr, "dsm-serve: snapshot %llu (%s) is saved now\n",
            static_cast<unsigned long long>(snapshot.Number), snapshot.FileName.c_str());
        }
        return saved;
      },
      true);
    this->Next = dsm::Clock::now() + SaveAgain;
  }

  // No more come. What a host that is gone had may be saved all the same.
  void End()
  {
    this->Retry(true);
    const auto rescue = this->Rescue ? this->Rescue->End(dsm::Deadline(RescueLimit)) : std::nullopt;
    if (rescue)
    {
      const auto& left = rescue->Unsaved;
      std::erase_if(this->Unsaved, [&](const auto& snapshot)
        { return std::find(left.begin(), left.end(), snapshot.Number) == left.end(); });
    }
    for (const auto& snapshot : this->Unsaved)
    {
      std::fprintf(stderr, "dsm-serve: snapshot %llu (%s) %s\n",
        static_cast<unsigned long long>(snapshot.Number), snapshot.FileName.c_str(),
        rescue && rescue->GoesOn
          ? "is not saved yet, and dsm-rescue goes on trying since a host was killed"
          : "is lost: it was not saved");
    }
  }

  bool IsComplete() const { return this->Unsaved.empty(); }
  bool Saves() const { return !this->Folder.empty(); }

private:
  // Those that need not be saved any more: since they are, or since they need not be.
  template <typename Predicate>
  void Forget(const Predicate& isDone, bool onDisk)
  {
    std::erase_if(this->Unsaved,
      [&](const auto& snapshot)
      {
        const bool done = isDone(snapshot);
        if (done)
        {
          this->Release(snapshot, onDisk);
        }
        return done;
      });
  }

  void Release(const dsm::SnapshotDescription& snapshot, bool onDisk)
  {
    if (this->Rescue)
    {
      this->Rescue->Done(snapshot.Number, onDisk);
      for (const std::uint64_t part : snapshot.Parts)
      {
        this->Rescue->Done(part, onDisk);
      }
    }
    this->Hosts.Release(snapshot.Number);
  }

  // Why it cannot be written; empty when it was.
  std::string Save(const dsm::SnapshotDescription& snapshot)
  {
    try
    {
      this->Writer.Save(this->Hosts.GetConnection(), snapshot,
        snapshot.Parts.empty() ? dsm::PlaceIn(this->Folder, snapshot) : this->Folder);
      return {};
    }
    catch (const std::exception& error)
    {
      return error.what();
    }
  }

  dsm::Server& Hosts;
  dsm::SnapshotWriter Writer;
  const std::string Folder;
  dsm::KeepRule Keep;
  std::optional<dsm::RescueLink> Rescue;
  std::vector<dsm::SnapshotDescription> Unsaved;
  dsm::Clock::time_point Next;
};

void MakeSaveFolder(const std::string& folder)
{
  if (folder.empty())
  {
    return;
  }
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (!std::filesystem::is_directory(folder))
  {
    throw dsm::Error(dsm::Fault::Usage, "--save: the folder {} cannot be made: {}", folder,
      failure ? failure.message() : "there is something else of this name");
  }
}

// Says what went wrong, once, when it is known.
void ReportFailure(const dsm::ServerStatus& status, std::string& told)
{
  if (!status.LastError.empty() && status.LastError != told)
  {
    told = status.LastError;
    Say("trouble " + told);
  }
}

// Makes MPI's progress, and a pause if there is nothing to be done.
void PumpOrRest(dsm::Server& server)
{
  if (!server.Pump())
  {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

// What rank 0 has all ranks do together.
enum class Command
{
  End,
  Adjust
};

// Collective: rank 0's command, on all ranks. Waits without burning a core, as a blocking call
// would.
Command NextCommand(const dsm::Communicator& comm, dsm::Server& server, Command mine)
{
  int command = static_cast<int>(mine);
  if (comm.Size() == 1)
  {
    return mine;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  dsm::CheckMpi(MPI_Ibcast(&command, 1, MPI_INT, 0, comm.Handle(), &request), "MPI_Ibcast");
  int done = 0;
  while (!done)
  {
    dsm::CheckMpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (server.NeedsPump())
    {
      PumpOrRest(server);
    }
    else if (!done)
    {
      std::this_thread::sleep_for(std::chrono::milliseconds(comm.Rank() == 0 ? 1 : 10));
    }
  }
  return static_cast<Command>(command);
}

// On rank 0: carries out what an attached ParaView has ordered. False when it is to end.
bool CarryOutOrders(const dsm::Communicator& comm, dsm::Server& server)
{
  while (const auto order = server.Orders().Take())
  {
    std::string failure;
    if (order->Options)
    {
      NextCommand(comm, server, Command::Adjust);
      try
      {
        server.Adjust(*order->Options);
      }
      catch (const dsm::Error& error)
      {
        failure = error.what();
      }
    }
    server.Orders().Done(*order, failure);
    if (!order->Options)
    {
      return false;
    }
  }
  return true;
}

// A snapshot is dealt with before its line is said.
void Take(Saving& saving, const dsm::SnapshotDescription& snapshot, Lines& lines)
{
  saving.Take(snapshot);
  const auto& statistics = snapshot.Statistics;
  lines.Add(fmt::format("snapshot {} {} {} written in {:.6f} s, blocked {:.6f} s", snapshot.Number,
    snapshot.FileName, snapshot.FileSize, statistics.WriteSeconds, statistics.BlockedSeconds));
  if (saving.Saves())
  {
    lines.Say(); // the next may take a while
  }
}

// On rank 0: takes snapshots in their order until it is time to end, and then those that are there.
// False when one was not saved.
bool Watch(const dsm::Communicator& comm, dsm::Server& server, const Settings& settings,
  std::string& trouble)
{
  const dsm::Deadline end(dsm::Seconds(settings.Limit > 0 ? settings.Limit : 1e8));
  Saving saving(server, settings.SaveFolder, settings.Keep);
  auto lastUser = dsm::Clock::now();
  std::uint64_t last = 0;
  Lines lines;
  bool took = false; // just now
  while (!stopAsked && !end.Expired() && CarryOutOrders(comm, server))
  {
    const auto longest = took || server.NeedsPump() ? dsm::Seconds(0)
      : lines.IsEmpty()                             ? dsm::Seconds(0.2)
                                                    : Lines::Longest;
    const auto snapshot = settings.ForViewer
      ? std::nullopt
      : server.WaitForSnapshot(last, true, dsm::Deadline(longest));
    const bool isTime = lines.IsTime();
    if (isTime)
    {
      lines.Say();
    }
    if (!snapshot && std::exchange(took, false))
    {
      // Those that come meanwhile are taken together: to be woken for each takes a core from its
      // writer, who may write the next. Who waits until they are saved does not wait for this.
      if (!server.NeedsPump() && settings.SaveFolder.empty())
      {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      }
      continue;
    }
    if (!snapshot && isTime)
    {
      continue;
    }
    if (!snapshot)
    {
      if (server.NeedsPump())
      {
        PumpOrRest(server);
      }
      const auto status = server.Status();
      ReportFailure(status, trouble);
      saving.Retry(false);
      if (settings.UntilDisconnect && status.WritersSeen > 0 && status.Writers.empty() &&
        status.NewestSnapshot() <= last)
      {
        break;
      }
      if (!status.Writers.empty() || status.Viewers > 0)
      {
        lastUser = dsm::Clock::now();
      }
      if (settings.Linger > 0 && dsm::Clock::now() - lastUser > dsm::Seconds(settings.Linger))
      {
        Say(fmt::format("nobody has been connected for {} s", settings.Linger));
        break;
      }
      if (!server.NeedsPump())
      {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
      continue;
    }
    lastUser = dsm::Clock::now();
    last = snapshot->Number;
    Take(saving, *snapshot, lines);
    took = true;
  }
  if (!settings.SaveFolder.empty())
  {
    server.TakeNoMore();
    while (const auto snapshot = server.WaitForSnapshot(last, true, dsm::Deadline(dsm::Seconds(0))))
    {
      last = snapshot->Number;
      Take(saving, *snapshot, lines);
    }
    saving.End();
  }
  return saving.IsComplete();
}

int Serve(const Settings& settings)
{
  auto comm = dsm::job::ThisProgram();
  // Rank 0 saves. All end when it cannot.
  dsm::RunOnRankZero(comm, [&] { MakeSaveFolder(settings.SaveFolder); });
  dsm::LocalServer server(comm, settings.Server);
  int status = 0;
  if (comm.Rank() == 0)
  {
    for (const std::string& transport : server.Status().Transports)
    {
      Say("transport " + transport);
    }
    const dsm::DiskWriter writer(server);
    dsm::WriteBehind behind(server);
    Say(fmt::format("ready {}", server.ContactPath()));
    std::string trouble;
    server.Orders().Offer(true);
    try
    {
      const bool saved = Watch(comm, server, settings, trouble);
      status = behind.Finish() && saved ? 0 : 1;
    }
    catch (const std::exception& error)
    {
      std::fprintf(stderr, "dsm-serve: %s\n", error.what());
      status = 1;
    }
    ReportFailure(server.Status(), trouble);
  }
  while (NextCommand(comm, server, Command::End) == Command::Adjust)
  {
    // Rank 0 says what, and what went wrong.
    try
    {
      server.Adjust({});
    }
    catch (const dsm::Error&)
    {
      continue;
    }
  }
  server.Stop();
  return status;
}

int Run(int argc, char** argv)
{
  Settings settings;
  CLI::App app("Hosts a distributed shared memory for HDF5 files, without ParaView");
  try
  {
    ReadCommandLine(app, settings);
    app.parse(argc, argv);
  }
  catch (const CLI::ParseError& error)
  {
    return app.exit(error);
  }
  if (settings.Choices)
  {
    Say(Choices());
    return 0;
  }
  std::signal(SIGINT, AskStop);
  std::signal(SIGTERM, AskStop);
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(
    &argc, &argv, settings.OneThread ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE, &level);
  int status = 1;
  try
  {
    status = Serve(settings);
  }
  catch (const std::exception& error)
  {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
    {
      std::fprintf(stderr, "dsm-serve: %s\n", error.what());
    }
  }
  MPI_Finalize();
  return status;
}

}

int main(int argc, char** argv)
{
  AllowManyPeers();
  try
  {
    return Run(argc, argv);
  }
  catch (const std::exception& error)
  {
    std::fprintf(stderr, "dsm-serve: %s\n", error.what());
    return 2;
  }
}
