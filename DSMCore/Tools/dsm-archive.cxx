// SPDX-License-Identifier: BSD-3-Clause
// dsm-archive: has a server put snapshots on disk, in the background, and makes files on disk
// snapshots again.
#include "Archive/ArchivePath.h"
#include "Archive/FileForm.h"
#include "Archive/RestoreFile.h"
#include "Archive/SaveSnapshot.h"
#include "Base/Environment.h"
#include "Base/Error.h"
#include "Base/FileName.h"
#include "Base/Log.h"
#include "Base/PlainLine.h"
#include "Base/Timeouts.h"
#include "Peer/Connection.h"
#include "Peer/Peek.h"
#include "Peer/SnapshotView.h"
#include "Protocol/Peer.h"
#include "Protocol/SnapshotMessages.h"
#include "Server/Core/KeepRule.h"
#include "Server/Core/ServerMessages.h"
#include "Steering/SteeringMessages.h"
#include "Tools/Repack/Filters.h"
#include "Tools/Repack/GatheredFile.h"
#include "Tools/Repack/RepackProcess.h"
#include "Tools/Repack/RepackedFile.h"
#include "Tools/VirtualSeries.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace
{
struct Options
{
  std::string Contact = dsm::environment::Text("DSM_CONTACT").value_or("run.dsm");
  std::string File = "*";
  bool Next = false;
  std::uint64_t Number = 0;
  std::string Each;
  std::string BeforeEviction;
  std::uint64_t End = 0;
  std::string To;
  std::string Form = "single";
  std::vector<std::string> Filters;
  std::string Minimum = "64 KiB";
  double Wait = 1e8;
  bool List = false;
  std::vector<std::string> Restore;
  std::string As;
  std::string Virtual;
  std::vector<std::string> Files;
};

// How often it is said how far a file is.
constexpr double TellInterval = 2;
// How often it is looked whether the next snapshot is there.
constexpr auto LookInterval = std::chrono::milliseconds(50);
// What has just been closed is shown a moment later.
constexpr dsm::Seconds ShownWithin(2);

void Say(const std::string& line)
{
  std::printf("%s\n", dsm::PlainLine(line).c_str());
  std::fflush(stdout);
}

// To whom waits: how much of a file is done.
void Tell(const std::string& file, std::uint64_t done, std::uint64_t size)
{
  std::fprintf(stderr, "dsm-archive: %s: %s of %s\n", dsm::PlainLine(file).c_str(),
    dsm::environment::FormatBytes(done).c_str(), dsm::environment::FormatBytes(size).c_str());
}

dsm::SaveRequest Request(const Options& options)
{
  static_cast<void>(dsm::FileForm::FromText(options.Form)); // or throws
  dsm::SaveRequest save;
  save.Path = options.To.empty() ? std::string() : dsm::AbsoluteName(options.To);
  save.Form = options.Form;
  save.File = options.File;
  save.When = options.Next ? "next" : "newest";
  save.Hold = !options.BeforeEviction.empty();
  const std::string rule = save.Hold ? options.BeforeEviction : options.Each;
  if (!rule.empty())
  {
    static_cast<void>(dsm::KeepRule::FromText(rule)); // likewise
    save.When = "each";
    save.Rule = rule;
  }
  else if (options.Number != 0)
  {
    save.When = "number";
    save.Number = options.Number;
  }
  else if (options.End != 0)
  {
    save.When = "end";
    save.Number = options.End;
  }
  return save;
}

dsm::SteeringAnswer Ask(
  dsm::Connection& server, const dsm::SteeringRequest& request, double seconds = 0)
{
  return server
    .Request(dsm::RequestSteering{ request, dsm::UserAtHost() },
      dsm::RequestTimeout() + dsm::Seconds(seconds))
    .Answer;
}

// What became of an order; none when it is not done yet.
std::optional<dsm::Outcome> Await(
  dsm::Connection& server, const dsm::SteeringAnswer& answer, double limit)
{
  const dsm::Deadline end{ dsm::Seconds(limit) };
  dsm::SteeringAnswer now = answer;
  while (const auto* pending = std::get_if<dsm::PendingAnswer>(&now))
  {
    if (end.Expired())
    {
      return std::nullopt;
    }
    const double seconds =
      std::min(TellInterval, std::chrono::duration<double>(end.Remaining()).count());
    now = Ask(server, dsm::WaitRequest{ pending->Transaction, seconds }, seconds);
    const auto saving = std::holds_alternative<dsm::PendingAnswer>(now)
      ? server.Request(dsm::AskStatus()).SavingNow
      : std::nullopt;
    if (saving)
    {
      Tell(fmt::format("snapshot {} ({})", saving->Number, saving->FileName), saving->Bytes,
        saving->FileSize);
    }
  }
  const auto* outcome = std::get_if<dsm::Outcome>(&now);
  return outcome ? std::optional(*outcome) : std::nullopt;
}

std::shared_ptr<dsm::Connection> Connect(const Options& options, const char* role)
{
  return dsm::Connection::Open(dsm::AbsoluteName(options.Contact),
    dsm::DescribeThisProcess(role, 1, {}), dsm::Deadline(dsm::RequestTimeout()));
}

int Order(const Options& options)
{
  const dsm::SaveRequest request = Request(options);
  const auto server = Connect(options, "viewer");
  const dsm::SteeringAnswer answer = Ask(*server, request);
  const auto outcome = Await(*server, answer, options.Wait);
  if (!outcome)
  {
    const auto* pending = std::get_if<dsm::PendingAnswer>(&answer);
    Say(fmt::format("order {} is not done yet, and goes on", pending ? pending->Transaction : 0));
    return 0;
  }
  if (!outcome->Applied)
  {
    std::string why;
    for (const auto& refusal : outcome->Refusals)
    {
      why += (why.empty() ? "" : "; ") + refusal.Reason;
    }
    std::fprintf(stderr, "dsm-archive: nothing is written: it %s\n", dsm::PlainLine(why).c_str());
    return 3;
  }
  if (request.When == "each")
  {
    Say(fmt::format("order {}: {} from now on (dsm-archive --end {} ends it)", outcome->Number,
      request.Rule == "all" ? "all snapshots" : request.Rule, outcome->Number));
  }
  else if (request.When == "end")
  {
    Say(fmt::format("order {} has ended", request.Number));
  }
  else if (outcome->Detail && outcome->Detail->Path)
  {
    Say(*outcome->Detail->Path);
  }
  return 0;
}

// Into how many parts a file is divided whose form is "virtual 4" (or "virtual": one for each
// processor here); none where it is of another form.
std::optional<std::uint64_t> PartsOf(const std::string& form)
{
  constexpr std::string_view word = "virtual";
  if (form == word)
  {
    return std::max(std::thread::hardware_concurrency(), 1U);
  }
  if (!form.starts_with("virtual "))
  {
    return std::nullopt;
  }
  std::uint64_t parts = 0;
  const auto [end, error] =
    std::from_chars(form.data() + word.size() + 1, form.data() + form.size(), parts);
  constexpr std::uint64_t most = 10000;
  if (error != std::errc() || end != form.data() + form.size() || parts == 0 || parts > most)
  {
    throw dsm::Error(dsm::Fault::Usage,
      "\"{}\" is no form of a file on disk: say virtual 4, for 4 parts, or another number above 0",
      form);
  }
  return parts;
}

// The snapshot that is asked for, kept in memory as long as this exists.
dsm::SnapshotLease Chosen(const std::shared_ptr<dsm::Connection>& server, const Options& options)
{
  const std::string pattern = options.File == "*" ? std::string() : options.File;
  auto found = dsm::SnapshotLease::Newest(server, pattern, dsm::SnapshotId(options.Number));
  const dsm::SnapshotId last =
    options.Next && !found.Snapshots.empty() ? found.Snapshots.back().Number : dsm::SnapshotId(0);
  const auto isWanted = [last](const dsm::SnapshotDescription& one) { return one.Number > last; };
  const dsm::Deadline end{ options.Next ? dsm::Seconds(options.Wait) : ShownWithin };
  while (std::none_of(found.Snapshots.begin(), found.Snapshots.end(), isWanted))
  {
    if (end.Expired() && options.Next)
    {
      throw dsm::Error(dsm::Fault::TimedOut, "no snapshot has come within {} s", options.Wait);
    }
    if (end.Expired())
    {
      throw dsm::Error(dsm::Fault::Refused, "{} has no snapshot {}", server->ContactPath(),
        options.Number != 0 ? std::to_string(options.Number) : "of " + options.File);
    }
    std::this_thread::sleep_for(LookInterval);
    found = dsm::SnapshotLease::Newest(server, pattern, dsm::SnapshotId(options.Number));
  }
  if (!options.Next)
  {
    return std::move(found.Newest);
  }
  const auto next = std::find_if(found.Snapshots.begin(), found.Snapshots.end(), isWanted);
  return std::move(dsm::SnapshotLease::Newest(server, pattern, next->Number).Newest);
}

void RepackOne(const std::string& contact, const dsm::SnapshotView& snapshot,
  const std::string& path, const Options& options, const dsm::Deadline& deadline)
{
  dsm::repack::RepackedFile file(contact, snapshot, path, PartsOf(options.Form).value_or(0),
    { options.Filters, dsm::environment::ParseBytes(options.Minimum, "--minimum") });
  std::uint64_t done = 0;
  dsm::Deadline told{ dsm::Seconds(TellInterval) };
  file.Write(deadline,
    [&](std::uint64_t bytes)
    {
      done += bytes;
      if (told.Expired())
      {
        const dsm::SnapshotDescription& what = snapshot.Description();
        Tell(fmt::format("snapshot {} ({})", what.Number, what.FileName), done, what.FileSize);
        told = dsm::Deadline{ dsm::Seconds(TellInterval) };
      }
    });
  file.Finish();
}

// By processes of this program, and not by the hosts: HDF5 has to write it.
int Repack(const Options& options)
{
  if (!options.Each.empty() || !options.BeforeEviction.empty() || options.End != 0)
  {
    throw dsm::Error(dsm::Fault::Usage,
      "the hosts write files as they are in memory: --filter and --form virtual are for one "
      "snapshot (the newest, --number or --next)");
  }
  if (!PartsOf(options.Form) && options.Form != "single")
  {
    throw dsm::Error(dsm::Fault::Usage,
      "--filter is for the forms single and virtual: {} are the file's bytes as they are in memory",
      options.Form);
  }
  for (const std::string& filter : options.Filters)
  {
    static_cast<void>(dsm::repack::Filter::FromText(filter)); // or throws
  }
  const auto server = Connect(options, "viewer");
  const dsm::SnapshotLease kept = Chosen(server, options);
  const dsm::SnapshotDescription& snapshot = kept.Description();
  const std::string path = options.To.empty()
    ? dsm::archivepath::Default(server->ContactPath(), snapshot)
    : dsm::archivepath::At(dsm::AbsoluteName(options.To), snapshot);
  const dsm::Peek peek; // what is archived has not been looked at
  const dsm::Deadline deadline{ dsm::Seconds(options.Wait) };
  if (snapshot.Parts.empty())
  {
    RepackOne(
      server->ContactPath(), dsm::SnapshotView(server, snapshot.Number), path, options, deadline);
  }
  else
  {
    dsm::archivepath::MakeFolder(path);
    dsm::SaveParts(server, snapshot, path,
      [&](const dsm::SnapshotView& part, const std::string& place)
      { RepackOne(server->ContactPath(), part, place, options, deadline); });
  }
  try
  {
    server->Request(dsm::NoteSaved{ snapshot.Number });
  }
  catch (const dsm::Error& error)
  {
    // It has ended meanwhile; or this is a guest, who may look and not say so.
    dsm::Log().info(
      "the server is not told that snapshot {} is on disk: {}", snapshot.Number, error.what());
  }
  Say(path);
  return 0;
}

// A master over files beside it becomes one file, which never gets a name.
void RestoreOne(
  const std::shared_ptr<dsm::Connection>& server, const std::string& path, const std::string& name)
{
  const dsm::repack::GatheredFile gathered(path);
  std::uint64_t done = 0;
  const dsm::SnapshotId number = dsm::RestoreFile(
    server, path, name, [&](std::uint64_t bytes, std::uint64_t) { done = bytes; },
    gathered.Contents());
  Say(fmt::format("snapshot {} {} {}", number, dsm::AbsoluteName(name.empty() ? path : name),
    dsm::environment::FormatBytes(done)));
}

// Several were the files of one snapshot, one of each process, and are that again: as if as many
// processes of one job wrote them.
int Restore(const Options& options)
{
  const std::vector<std::string>& paths = options.Restore;
  if (paths.size() == 1)
  {
    RestoreOne(Connect(options, "archive"), paths.front(), options.As);
    return 0;
  }
  if (!options.As.empty() && !std::filesystem::is_directory(options.As))
  {
    throw dsm::Error(dsm::Fault::Usage,
      "several files keep their names: --as says the folder that they have them in, and {} is none",
      options.As);
  }
  dsm::PeerDescription writer = dsm::DescribeThisProcess("archive", 1, {});
  writer.Job = fmt::format("restored by process {} on {}", writer.Process, writer.Machine);
  writer.JobProcesses = paths.size();
  std::vector<std::shared_ptr<dsm::Connection>> writers;
  for (const std::string& path : paths)
  {
    writers.push_back(dsm::Connection::Open(
      dsm::AbsoluteName(options.Contact), writer, dsm::Deadline(dsm::RequestTimeout())));
    const std::string name = std::filesystem::path(path).filename();
    RestoreOne(writers.back(), path,
      options.As.empty() ? std::string() : (std::filesystem::path(options.As) / name).string());
  }
  return 0;
}

int List(const Options& options)
{
  const auto server = Connect(options, "viewer");
  const dsm::ServerStatus status = server->Request(dsm::AskStatus());
  for (const auto& snapshot : status.Snapshots)
  {
    const bool saved =
      std::find(status.Saved.begin(), status.Saved.end(), snapshot.Number) != status.Saved.end();
    Say(fmt::format("snapshot {} {} {}{}", snapshot.Number, snapshot.FileName,
      dsm::environment::FormatBytes(snapshot.FileSize), saved ? " on disk" : ""));
  }
  for (const auto& order : status.Standing)
  {
    Say(fmt::format("order {} {} in {} as {}: {} written, {} waiting{}", order.Ticket, order.Rule,
      order.Path.empty() ? server->ContactPath() + ".saved" : order.Path, order.Form, order.Written,
      order.Waiting, order.Failure.empty() ? "" : "; " + order.Failure));
  }
  if (status.SavingNow)
  {
    Say(fmt::format("writing snapshot {} {}: {} of {}", status.SavingNow->Number,
      status.SavingNow->FileName, dsm::environment::FormatBytes(status.SavingNow->Bytes),
      dsm::environment::FormatBytes(status.SavingNow->FileSize)));
  }
  return 0;
}

// No server is needed.
int Join(const Options& options)
{
  const auto steps = dsm::StepsOf(options.Files);
  for (const std::string& left : dsm::WriteVirtualSeries(options.Virtual, steps))
  {
    std::fprintf(stderr, "dsm-archive: left out: %s\n", dsm::PlainLine(left).c_str());
  }
  Say(fmt::format("{} has {} steps", options.Virtual, steps.size()));
  return 0;
}

void ReadCommandLine(CLI::App& app, Options& options)
{
  app.add_option("--contact", options.Contact, "the server's contact file (DSM_CONTACT)")
    ->capture_default_str();
  auto* which = app.add_option_group("which", "Which snapshots; without any of these the newest");
  which->add_option("--number", options.Number, "the one of this number")
    ->check(CLI::PositiveNumber);
  which->add_flag("--next", options.Next, "the next that comes");
  which->add_option("--each", options.Each,
    "all that are there and each that comes: all; \"every 5\", the first of each stream and every "
    "fifth from there; or shell patterns of names with ':' between them. They stay in memory until "
    "they are written, or could not be");
  which->add_option("--before-eviction", options.BeforeEviction,
    "the same, and none leaves the memory before it is written: for checkpoints. A simulation that "
    "needs the room waits");
  which->add_option("--end", options.End, "no more for --each or --before-eviction: its order")
    ->check(CLI::PositiveNumber);
  which->add_flag(
    "--list", options.List, "write nothing, and tell which there are, and all orders");
  auto* restore = which->add_option("--restore", options.Restore,
    "write nothing, and make this file a snapshot: a plain file, the stub of one in subfiles, or a "
    "master over parts (--form virtual). Several: those of one snapshot, one of each process, "
    "which "
    "are that again");
  auto* joined = which->add_option("--virtual", options.Virtual,
    "write a file that shows the FILES on disk as one, with the steps as the first dimension of "
    "each dataset, for any HDF5; the numbers stay where they are. No server is needed");
  which->require_option(0, 1);
  app.add_option("FILES", options.Files, "the steps' files, or the .series beside them")
    ->needs(joined);
  app
    .add_option("--as", options.As,
      "its name, by which programs open it; default: its own, with its folder. Of several files, "
      "the "
      "folder of their names")
    ->needs(restore);
  app.add_option(
    "--file", options.File, "newest, next: of a file whose name fits this shell pattern");
  app.add_option("--to", options.To,
    "a file's name, or a folder; default: a folder beside the contact file, where nothing is "
    "replaced");
  app
    .add_option("--form", options.Form,
      "single; subfiles, as HDF5's Subfiling driver has them: each host writes what it has into "
      "one of its own; \"subfiles 4\", one for each 4 hosts; or \"virtual 4\": 4 HDF5 files, "
      "written "
      "at the same time, that have a share of the rows of each large dataset, and a master that "
      "shows them as one file, to any HDF5 (virtual: one for each processor here)")
    ->capture_default_str();
  app
    .add_option("--filter", options.Filters,
      "compress large datasets that have no filter, in h5repack's words: SHUF, GZIP=6, FLET, or "
      "UD=NUMBER,FLAGS,COUNT,VALUES; several in their order (--filter SHUF --filter GZIP=6). By "
      "processes of this program, one for each file")
    ->allow_extra_args(false);
  app
    .add_option("--minimum", options.Minimum,
      "--filter and --form virtual leave datasets of fewer bytes as they are")
    ->capture_default_str();
  app
    .add_option("--wait", options.Wait,
      "the longest to wait for the file, in seconds; it is written all the same")
    ->check(CLI::NonNegativeNumber);
}

int Run(int argc, char** argv)
{
  if (argc == 3 && std::string_view(argv[1]) == dsm::repack::RepackProcess::Option)
  {
    return dsm::repack::RepackProcess::Run();
  }
  Options options;
  CLI::App app("Has a server put snapshots on disk, while simulations go on, and makes files on "
               "disk snapshots again.\n"
               "Example: dsm-archive --contact run.dsm --each \"*.chk.h5\" --to /archive",
    "dsm-archive");
  ReadCommandLine(app, options);
  CLI11_PARSE(app, argc, argv);
  if (options.List)
  {
    return List(options);
  }
  if (!options.Virtual.empty())
  {
    return Join(options);
  }
  if (options.Restore.empty() && (!options.Filters.empty() || PartsOf(options.Form)))
  {
    return Repack(options);
  }
  return options.Restore.empty() ? Order(options) : Restore(options);
}

}

int main(int argc, char** argv)
{
  try
  {
    return Run(argc, argv);
  }
  catch (const std::exception& error)
  {
    std::fprintf(stderr, "dsm-archive: %s\n", dsm::PlainLine(error.what()).c_str());
    return 1;
  }
}
