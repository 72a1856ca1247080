// SPDX-License-Identifier: BSD-3-Clause
// dsm_single_bench: what it takes several ranks to read what describes a file, which all of them
// read alike: many small datasets, as in a CGNS file of 128 bases with 32 zones each (4,096 of 72
// bytes, 4,096 of 10, 128 of 8). By each rank for itself, or by one for all; from the driver
// (H5FDread), which is what the driver takes, and as datasets (H5Dread), with HDF5's collective
// metadata reads or without, which adds HDF5's own reduction to each of them; beside HDF5's own
// MPI-IO driver. Rank 0 hosts, the others read.
//
//   mpiexec -n 5 dsm_single_bench [--transport fabric] [--through driver] > single.csv
#include "Attach/LocalServer.h"
#include "Base/Error.h"
#include "Driver/H5FDdsm.h"
#include "Mpi/Communicator.h"
#include "Peer/Connections.h"
#include "Transport/ChooseTransport.h"

#include <CLI/CLI.hpp>
#include <H5FDdevelop.h>
#include <fmt/format.h>
#include <hdf5.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace
{

constexpr int ZonesOfBase = 32;

struct Settings
{
  std::string Transport = "fabric";
  int Bases = 128;
  int Rounds = 3;
  std::vector<std::string> Through{ "driver", "datasets", "collective-metadata" };
};

/// Who reads.
struct Way
{
  const char* Name;
  bool InMemory;      ///< else on disk, by MPI-IO
  const char* Policy; ///< DSM_SINGLE_PROCESS
  H5FD_dsm_single_process_t Asked;
};
const std::vector<Way> Ways{
  { "each rank", true, "off", H5FD_DSM_SINGLE_PROCESS_OFF },
  { "one, checked", true, "asked", H5FD_DSM_SINGLE_PROCESS },
  { "one, unchecked", true, "asked", H5FD_DSM_SINGLE_PROCESS_UNCHECKED },
  { "one where the same", true, "same", H5FD_DSM_SINGLE_PROCESS_OFF },
  { "MPI-IO on tmpfs", false, "asked", H5FD_DSM_SINGLE_PROCESS_OFF },
};

/// What they call.
struct Call
{
  bool Driver;   ///< H5FDread, else H5Dread
  bool Together; ///< having opened the file with H5Pset_all_coll_metadata_ops
};
const std::map<std::string, Call> Calls{ { "driver", { true, false } },
  { "datasets", { false, false } }, { "collective-metadata", { false, true } } };

template <typename Id>
Id Require(Id id, const char* what)
{
  if (id < 0)
  {
    std::fprintf(stderr, "dsm_single_bench: %s failed\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return id;
}

struct Dataset
{
  std::string Path;
  hsize_t Bytes;
  haddr_t Address = HADDR_UNDEF; ///< in the file
};

std::vector<Dataset> DatasetsOf(const Settings& settings)
{
  std::vector<Dataset> all;
  for (int base = 0; base < settings.Bases; ++base)
  {
    const std::string group = fmt::format("/base {}", base);
    all.push_back({ group + "/dimensions", 8 });
    for (int zone = 0; zone < ZonesOfBase; ++zone)
    {
      all.push_back({ fmt::format("{}/zone {}/size", group, zone), 72 });
      all.push_back({ fmt::format("{}/zone {}/type", group, zone), 10 });
    }
  }
  return all;
}

/// By one process. Notes where they are.
void Write(const std::string& name, hid_t access, std::vector<Dataset>& datasets)
{
  const hid_t file =
    Require(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), "H5Fcreate");
  const hid_t links = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(links, 1);
  for (Dataset& one : datasets)
  {
    const hid_t space = H5Screate_simple(1, &one.Bytes, nullptr);
    const hid_t set = Require(
      H5Dcreate2(file, one.Path.c_str(), H5T_NATIVE_UCHAR, space, links, H5P_DEFAULT, H5P_DEFAULT),
      "H5Dcreate2");
    const std::vector<unsigned char> values(one.Bytes, static_cast<unsigned char>(one.Bytes));
    Require(
      H5Dwrite(set, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), "H5Dwrite");
    one.Address = H5Dget_offset(set);
    H5Dclose(set);
    H5Sclose(space);
  }
  H5Pclose(links);
  Require(H5Fclose(file), "H5Fclose");
}

struct Seconds
{
  double Open; ///< the file, and all its datasets where these are read
  double Read; ///< what is in them
};

Seconds ReadFromDriver(const std::string& name, hid_t access, hid_t transfer, MPI_Comm comm,
  const std::vector<Dataset>& datasets)
{
  MPI_Barrier(comm);
  const double begin = MPI_Wtime();
  H5FD_t* const file = H5FDopen(name.c_str(), H5F_ACC_RDONLY, access, HADDR_UNDEF);
  Require(file ? 0 : -1, "H5FDopen");
  Require(H5FDset_eoa(file, H5FD_MEM_DRAW, H5FDget_eof(file, H5FD_MEM_DRAW)), "H5FDset_eoa");
  MPI_Barrier(comm);
  const double opened = MPI_Wtime();
  std::size_t wrong = 0;
  for (const Dataset& one : datasets)
  {
    std::vector<unsigned char> values(one.Bytes);
    Require(
      H5FDread(file, H5FD_MEM_DRAW, transfer, one.Address, one.Bytes, values.data()), "H5FDread");
    wrong += values.back() == one.Bytes ? 0 : 1;
  }
  MPI_Barrier(comm);
  const Seconds taken{ opened - begin, MPI_Wtime() - opened };
  Require(H5FDclose(file), "H5FDclose");
  Require(wrong > 0 ? -1 : 0, "reading what was written");
  return taken;
}

Seconds ReadDatasets(const std::string& name, hid_t access, hid_t transfer, MPI_Comm comm,
  const std::vector<Dataset>& datasets)
{
  MPI_Barrier(comm);
  const double begin = MPI_Wtime();
  const hid_t file = Require(H5Fopen(name.c_str(), H5F_ACC_RDONLY, access), "H5Fopen");
  std::vector<hid_t> sets;
  sets.reserve(datasets.size());
  for (const Dataset& one : datasets)
  {
    sets.push_back(Require(H5Dopen2(file, one.Path.c_str(), H5P_DEFAULT), "H5Dopen2"));
  }
  MPI_Barrier(comm);
  const double opened = MPI_Wtime();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < datasets.size(); ++i)
  {
    std::vector<unsigned char> values(datasets[i].Bytes);
    Require(
      H5Dread(sets[i], H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, transfer, values.data()), "H5Dread");
    wrong += values.back() == datasets[i].Bytes ? 0 : 1;
  }
  MPI_Barrier(comm);
  const Seconds taken{ opened - begin, MPI_Wtime() - opened };
  for (const hid_t set : sets)
  {
    H5Dclose(set);
  }
  Require(H5Fclose(file), "H5Fclose");
  Require(wrong > 0 ? -1 : 0, "reading what was written");
  return taken;
}

void Measure(const Settings& settings, const std::string& folder, MPI_Comm comm)
{
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const std::string contact = folder + "/run.dsm";
  const std::string live = folder + "/live.h5";
  const std::string disk = folder + "/disk.h5";
  auto datasets = DatasetsOf(settings);
  if (rank == 0)
  {
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    Write(disk, access, datasets);
    H5Pset_fapl_dsm(access, MPI_COMM_NULL, MPI_INFO_NULL, contact.c_str());
    Write(live, access, datasets); // at the same addresses, as HDF5 lays out what it is given
    H5Pclose(access);
    std::printf("way,through,transport,ranks,round,reads,open_seconds,read_seconds\n");
  }
  for (Dataset& one : datasets)
  {
    MPI_Bcast(&one.Address, sizeof one.Address, MPI_BYTE, 0, comm);
  }
  for (int round = 0; round < settings.Rounds; ++round)
  {
    for (const Way& way : Ways)
    {
      for (const std::string& through : settings.Through)
      {
        const Call& call = Calls.at(through);
        setenv("DSM_SINGLE_PROCESS", way.Policy, 1);
        const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
        way.InMemory ? H5Pset_fapl_dsm(access, comm, MPI_INFO_NULL, contact.c_str())
                     : H5Pset_fapl_mpio(access, comm, MPI_INFO_NULL);
        H5Pset_all_coll_metadata_ops(access, call.Together);
        const hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
        H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE);
        if (way.Asked != H5FD_DSM_SINGLE_PROCESS_OFF)
        {
          H5Pset_dxpl_dsm_single_process(transfer, way.Asked);
        }
        const auto read = call.Driver ? ReadFromDriver : ReadDatasets;
        const Seconds taken = read(way.InMemory ? live : disk, access, transfer, comm, datasets);
        if (rank == 0)
        {
          std::printf("\"%s\",%s,%s,%d,%d,%zu,%.6f,%.6f\n", way.Name, through.c_str(),
            way.InMemory ? settings.Transport.c_str() : "", ranks, round, datasets.size(),
            taken.Open, taken.Read);
          std::fflush(stdout);
        }
        H5Pclose(transfer);
        H5Pclose(access);
      }
    }
  }
}

