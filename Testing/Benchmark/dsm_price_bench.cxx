// SPDX-License-Identifier: BSD-3-Clause
// dsm_price_bench: what it costs that a slot's generation is asked before each put (fencing), and
// that memory is reserved before it is granted, as shares of writing a file. One process hosts and
// writes.
#include "Attach/LocalServer.h"
#include "Base/Clock.h"
#include "Base/Environment.h"
#include "Base/Error.h"
#include "Driver/H5FDdsm.h"
#include "Memory/Segment.h"
#include "Peer/Connection.h"
#include "Peer/SlotFence.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <hdf5.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <H5FDdevelop.h>

namespace
{

struct Settings
{
  std::uint64_t Size = 128 << 20;
  std::uint64_t Piece = 1 << 20;
  int Rounds = 20;
};

template <typename Id>
Id Require(Id id, const char* call)
{
  if (id < 0)
  {
    throw dsm::Error(dsm::Fault::System, "{} failed", call);
  }
  return id;
}

template <typename Work>
double SecondsOf(const Work& work)
{
  const auto begin = dsm::Clock::now();
  work();
  return dsm::Seconds(dsm::Clock::now() - begin).count();
}

double Median(std::vector<double> values)
{
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Create, write in pieces, close.
void WriteFile(
  const Settings& settings, hid_t access, const std::string& name, const std::vector<char>& bytes)
{
  H5FD_t* file =
    H5FDopen(name.c_str(), H5F_ACC_RDWR | H5F_ACC_CREAT | H5F_ACC_TRUNC, access, HADDR_UNDEF);
  Require(file ? 0 : -1, "H5FDopen");
  Require(H5FDset_eoa(file, H5FD_MEM_DRAW, settings.Size), "H5FDset_eoa");
  for (std::uint64_t at = 0; at < settings.Size; at += settings.Piece)
  {
    const auto size = std::min(settings.Piece, settings.Size - at);
    Require(H5FDwrite(file, H5FD_MEM_DRAW, H5P_DEFAULT, at, size, bytes.data()), "H5FDwrite");
  }
  Require(H5FDtruncate(file, H5P_DEFAULT, true), "H5FDtruncate");
  Require(H5FDclose(file), "H5FDclose");
}

// Seconds for one question to the fence, in the median of the rounds.
double Fence(const Settings& settings, dsm::LocalServer& server)
{
  const auto link = server.GetConnection();
  const dsm::SlotFence fence(link->Data(), *link->Server(), 0, 0);
  constexpr int Questions = 1'000'000;
  std::vector<double> seconds;
  for (int round = 0; round < settings.Rounds; ++round)
  {
    int held = 0;
    seconds.push_back(SecondsOf(
      [&]
      {
        for (int question = 0; question < Questions; ++question)
        {
          held += fence.Holds(0) ? 1 : 0;
        }
      }));
    if (held != 0 && held != Questions)
    {
      throw dsm::Error(dsm::Fault::System, "the generation has changed, and nobody has changed it");
    }
  }
  return Median(seconds) / Questions;
}

// What it costs a host to have a file's pages exist: touched alone, and reserved before that.
// Memory that a slot has kept is not reserved again (Memory/Ring).
struct Pages
{
  double Touched = 0;
  double ReservedToo = 0;
};

Pages Reserve(const Settings& settings)
{
  std::vector<double> touched;
  std::vector<double> both;
  for (int round = 0; round < settings.Rounds; ++round)
  {
    {
      const auto segment = dsm::Segment::Create(settings.Size);
      touched.push_back(SecondsOf([&] { segment.MapExisting(0, settings.Size); }));
    }
    const auto segment = dsm::Segment::Create(settings.Size);
    both.push_back(SecondsOf([&] { segment.Populate(0, settings.Size); }));
  }
  return { Median(touched), Median(both) };
}

void Run(const Settings& settings, const std::string& folder)
{
  dsm::ServerOptions options;
  options.ContactFile = folder + "/run.dsm";
  options.MemoryPerHost = 4 * settings.Size;
  const auto self = dsm::Communicator::Duplicate(MPI_COMM_SELF);
  dsm::LocalServer server(self, options);
  const hid_t access = Require(H5Pcreate(H5P_FILE_ACCESS), "H5Pcreate");
  Require(
    H5Pset_fapl_dsm(access, MPI_COMM_SELF, MPI_INFO_NULL, options.ContactFile.c_str()), "the fapl");
  const std::vector<char> bytes(settings.Piece, 'x');
  std::vector<double> files;
  for (int round = -3; round < settings.Rounds; ++round)
  {
    const double seconds =
      SecondsOf([&] { WriteFile(settings, access, folder + "/file.h5", bytes); });
    if (round >= 0)
    {
      files.push_back(seconds);
    }
  }
  const double file = Median(files);
  const double question = Fence(settings, server);
  const Pages pages = Reserve(settings);
  H5Pclose(access);
  server.Stop();

  // One more before the file is sealed.
  const auto questions = (settings.Size + settings.Piece - 1) / settings.Piece + 1;
  const double fencing = static_cast<double>(questions) * question;
  const double first = pages.ReservedToo - pages.Touched;
  const auto share = [&](double seconds) { return 100 * seconds / file; };
  fmt::print("file: {} in {:.2f} ms, in pieces of {} (median of {})\n",
    dsm::environment::FormatBytes(settings.Size), 1e3 * file,
    dsm::environment::FormatBytes(settings.Piece), settings.Rounds);
  fmt::print("fencing: {} questions of {:.1f} ns: {:.4f} % of the file\n", questions,
    1e9 * question, share(fencing));
  fmt::print("reserving: {:.2f} ms to reserve and touch new memory, {:.2f} ms to touch it only: "
             "{:.2f} % of the file, once, and ahead of it where its size is known\n",
    1e3 * pages.ReservedToo, 1e3 * pages.Touched, share(first));
}

}

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  Settings settings;
  CLI::App app("What fencing and reserving cost, beside a file.", "dsm_price_bench");
  const auto size = [&](std::uint64_t& target)
  {
    return [&target](const std::string& text)
    { target = dsm::environment::ParseBytes(text, "the size"); };
  };
  app.add_option_function<std::string>("--size", size(settings.Size), "of a file");
  app.add_option_function<std::string>("--piece", size(settings.Piece), "of a write");
  app.add_option("--rounds", settings.Rounds, "medians are printed")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  std::string folder = (std::filesystem::temp_directory_path() / "dsm-price-XXXXXX").string();
  int status = 0;
  try
  {
    if (!mkdtemp(folder.data()))
    {
      throw dsm::Error(dsm::Fault::System, "no temporary folder");
    }
    Run(settings, folder);
  }
  catch (const std::exception& error)
  {
    std::fprintf(stderr, "dsm_price_bench: %s\n", error.what());
    status = 1;
  }
  std::filesystem::remove_all(folder);
  MPI_Finalize();
  return status;
}
