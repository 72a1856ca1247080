// SPDX-License-Identifier: BSD-3-Clause
// dsm_bench: writes D datasets of a given total size in three ways, round by round in one run, and
// prints GB/s side by side:
//
//   memcpy      each rank copies its share into memory that all ranks of the node share: the limit
//   tmpfs       parallel HDF5 with the MPI-IO driver to a file in /dev/shm: what users have today
//   dsm         parallel HDF5 with our driver: create + write + close, sealed snapshot included
//
// run_benchmark.py starts the hosts and then this program.
#include "Driver/H5FDdsm.h"
#include "Measurement.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <hdf5.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace
{

struct Settings
{
  std::string Contact;
  double SizeMiB = 512;
  int Datasets = 1;
  int Rounds = 20;
  int WarmUps = 10; // every slot of the ring has been used by then
  bool Independent = false;
  std::string Folder = "/dev/shm";
};

// HDF5 and its identifiers: a negative one is an error whose stack HDF5 has printed.
hid_t Require(hid_t id, const char* call)
{
  if (id < 0)
  {
    throw std::runtime_error(fmt::format("{} failed", call));
  }
  return id;
}

class Writer
{
public:
  Writer(const Settings& settings, MPI_Comm comm)
    : Given(settings)
    , Comm(comm)
  {
    MPI_Comm_rank(comm, &this->Rank);
    MPI_Comm_size(comm, &this->Ranks);
    const auto values = static_cast<hsize_t>(settings.SizeMiB * 1048576 / sizeof(double));
    const auto ranks = static_cast<hsize_t>(this->Ranks);
    this->Share = std::max<hsize_t>(1, values / static_cast<hsize_t>(settings.Datasets) / ranks);
    this->Data.resize(this->Share);
    for (hsize_t i = 0; i < this->Share; ++i)
    {
      this->Data[i] = static_cast<double>(this->Rank) + static_cast<double>(i) * 1e-9;
    }
  }

  double Bytes() const
  {
    return static_cast<double>(this->Share * sizeof(double)) * this->Ranks * this->Given.Datasets;
  }

  void WriteFile(hid_t access, const std::string& name) const
  {
    const hid_t file =
      Require(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), "H5Fcreate");
    const hsize_t total = this->Share * static_cast<hsize_t>(this->Ranks);
    const hsize_t begin = this->Share * static_cast<hsize_t>(this->Rank);
    const hid_t fileSpace = Require(H5Screate_simple(1, &total, nullptr), "H5Screate_simple");
    const hid_t memorySpace =
      Require(H5Screate_simple(1, &this->Share, nullptr), "H5Screate_simple");
    Require(H5Sselect_hyperslab(fileSpace, H5S_SELECT_SET, &begin, nullptr, &this->Share, nullptr),
      "H5Sselect_hyperslab");
    const hid_t transfer = Require(H5Pcreate(H5P_DATASET_XFER), "H5Pcreate");
    Require(H5Pset_dxpl_mpio(
              transfer, this->Given.Independent ? H5FD_MPIO_INDEPENDENT : H5FD_MPIO_COLLECTIVE),
      "H5Pset_dxpl_mpio");
    for (int d = 0; d < this->Given.Datasets; ++d)
    {
      const hid_t dataset =
        Require(H5Dcreate2(file, fmt::format("d{}", d).c_str(), H5T_NATIVE_DOUBLE, fileSpace,
                  H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
          "H5Dcreate2");
      Require(
        H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memorySpace, fileSpace, transfer, this->Data.data()),
        "H5Dwrite");
      H5Dclose(dataset);
    }
    H5Pclose(transfer);
    H5Sclose(memorySpace);
    H5Sclose(fileSpace);
    Require(H5Fclose(file), "H5Fclose");
  }

  // Reads one's own share back and compares.
  void CheckFile(hid_t access, const std::string& name) const
  {
    const hid_t file = Require(H5Fopen(name.c_str(), H5F_ACC_RDONLY, access), "H5Fopen");
    std::vector<double> back(this->Share);
    const hsize_t begin = this->Share * static_cast<hsize_t>(this->Rank);
    for (int d = 0; d < this->Given.Datasets; ++d)
    {
      const hid_t dataset =
        Require(H5Dopen2(file, fmt::format("d{}", d).c_str(), H5P_DEFAULT), "H5Dopen2");
      const hid_t fileSpace = Require(H5Dget_space(dataset), "H5Dget_space");
      const hid_t memorySpace =
        Require(H5Screate_simple(1, &this->Share, nullptr), "H5Screate_simple");
      Require(
        H5Sselect_hyperslab(fileSpace, H5S_SELECT_SET, &begin, nullptr, &this->Share, nullptr),
        "H5Sselect_hyperslab");
      Require(H5Dread(dataset, H5T_NATIVE_DOUBLE, memorySpace, fileSpace, H5P_DEFAULT, back.data()),
        "H5Dread");
      H5Sclose(memorySpace);
      H5Sclose(fileSpace);
      H5Dclose(dataset);
      if (back != this->Data)
      {
        throw std::runtime_error(fmt::format("dataset d{} of {} came back changed", d, name));
      }
    }
    Require(H5Fclose(file), "H5Fclose");
  }

  void Copy(char* target) const
  {
    const std::size_t size = this->Data.size() * sizeof(double);
    for (int d = 0; d < this->Given.Datasets; ++d)
    {
      std::memcpy(target + static_cast<std::size_t>(d) * size, this->Data.data(), size);
    }
  }

private:
  const Settings& Given;
  MPI_Comm Comm;
  int Rank = 0;
  int Ranks = 1;
  hsize_t Share = 0;
  std::vector<double> Data;
};

