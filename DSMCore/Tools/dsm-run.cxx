// SPDX-License-Identifier: BSD-3-Clause
// dsm-run: starts a program, or the mpiexec that starts it, so that the HDF5 files it writes go to
// the memory ParaView lends. It sets the environment and becomes the program; nothing stays behind.
#include "Base/DetachedProcess.h"
#include "Base/Environment.h"
#include "Base/Error.h"
#include "Base/FileName.h"
#include "Base/LaunchedJob.h"
#include "Base/Timeouts.h"
#include "Control/ContactFile.h"
#include "Control/ServerProcess.h"
#include "Driver/RoutingSettings.h"
#include "Memory/DeviceDriver.h"
#include "Peer/Connection.h"
#include "Protocol/FilePolicy.h"
#include "Tools/CommandLine.h"
#include "Tools/ExecProgram.h"
#include "Tools/StaticProgram.h"
#include "Tools/ViewStart.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include <unistd.h>

namespace
{

/// How long a server that stands there may take to say whether it wants the program.
constexpr dsm::Seconds LongestQuestion(3);
/// A server that is started for a page has this long to start.
constexpr dsm::Seconds LongestStart(60);
/// Such a server ends when no program has been connected for this long.
constexpr int MinutesAlone = 10;

struct Options
{
  std::string Contact = dsm::environment::Text("DSM_CONTACT").value_or("run.dsm");
  std::string Match;
  std::string Publish;
  std::string WithoutServer = dsm::environment::Text("DSM_WITHOUT_SERVER").value_or("disk");
  std::string Replay;
  double Timeout = 0;
  double Wait = 0;
  double WaitLimit = 0;
  std::string Read;
  double ReadLimit = 0;
  bool MpioOnly = false;
  bool View = false;
  std::string Placeholders;
  std::string Transfer;
  std::vector<std::string> Command;
};

/// The contact file stands when the server is up; it may take a while to get there.
void RequireContact(const Options& options)
{
  const dsm::Deadline deadline{ dsm::Seconds(options.Wait) };
  while (!std::filesystem::exists(options.Contact))
  {
    if (deadline.Expired())
    {
      throw dsm::Error(dsm::Fault::NoServer,
        "there is no contact file {}{}: start the server in ParaView first (panel or script), name "
        "its file with --contact, or wait for it with --wait",
        options.Contact,
        options.Wait > 0 ? fmt::format(", and none came within {} s", options.Wait) : "");
    }
    std::this_thread::sleep_for(deadline.Remaining(std::chrono::milliseconds(50)));
  }
  dsm::ReadContact(options.Contact, dsm::Deadline(dsm::Seconds(2)));
}

/// Returns whether a server answers. One that does not want this program (another version, another
/// run's key) is reported now, while the user can mend it: throws.
bool HasServer(const Options& options)
{
  try
  {
    dsm::Connection::Open(options.Contact, "viewer", 1, dsm::Deadline(LongestQuestion));
    return true;
  }
  catch (const dsm::Error& error)
  {
    if (!dsm::MeansNoServer(error))
    {
      throw;
    }
    return false;
  }
}

/// What the program's files do as long as the server is not there.
const char* Consequence(const Options& options)
{
  switch (dsm::WithoutServerFromText(options.WithoutServer, "--without-server"))
  {
    case dsm::WithoutServer::Wait:
      return "its first file waits for ParaView (--without-server wait)";
    case dsm::WithoutServer::Discard:
      return "until ParaView is there, files are discarded (--without-server discard)";
    default:
      return "until ParaView is there, files go to disk (--without-server disk)";
  }
}

/// Without a contact file: ends here or tells what will happen, as the policy says.
void GoOnWithout(const Options& options, const dsm::Error& why)
{
  if (options.WithoutServer == dsm::WithoutServerText(dsm::WithoutServer::Fail))
  {
    throw dsm::Error(why.GetFault(), "{}, or do without with --without-server disk", why.what());
  }
  std::fprintf(stderr, "dsm-run: %s\ndsm-run: the program starts without ParaView: %s\n",
    why.what(), Consequence(options));
  dsm::SetVariable("DSM_KNOWN_MISSING", options.Contact);
}

/// Throws in a rank of an MPI job, since each rank would have a page of its own.
void RequireOneView()
{
  if (dsm::IsLaunchedRank())
  {
    throw dsm::Error(dsm::Fault::Usage,
      "--view serves one page for all ranks. Write it before mpiexec: dsm-run --view mpiexec -n 4 "
      "./simulation");
  }
}

/// Starts a server for the page, unless there is one or the user waits for one. It puts the files
/// on disk as well, under the program's own names, since nobody else keeps them. Returns the
/// process that the page is to end with: that server, so that people can look when the run is over,
/// or else this run.
pid_t StartServerForView(const Options& options)
{
  if (options.Wait > 0 || HasServer(options))
  {
    return getpid();
  }
  const std::vector<std::string> command{ dsm::FindRelative("dsm-serve", "dsm-run").string(),
    "--contact", options.Contact, "--also-on-disk", "all", "--linger",
    std::to_string(60 * MinutesAlone) };
  const pid_t process = dsm::StartServerProcess(
    command, dsm::PresentEnvironment(), options.Contact, dsm::Deadline(LongestStart));
  std::fprintf(stderr,
    "dsm-run: started a server with the contact file %s (process %d). The files are also on disk. "
    "The server and its page end when no program has been connected for %d minutes.\n",
    options.Contact.c_str(), static_cast<int>(process), MinutesAlone);
  return process;
}

/// Looks for the server, before the program does.
void Look(const Options& options)
{
  // Inside mpiexec the program waits, not we: ParaView may be in the same job, and its MPI_Init
  // only returns when the program has called its own.
  if (options.Wait > 0 && dsm::IsLaunchedRank())
  {
    dsm::SetVariable("DSM_WAIT", fmt::format("{}", options.Wait));
    return;
  }
  try
  {
    RequireContact(options);
  }
  catch (const dsm::Error& error)
  {
    if (error.GetFault() != dsm::Fault::NoServer)
    {
      throw;
    }
    GoOnWithout(options, error);
    return;
  }
  // Not each of many ranks.
  if (!dsm::IsLaunchedRank())
  {
    HasServer(options); // one that does not answer here may do so where the program runs
  }
  if (options.Wait > 0)
  {
    dsm::SetVariable("DSM_WAIT", fmt::format("{}", options.Wait));
  }
}

/// One of a sanitizer's options, unless the user has it already.
void AddOption(const char* variable, const std::string& option)
{
  const std::string there = dsm::environment::Text(variable).value_or("");
  if (there.find(option.substr(0, option.find('='))) == std::string::npos)
  {
    dsm::SetVariable(variable, there.empty() ? option : there + ":" + option);
  }
}

/// The library that is preloaded. A blank or a colon in its name would end the name there, and the
/// program would go on uncoupled.
std::filesystem::path FindLoader()
{
  auto loader = dsm::FindRelative(DSM_LOADER, "dsm-run");
  if (loader.string().find_first_of(": \t\n") != std::string::npos)
  {
    throw std::runtime_error("it is installed as " + loader.string() +
      ", and the dynamic linker preloads nothing from a folder with a blank or a colon in its "
      "name: install it in another folder");
  }
  return loader;
}

void Prepare(const Options& options)
{
  const auto loader = FindLoader();
  const auto preload = dsm::environment::Text("LD_PRELOAD");
  std::string preloaded = preload ? *preload + ":" + loader.string() : loader.string();
  if (!options.Publish.empty())
  {
    dsm::SetVariable("DSM_PUBLISH", options.Publish);
  }
  if (dsm::PublishInterval() || dsm::DeviceDriver::IsExpected())
  {
    preloaded += ":" + (loader.parent_path() / "libdsm-calls.so").string();
  }
  dsm::SetVariable("LD_PRELOAD", preloaded);
  dsm::SetVariable("DSM_FILES", options.MpioOnly ? "mpio" : "all");
  dsm::SetVariable("DSM_CONTACT", options.Contact);
  dsm::SetVariable("DSM_WITHOUT_SERVER", options.WithoutServer);
  if (!dsm::IsLaunchedRank())
  {
    dsm::SetVariable("DSM_LAUNCH", dsm::LaunchOfThisProcess()); // for ranks
  }
  if (!options.Match.empty())
  {
    dsm::SetVariable("DSM_MATCH", options.Match);
  }
  if (!options.Placeholders.empty())
  {
    dsm::SetVariable("DSM_PLACEHOLDERS", options.Placeholders);
  }
  if (!options.Read.empty())
  {
    dsm::SetVariable("DSM_READ", options.Read);
  }
  if (options.ReadLimit > 0)
  {
    dsm::SetVariable("DSM_READ_LIMIT", fmt::format("{}", options.ReadLimit));
  }
  if (!options.Transfer.empty())
  {
    dsm::SetVariable("DSM_TRANSFER", options.Transfer);
  }
  if (options.WaitLimit > 0)
  {
    dsm::SetVariable("DSM_WAIT_LIMIT", fmt::format("{}", options.WaitLimit));
  }
  if (options.Timeout > 0)
  {
    dsm::SetVariable("DSM_TIMEOUT", fmt::format("{}", options.Timeout));
  }
  // AddressSanitizer's library comes behind what is preloaded, which does not harm it: the loader
  // calls what it stands in for. ThreadSanitizer would report what it cannot see in ZeroMQ.
  AddOption("ASAN_OPTIONS", "verify_asan_link_order=0");
  AddOption("TSAN_OPTIONS", "ignore_noninstrumented_modules=1");
  // UCX catches a crash and then hangs in its handler.
  dsm::SetDefault("UCX_ERROR_SIGNALS", "");
  // What is wrong with variables that were set by hand.
  static_cast<void>(dsm::RoutingSettings::FromEnvironment(""));
  static_cast<void>(dsm::RequestTimeout());
  static_cast<void>(dsm::PeerTimeout());
  static_cast<void>(dsm::WaitForServerLimit());
}

/// Says so where a program cannot be reached, which it could not say itself. Not each of many
/// ranks.
void TellOfStatic(const Options& options)
{
  if (const auto program =
        dsm::IsLaunchedRank() ? std::nullopt : dsm::FindStaticHdf5(options.Command))
  {
    std::fprintf(stderr,
      "dsm-run: %s is linked statically and has its HDF5 inside itself: nothing reaches it there, "
      "and what it writes goes to disk, unseen. Link it with a shared HDF5 (h5pcc -shlib) to see "
      "it in ParaView\n",
      program->c_str());
  }
}

int Run(int argc, char** argv)
{
  Options options;
  dsm::CommandLine app("dsm-run",
    "Runs a program so that ParaView sees the HDF5 files it writes, without a disk in between.\n"
    "Example: dsm-run --contact run.dsm mpiexec -n 4 ./simulation");
  app.add_option("--contact", options.Contact, "the file ParaView's server wrote (DSM_CONTACT)")
    ->capture_default_str();
  app.add_option("--match", options.Match,
    "which files: shell patterns with ':' between them; default: those the server wants "
    "(DSM_MATCH)");
  app
    .add_option("--publish", options.Publish,
      "when files are seen: at their close (close), at each H5Fflush as well (flush), or also "
      "every so many seconds, though the program does not flush them (a number); default: as the "
      "server says (DSM_PUBLISH)")
    ->check(CLI::IsMember({ "close", "flush" }) | CLI::PositiveNumber);
  app
    .add_option("--without-server", options.WithoutServer,
      "what to do while ParaView does not answer: files go to disk, are an error, wait for it, or "
      "are discarded (DSM_WITHOUT_SERVER)")
    ->check(CLI::IsMember({ "disk", "fail", "wait", "discard" }))
    ->capture_default_str();
  app
    .add_option("--wait-limit", options.WaitLimit,
      "seconds a file may wait with --without-server wait; default: 600 (DSM_WAIT_LIMIT)")
    ->check(CLI::PositiveNumber);
  app
    .add_option("--read", options.Read,
      "what a program gets that opens a file to read: the newest state of it, or the next one that "
      "it has not read, for which it waits; default: newest (DSM_READ)")
    ->check(CLI::IsMember({ "newest", "next" }));
  app
    .add_option("--read-limit", options.ReadLimit,
      "seconds a file may be waited for with --read next; default: 600 (DSM_READ_LIMIT)")
    ->check(CLI::PositiveNumber);
  app
    .add_option(
      "--timeout", options.Timeout, "seconds a request to ParaView may take (DSM_TIMEOUT)")
    ->check(CLI::PositiveNumber);
  app
    .add_option("--wait", options.Wait,
      "seconds to wait for ParaView at the start: here, or behind mpiexec at the program's first "
      "file (DSM_WAIT)")
    ->check(CLI::NonNegativeNumber);
  app
    .add_option("--replay", options.Replay,
      "a steering log: what an earlier run was told is told again at the same steps (DSM_REPLAY). "
      "Without ParaView unless it is named")
    ->check(CLI::ExistingFile);
  app
    .add_option("--placeholders", options.Placeholders,
      "whether files in memory have their names on disk, as small files that programs find, rename "
      "and remove there; default: on (DSM_PLACEHOLDERS)")
    ->check(CLI::IsMember({ "on", "off" }));
  app
    .add_option("--transfer", options.Transfer,
      "how pieces go to ParaView's side that do not follow one another in the file: each by itself "
      "(independent), a rank's for one host together (datatype), or exchanged among the ranks "
      "first (collective); default: auto, which chooses (DSM_TRANSFER)")
    ->check(CLI::IsMember({ "auto", "independent", "datatype", "collective" }));
  app.add_flag("--mpio-only", options.MpioOnly,
    "only files opened with H5Pset_fapl_mpio; leave HDF5's default driver alone (DSM_FILES=mpio)");
  app.add_flag("--view", options.View,
    "serve a page for browsers that shows the run and steers it, and print its address on standard "
    "error (dsm-view); starts a server if none answers");
  // The first word that is no option of ours begins the command; all behind it is the command's.
  app.prefix_command();
  app.usage("Usage: dsm-run [OPTIONS] COMMAND…");
  CLI11_PARSE(app, argc, argv);
  options.Command = app.remaining();
  // As behind other programs that start one.
  if (!options.Command.empty() && options.Command.front() == "--")
  {
    options.Command.erase(options.Command.begin());
  }
  if (options.Command.empty())
  {
    std::fprintf(stderr, "dsm-run: name the program to start, with its arguments; see --help\n");
    return 2;
  }
  if (options.Command.front().starts_with('-'))
  {
    std::fprintf(
      stderr, "dsm-run: there is no option %s; see --help\n", options.Command.front().c_str());
    return 2;
  }

  try
  {
    // Also for a run that goes on without ParaView.
    if (!options.Replay.empty())
    {
      dsm::SetVariable("DSM_REPLAY", dsm::AbsoluteName(options.Replay));
    }
    // A log is replayed for its own sake: only who names a server wants one.
    const bool named = app.count("--contact") > 0 || dsm::environment::Text("DSM_CONTACT") ||
      app.count("--without-server") > 0 || options.Wait > 0;
    options.Contact = dsm::AbsoluteName(options.Contact);
    if (!options.Replay.empty() && !named && !std::filesystem::exists(options.Contact))
    {
      std::fprintf(stderr,
        "dsm-run: the log is replayed without ParaView, which no --contact names: files go to "
        "disk\n");
      return dsm::ExecProgram(options.Command, "dsm-run");
    }
    if (options.View)
    {
      RequireOneView();
      dsm::StartView(options.Contact, "dsm-run", StartServerForView(options));
    }
    Prepare(options);
    Look(options);
    TellOfStatic(options);
  }
  catch (const dsm::Error& error)
  {
    std::fprintf(stderr, "dsm-run: %s\n", error.what());
    return 1;
  }
  return dsm::ExecProgram(options.Command, "dsm-run");
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
    std::fprintf(stderr, "dsm-run: %s\n", error.what());
    return 1;
  }
}
