// SPDX-License-Identifier: BSD-3-Clause
// dsm-serve: hosts the memory without ParaView. Keeps what arrives, and saves every
// snapshot to disk when told to: a burst buffer, and what the library's tests write to.
#include "Archive/ArchivePath.h"
#include "Archive/DiskWriter.h"
#include "Archive/RescueLink.h"
#include "Archive/SnapshotWriter.h"
#include "Archive/WriteBehind.h"
#include "Attach/LocalServer.h"
#include "Base/BoundedMap.h"
#include "Base/Clock.h"
#include "Base/Environment.h"
#include "Base/Error.h"
#include "Base/FileName.h"
#include "Base/PlainLine.h"
#include "Encoding/Encoding.h"
#include "Mpi/Agreement.h"
#include "Peer/SnapshotView.h"
#include "Server/Core/KeepRule.h"
#include "Server/ServerSettings.h"
#include "Tools/CommandLine.h"
#include "Tools/Serve/Hosts.h"
#include "Transport/TransportKind.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
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
  std::string Place;
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

// An option for a setting. CLI11 shows its default and what it can be.
void AddOption(CLI::App& app, const dsm::Setting& setting, dsm::ServerOptions& options)
{
  using Kind = dsm::SettingKind;
  const std::string name = "--" + setting.Word;
  auto* option = app.add_option_function<std::string>(
    name, [&setting, &options, name](const std::string& words)
    { setting.Write(options, words, name); }, setting.FullHelp());
  const std::string value = setting.Read(options).value_or(setting.Default);
  const std::string zero = setting.Zero.value_or("");
  option->default_str(value == "0" && !zero.empty() ? zero : value);
  option->type_name(setting.Kind == Kind::Count ? "UINT"
      : setting.Kind == Kind::Bytes             ? "SIZE"
      : setting.Kind == Kind::Seconds           ? "FLOAT"
                                                : "TEXT");
  if (setting.Kind == Kind::Choice || setting.Kind == Kind::Word)
  {
    std::vector<std::string> words;
    words.reserve(setting.Choices.size());
    for (const dsm::SettingChoice& choice : setting.Choices)
    {
      words.push_back(choice.Word);
    }
    option->transform(
      [](const std::string& text)
      {
        // As a word of a shell that needs no quotes.
        std::string words = text;
        std::replace(words.begin(), words.end(), '-', ' ');
        return words;
      });
    option->check(CLI::IsMember(words));
  }
}

void ReadCommandLine(CLI::App& app, Settings& settings)
{
  settings.Server = dsm::OptionsByDefault();
  for (const dsm::Setting& setting : dsm::ServerSettings())
  {
    if (setting.HasOption && !setting.Word.empty())
    {
      AddOption(app, setting, settings.Server);
    }
  }
  app.add_flag_function(
    "--no-node-memory", [&settings](auto) { settings.Server.Transport.NodeMemory = false; },
    "use the transport between processes on one node, too");
  app.add_option("--save", settings.SaveFolder,
    "folder to save every snapshot in, by its name and with its folders; it is made");
  app.add_flag("--until-disconnect", settings.UntilDisconnect, "end when the simulation has left");
  app.add_option("--host", settings.Place,
    "which host this process is, if no launcher (mpiexec, srun) says it: 2/4 is host 2 of hosts 0 "
    "to 3. All are started with the same contact file, in a folder that all see, and end with host "
    "0");
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
    "print the settings, and the strategies and transports there are, as JSON, and end");
}

// For programs that offer them to people, and for tests of each.
std::string Choices()
{
  auto settings = dsm::ServerSettings();
  auto strategies = dsm::Strategies();
  auto transports = dsm::TransportKinds();
  return dsm::TextOfFields(
    [&](dsm::Fields& fields)
    {
      fields("settings", settings);
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
    this->Unsaid += dsm::PlainLine(line) + "\n";
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
  std::printf("%s\n", dsm::PlainLine(line).c_str());
  std::fflush(stdout);
}

// How long after a failure what is not saved is tried again.
constexpr std::chrono::seconds SaveAgain(5);
// How long the rescuer may take for what is left at the end.
constexpr dsm::Seconds RescueLimit(120);

// The number of saved files of which it is known where they are, should they get other names.
constexpr std::size_t MostPlaces = 4096;

std::string Rescuer()
{
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / DSM_RESCUE;
}

// Saves snapshots in a folder, each by its file's name and with its folders. What cannot be written
// is said once, stays in memory, and is tried again: a host may have been away, a disk full. When
// this program is killed, another one saves what is left.
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
      this->Rescue.emplace(server, this->Folder, Rescuer());
      this->FollowNames(0);
    }
  }

  // Deals with files that were taken, up to that number, and have another name now.
  void FollowNames(dsm::SnapshotId last)
  {
    while (const auto renamed = this->Saves() ? this->Hosts.TakeRenamed(last) : std::nullopt)
    {
      this->Rename(*renamed);
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
    this->SaveNow(snapshot);
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
            static_cast<unsigned long long>(snapshot.Number),
            dsm::PlainLine(snapshot.FileName).c_str());
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
        static_cast<unsigned long long>(snapshot.Number), dsm::PlainLine(snapshot.FileName).c_str(),
        rescue && rescue->GoesOn
          ? "is not saved yet, and dsm-rescue goes on trying since a host was killed"
          : "is lost: it was not saved");
    }
  }

  bool IsComplete() const { return this->Unsaved.empty(); }
  bool Saves() const { return !this->Folder.empty(); }

