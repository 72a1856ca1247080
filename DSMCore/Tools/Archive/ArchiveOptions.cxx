// SPDX-License-Identifier: BSD-3-Clause
#include "Tools/Archive/ArchiveOptions.h"

#include "Base/Error.h"
#include "Base/FileName.h"
#include "Base/PlainLine.h"
#include "Base/Timeouts.h"
#include "Protocol/Peer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <string_view>
#include <thread>

namespace archive
{

void Say(const std::string& line)
{
  std::printf("%s\n", dsm::PlainLine(line).c_str());
  std::fflush(stdout);
}

void Tell(const std::string& file, std::uint64_t done, std::uint64_t size)
{
  std::fprintf(stderr, "dsm-archive: %s: %s of %s\n", dsm::PlainLine(file).c_str(),
    dsm::environment::FormatBytes(done).c_str(), dsm::environment::FormatBytes(size).c_str());
}

void SayError(const std::exception& error)
{
  std::fprintf(stderr, "dsm-archive: %s\n", dsm::PlainLine(error.what()).c_str());
}

std::shared_ptr<dsm::Connection> Connect(const Options& options, const char* role)
{
  return dsm::Connection::Open(dsm::AbsoluteName(options.Contact),
    dsm::DescribeThisProcess(role, 1, {}), dsm::Deadline(dsm::RequestTimeout()));
}

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

bool NeedsHdf5(const Options& options)
{
  return !options.Virtual.empty() || !options.Restore.empty() || !options.Filters.empty() ||
    PartsOf(options.Form);
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
      "written at the same time, that have a share of the rows of each large dataset, and a master "
      "that "
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

}