hid_t Access(MPI_Comm comm, const std::string& contact)
{
  const hid_t access = Require(H5Pcreate(H5P_FILE_ACCESS), "H5Pcreate");
  Require(contact.empty() ? H5Pset_fapl_mpio(access, comm, MPI_INFO_NULL)
                          : H5Pset_fapl_dsm(access, comm, MPI_INFO_NULL, contact.c_str()),
    "H5Pset_fapl");
  return access;
}

std::vector<bench::Series> Measure(const Settings& settings, MPI_Comm comm)
{
  const Writer writer(settings, comm);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);

  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  char* shared = nullptr;
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_allocate_shared(
    static_cast<MPI_Aint>(writer.Bytes() / ranks), 1, MPI_INFO_NULL, node, &shared, &window);

  const hid_t onDisk = Access(comm, "");
  const hid_t inMemory = Access(comm, settings.Contact);
  const std::string file = settings.Folder + "/dsm-bench.h5";

  std::vector<bench::Series> all{ { "memcpy", {} }, { "tmpfs", {} }, { "dsm", {} } };
  const std::vector<std::function<void()>> ways{ [&] { writer.Copy(shared); },
    [&] { writer.WriteFile(onDisk, file); }, [&] { writer.WriteFile(inMemory, file); } };
  for (int round = -settings.WarmUps; round < settings.Rounds; ++round)
  {
    for (std::size_t way = 0; way < ways.size(); ++way)
    {
      const double seconds = bench::SecondsOf(comm, ways[way]);
      if (round >= 0)
      {
        all[way].Rates.push_back(writer.Bytes() / seconds * 1e-9);
      }
    }
  }
  writer.CheckFile(onDisk, file);
  writer.CheckFile(inMemory, file);

  if (rank == 0)
  {
    std::remove(file.c_str());
  }
  H5Pclose(onDisk);
  H5Pclose(inMemory);
  MPI_Win_free(&window);
  MPI_Comm_free(&node);
  return all;
}

void Print(const Settings& settings, const std::vector<bench::Series>& all, int ranks)
{
  std::printf("%d writers, %d dataset%s, %g MiB in all, %s transfers, %d rounds; GB/s = 10^9 B/s\n",
    ranks, settings.Datasets, settings.Datasets == 1 ? "" : "s", settings.SizeMiB,
    settings.Independent ? "independent" : "collective", settings.Rounds);
  std::printf(
    "%-8s %8s %8s %8s %12s %12s\n", "way", "min", "median", "max", "of memcpy", "of tmpfs");
  for (const auto& series : all)
  {
    const auto [least, most] = std::minmax_element(series.Rates.begin(), series.Rates.end());
    std::printf("%-8s %8.2f %8.2f %8.2f %12.2f %12.2f\n", series.Name.c_str(), *least,
      series.Median(), *most, series.Median() / all[0].Median(), series.Median() / all[1].Median());
  }
}

}

int main(int argc, char** argv)
{
  Settings settings;
  CLI::App app("Write rates beside memcpy and parallel HDF5 on tmpfs, in one run");
  app.add_option("--contact", settings.Contact, "contact file of the hosts")->required();
  app.add_option("--size", settings.SizeMiB, "MiB of all datasets together")
    ->check(CLI::PositiveNumber)
    ->capture_default_str();
  app.add_option("--datasets", settings.Datasets, "number of datasets")
    ->check(CLI::PositiveNumber)
    ->capture_default_str();
  app.add_option("--rounds", settings.Rounds, "measured rounds")
    ->check(CLI::PositiveNumber)
    ->capture_default_str();
  app.add_option("--warm-ups", settings.WarmUps, "rounds before that")->capture_default_str();
  app.add_flag(
    "--independent", settings.Independent, "independent instead of collective transfers");
  app.add_option("--tmpfs", settings.Folder, "folder of the file on tmpfs")->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  try
  {
    const auto all = Measure(settings, MPI_COMM_WORLD);
    if (rank == 0)
    {
      Print(settings, all, ranks);
    }
  }
  catch (const std::exception& error)
  {
    std::fprintf(stderr, "dsm_bench: rank %d: %s\n", rank, error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
