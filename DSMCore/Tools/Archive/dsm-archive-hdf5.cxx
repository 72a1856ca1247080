// SPDX-License-Identifier: BSD-3-Clause
// dsm-archive-hdf5: what dsm-archive leaves to HDF5. It compresses and divides files, joins the
// steps of several, and makes files on disk snapshots, which are then looked into.
#include "Archive/ArchivePath.h"
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
#include "Tools/Archive/ArchiveOptions.h"
#include "Tools/Repack/Filters.h"
#include "Tools/Repack/GatheredFile.h"
#include "Tools/Repack/RepackProcess.h"
#include "Tools/Repack/RepackedFile.h"
#include "Tools/VirtualSeries.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace
{

using archive::Connect;
using archive::Options;
using archive::PartsOf;
using archive::Say;
using archive::Tell;
using archive::TellInterval;

// The program looks so often whether the next snapshot is there.
constexpr auto LookInterval = std::chrono::milliseconds(50);
// A file that has just been closed is shown a moment later.
constexpr dsm::Seconds ShownWithin(2);

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

int Run(int argc, char** argv)
{
  if (argc == 3 && std::string_view(argv[1]) == dsm::repack::RepackProcess::Option)
  {
    return dsm::repack::RepackProcess::Run();
  }
  Options options;
  CLI::App app("The part of dsm-archive that needs HDF5", "dsm-archive");
  archive::ReadCommandLine(app, options);
  CLI11_PARSE(app, argc, argv);
  if (!options.Virtual.empty())
  {
    return Join(options);
  }
  return options.Restore.empty() ? Repack(options) : Restore(options);
}

}

int main(int argc, char** argv)
{
  return archive::Run([&] { return Run(argc, argv); });
}