int Run(int argc, char** argv)
{
  Settings settings;
  CLI::App app("What it takes ranks to read many small datasets: by each, or by one for all.",
    "dsm_single_bench");
  app.add_option("--transport", settings.Transport, "what carries all bytes")
    ->capture_default_str();
  app.add_option("--bases", settings.Bases, "with 65 datasets each")->capture_default_str();
  app.add_option("--rounds", settings.Rounds)->capture_default_str();
  app.add_option("--through", settings.Through, "what the ranks call")
    ->delimiter(',')
    ->check(CLI::IsMember(Calls))
    ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char folder[] = "/dev/shm/dsm-single-XXXXXX";
  if (rank == 0 && !mkdtemp(folder))
  {
    throw dsm::Error(dsm::Fault::System, "no folder in /dev/shm");
  }
  MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? 0 : 1, rank, &part);
  std::unique_ptr<dsm::LocalServer> server;
  const auto self = dsm::Communicator::Duplicate(part);
  if (rank == 0)
  {
    dsm::ServerOptions options;
    options.ContactFile = std::string(folder) + "/run.dsm";
    options.MemoryPerHost = 64 << 20;
    options.Transport = dsm::TransportFromText(settings.Transport);
    options.Transport.NodeMemory = settings.Transport == "shared-memory";
    server = std::make_unique<dsm::LocalServer>(self, options);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank > 0)
  {
    Measure(settings, folder, part);
    dsm::connections::Clear();
  }
  // The host's own thread must not take a core while it waits.
  const auto world = dsm::Communicator::Duplicate(MPI_COMM_WORLD);
  char done = 0;
  world.BroadcastYielding(&done, sizeof done, 1);
  if (server)
  {
    server->Stop();
    std::filesystem::remove_all(folder);
  }
  MPI_Comm_free(&part);
  return 0;
}

}

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  int status = 1;
  try
  {
    status = Run(argc, argv);
  }
  catch (const std::exception& error)
  {
    std::fprintf(stderr, "dsm_single_bench: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return status;
}