private:
  // Saves it, or remembers that it is not saved.
  void SaveNow(const dsm::SnapshotDescription& snapshot)
  {
    const std::string failure = this->Save(snapshot);
    if (failure.empty())
    {
      // An older state that is not saved would take its place.
      this->Forget([&](const auto& older) { return older.FileName == snapshot.FileName; }, false);
      this->Release(snapshot, true);
      return;
    }
    std::fprintf(stderr,
      "dsm-serve: snapshot %llu (%s) is not saved, and stays in memory as long as there is room: "
      "%s\n",
      static_cast<unsigned long long>(snapshot.Number), dsm::PlainLine(snapshot.FileName).c_str(),
      dsm::PlainLine(failure).c_str());
    this->Unsaved.push_back(snapshot);
    this->Next = dsm::Clock::now() + SaveAgain;
  }

  // A file that was saved gets its new name in the folder as well. One that was not is saved if the
  // rule names its new name.
  void Rename(const dsm::SnapshotDescription& snapshot)
  {
    const auto unsaved = std::find_if(this->Unsaved.begin(), this->Unsaved.end(),
      [&](const auto& known) { return known.Number == snapshot.Number; });
    if (unsaved != this->Unsaved.end())
    {
      *unsaved = snapshot;
    }
    else if (const std::string* const before = this->Places.Find(snapshot.Number))
    {
      this->Move(*before, snapshot);
    }
    else if (!this->Keep.CountsStreams() && this->Keep.Keeps(snapshot))
    {
      this->SaveNow(snapshot);
      return;
    }
    this->Hosts.Release(snapshot.Number);
  }

  void Move(const std::string& before, const dsm::SnapshotDescription& snapshot)
  {
    try
    {
      if (!std::filesystem::exists(before))
      {
        return; // an older state of the file has moved it
      }
      const std::string place = this->PlaceOf(snapshot);
      dsm::archivepath::MakeFolderOf(place);
      std::filesystem::rename(before, place);
      this->Places[snapshot.Number] = place;
    }
    catch (const std::exception& error)
    {
      std::fprintf(stderr,
        "dsm-serve: %s is %s now, and is still called %s where it is saved: %s\n",
        dsm::PlainLine(before).c_str(), dsm::PlainLine(snapshot.FileName).c_str(),
        dsm::PlainLine(before).c_str(), dsm::PlainLine(error.what()).c_str());
    }
  }

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
      for (const dsm::SnapshotId part : snapshot.Parts)
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
      const std::string path = this->PlaceOf(snapshot);
      dsm::archivepath::MakeFolder(
        snapshot.Parts.empty() ? std::filesystem::path(path).parent_path().string() : path);
      this->Writer.Save(this->Hosts.GetConnection(), snapshot, path);
      if (snapshot.Parts.empty())
      {
        this->Places[snapshot.Number] = path;
      }
      return {};
    }
    catch (const std::exception& error)
    {
      return error.what();
    }
  }

  // Of a snapshot in several files, the folder that they have in common.
  std::string PlaceOf(const dsm::SnapshotDescription& snapshot) const
  {
    std::string path = dsm::archivepath::PlaceIn(this->Folder, snapshot, this->Hosts.ContactPath());
    if (!snapshot.Parts.empty())
    {
      path.resize(path.rfind('/', path.find('*', this->Folder.size())));
    }
    return path;
  }

  dsm::Server& Hosts;
  dsm::SnapshotWriter Writer;
  const std::string Folder;
  dsm::KeepRule Keep;
  std::optional<dsm::RescueLink> Rescue;
  std::vector<dsm::SnapshotDescription> Unsaved;
  dsm::BoundedMap<dsm::SnapshotId, std::string> Places{ MostPlaces }; ///< of what is saved
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
Command NextCommand(const dsm::RankGroup& ranks, dsm::Server& server, Command mine)
{
  int command = static_cast<int>(mine);
  ranks.BroadcastYielding(&command, sizeof command,
    [&]
    {
      if (server.NeedsPump())
      {
        PumpOrRest(server);
      }
      else
      {
        std::this_thread::sleep_for(std::chrono::milliseconds(ranks.Rank() == 0 ? 1 : 10));
      }
    });
  return static_cast<Command>(command);
}

// On rank 0: carries out what an attached ParaView has ordered. False when it is to end.
bool CarryOutOrders(const dsm::RankGroup& ranks, dsm::Server& server)
{
  while (const auto order = server.Orders().Take())
  {
    std::string failure;
    if (order->Options)
    {
      NextCommand(ranks, server, Command::Adjust);
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
bool Watch(
  const dsm::RankGroup& ranks, dsm::Server& server, const Settings& settings, std::string& trouble)
{
  const dsm::Deadline end(dsm::Seconds(settings.Limit > 0 ? settings.Limit : 1e8));
  Saving saving(server, settings.SaveFolder, settings.Keep);
  // Users who are told that this is ready may rely on snapshots that outlive it.
  Say(fmt::format("ready {}", server.ContactPath()));
  auto lastUser = dsm::Clock::now();
  dsm::SnapshotId last = 0;
  Lines lines;
  bool took = false; // just now
  // A viewer takes snapshots by itself. Its orders end the wait as well.
  constexpr dsm::SnapshotId afterAll(UINT64_MAX / 2);
  const auto next = [&](const dsm::Deadline& deadline)
  { return server.WaitForSnapshot(settings.ForViewer ? afterAll : last, true, deadline); };
  while (!stopAsked && !end.Expired() && CarryOutOrders(ranks, server))
  {
    const auto longest = took || server.NeedsPump() ? dsm::Seconds(0)
      : lines.IsEmpty()                             ? dsm::Seconds(0.2)
                                                    : Lines::Longest;
    const dsm::Deadline deadline(longest);
    const auto snapshot = next(deadline);
    saving.FollowNames(last);
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
      // There may be no wait at all, such as when no snapshot will come any more.
      if (!server.NeedsPump() && !deadline.Expired())
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
  if (saving.Saves())
  {
    server.TakeNoMore();
  }
  // If they are not saved, programs go on writing meanwhile.
  const dsm::SnapshotId newest = server.Status().NewestSnapshot();
  while (saving.Saves() || last < newest)
  {
    const auto snapshot = next(dsm::Deadline(dsm::Seconds(0)));
    if (!snapshot)
    {
      break;
    }
    saving.FollowNames(last);
    last = snapshot->Number;
    Take(saving, *snapshot, lines);
  }
  saving.FollowNames(last);
  if (saving.Saves())
  {
    saving.End();
  }
  return saving.IsComplete();
}

int Serve(const std::shared_ptr<dsm::RankGroup>& hosts, const Settings& settings)
{
  const dsm::RankGroup& ranks = *hosts;
  // Rank 0 saves. All end when it cannot.
  dsm::RunOnRankZero(ranks, [&] { MakeSaveFolder(settings.SaveFolder); });
  dsm::LocalServer server(hosts, settings.Server);
  int status = 0;
  if (ranks.Rank() == 0)
  {
    for (const std::string& transport : server.Status().Transports)
    {
      Say("transport " + transport);
    }
    const dsm::DiskWriter writer(server);
    dsm::WriteBehind behind(server);
    std::string trouble;
    server.Orders().Offer(true);
    try
    {
      const bool saved = Watch(ranks, server, settings, trouble);
      status = behind.Finish() && saved ? 0 : 1;
    }
    catch (const std::exception& error)
    {
      hosts::SayError(error);
      status = 1;
    }
    ReportFailure(server.Status(), trouble);
  }
  while (NextCommand(ranks, server, Command::End) == Command::Adjust)
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
  dsm::CommandLine app(
    "dsm-serve", "Hosts a distributed shared memory for HDF5 files, without ParaView");
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
    std::printf("%s\n", Choices().c_str()); // lines of JSON, which stay lines
    return 0;
  }
  std::signal(SIGINT, AskStop);
  std::signal(SIGTERM, AskStop);
  const hosts::Request request{ settings.Server.ContactFile, settings.Server.Transport,
    settings.Place, settings.OneThread, [] { return stopAsked.load(); } };
  return hosts::Run(argc, argv, request,
    [&](const std::shared_ptr<dsm::RankGroup>& hosts) { return Serve(hosts, settings); });
}

}

// MPI and ZeroMQ end the process where they cannot start a thread, and the system ends it where
// they size a file in shared memory.
void RequireLimits()
{
  constexpr rlim_t least = 256UL << 20;
  struct Limit
  {
    decltype(RLIMIT_DATA) Which;
    const char* Text;
  };
  for (const auto& [which, text] :
    { Limit{ RLIMIT_DATA, "data memory (ulimit -d)" }, Limit{ RLIMIT_FSIZE, "files (ulimit -f)" } })
  {
    rlimit limit = {};
    if (getrlimit(which, &limit) == 0 && limit.rlim_cur < least)
    {
      throw dsm::Error(dsm::Fault::System,
        "the limit on {} is {}, and a host needs {} for itself: raise it", text,
        dsm::environment::FormatBytes(limit.rlim_cur), dsm::environment::FormatBytes(least));
    }
  }
}

int main(int argc, char** argv)
{
  AllowManyPeers();
  try
  {
    RequireLimits();
    return Run(argc, argv);
  }
  catch (const std::exception& error)
  {
    hosts::SayError(error);
    return 2;
  }
}
