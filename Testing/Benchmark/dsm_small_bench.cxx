// SPDX-License-Identifier: BSD-3-Clause
// dsm_small_bench: what small transfers cost in the driver, as HDF5's metadata makes them; and what
// an attribute, and a column of a tall array, cost the program, beside HDF5's own in-memory driver
// ("core"). One process hosts and writes.
#include "Attach/LocalServer.h"
#include "Driver/H5FDdsm.h"

#include <benchmark/benchmark.h>
#include <hdf5.h>
#include <mpi.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include <H5FDdevelop.h>

namespace
{

constexpr haddr_t FileSize = 1 << 20;

template <typename Id>
Id Require(Id id, const char* call)
{
  if (id < 0)
  {
    std::fprintf(stderr, "dsm_small_bench: %s failed\n", call);
    std::exit(1);
  }
  return id;
}

struct Access
{
  explicit Access(const std::function<herr_t(hid_t)>& choose)
    : Id(Require(H5Pcreate(H5P_FILE_ACCESS), "H5Pcreate"))
  {
    Require(choose(this->Id), "H5Pset_fapl");
  }
  ~Access() { H5Pclose(this->Id); }
  Access(const Access&) = delete;
  Access& operator=(const Access&) = delete;
  hid_t Id;
};

/// Moves bytes between memory and a place in a file.
using Move = herr_t (*)(H5FD_t* file, haddr_t address, std::size_t size, void* bytes);

herr_t Write(H5FD_t* file, haddr_t address, std::size_t size, void* bytes)
{
  return H5FDwrite(file, H5FD_MEM_OHDR, H5P_DEFAULT, address, size, bytes);
}

herr_t Read(H5FD_t* file, haddr_t address, std::size_t size, void* bytes)
{
  return H5FDread(file, H5FD_MEM_OHDR, H5P_DEFAULT, address, size, bytes);
}

// As a list of one piece: HDF5 hands over collective metadata and selections as lists.
herr_t WriteList(H5FD_t* file, haddr_t address, std::size_t size, void* bytes)
{
  H5FD_mem_t type = H5FD_MEM_OHDR;
  const void* buffer = bytes;
  return H5FDwrite_vector(file, H5P_DEFAULT, 1, &type, &address, &size, &buffer);
}

herr_t ReadList(H5FD_t* file, haddr_t address, std::size_t size, void* bytes)
{
  H5FD_mem_t type = H5FD_MEM_OHDR;
  return H5FDread_vector(file, H5P_DEFAULT, 1, &type, &address, &size, &bytes);
}

// The driver alone, at changing places.
void Transfer(benchmark::State& state, const Access& access, const std::string& name, Move move)
{
  H5FD_t* file =
    H5FDopen(name.c_str(), H5F_ACC_RDWR | H5F_ACC_CREAT | H5F_ACC_TRUNC, access.Id, HADDR_UNDEF);
  if (!file)
  {
    Require(-1, "H5FDopen");
  }
  H5FDset_eoa(file, H5FD_MEM_OHDR, FileSize);
  const auto size = static_cast<std::size_t>(state.range(0));
  std::array<char, 65536> bytes{};
  haddr_t address = 0;
  for (auto _ : state)
  {
    Require(move(file, address, size, bytes.data()), "the transfer");
    address = (address + 4160) % (FileSize - 65536);
  }
  H5FDtruncate(file, H5P_DEFAULT, true);
  H5FDclose(file);
}

// What a program sees: writes a 64-byte attribute and has HDF5 hand it to the driver.
void Attribute(benchmark::State& state, const Access& access, const std::string& name)
{
  const hid_t file =
    Require(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.Id), "H5Fcreate");
  const hsize_t count = 8;
  const hid_t space = Require(H5Screate_simple(1, &count, nullptr), "H5Screate_simple");
  const hid_t attribute = Require(
    H5Acreate2(file, "a", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT), "H5Acreate2");
  std::array<double, 8> values{};
  for (auto _ : state)
  {
    values[0] += 1;
    Require(H5Awrite(attribute, H5T_NATIVE_DOUBLE, values.data()), "H5Awrite");
    Require(H5Fflush(file, H5F_SCOPE_LOCAL), "H5Fflush");
  }
  H5Aclose(attribute);
  H5Sclose(space);
  Require(H5Fclose(file), "H5Fclose");
}

// One column of an array of six: pieces of 8 bytes. Counts pieces.
void Column(benchmark::State& state, const Access& access, const std::string& name, bool write)
{
  constexpr std::array<hsize_t, 2> size{ 230000, 6 };
  const hid_t file =
    Require(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.Id), "H5Fcreate");
  const hid_t space = Require(H5Screate_simple(2, size.data(), nullptr), "H5Screate_simple");
  const hid_t set =
    Require(H5Dcreate2(file, "a", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      "H5Dcreate2");
  constexpr std::array<hsize_t, 2> first{ 0, 2 };
  constexpr std::array<hsize_t, 2> count{ size[0], 1 };
  Require(H5Sselect_hyperslab(space, H5S_SELECT_SET, first.data(), nullptr, count.data(), nullptr),
    "H5Sselect_hyperslab");
  const hid_t memory = Require(H5Screate_simple(1, &size[0], nullptr), "H5Screate_simple");
  std::vector<double> values(size[0], 1.5);
  const auto move = [&](bool writes)
  {
    Require(writes ? H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values.data())
                   : H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values.data()),
      "the transfer");
  };
  move(true); // memory that is touched for the first time is another matter
  for (auto _ : state)
  {
    move(write);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(size[0]));
  H5Sclose(memory);
  H5Sclose(space);
  H5Dclose(set);
  Require(H5Fclose(file), "H5Fclose");
}

void Register(const Access& dsm, const Access& core, const std::string& folder)
{
  const std::array<std::pair<const char*, Move>, 4> moves{ { { "driver write", Write },
    { "driver read", Read }, { "driver write, a list", WriteList },
    { "driver read, a list", ReadList } } };
  for (const auto& [kind, move] : moves)
  {
    benchmark::RegisterBenchmark(kind, [&dsm, folder, move = move](benchmark::State& state)
      { Transfer(state, dsm, folder + "/driver.h5", move); })
      ->Arg(64)
      ->Arg(512)
      ->Arg(4096)
      ->Arg(65536);
  }
  for (const bool write : { true, false })
  {
    const std::string kind = write ? "write a column, " : "read a column, ";
    benchmark::RegisterBenchmark((kind + "dsm").c_str(),
      [&dsm, folder, write](benchmark::State& state)
      { Column(state, dsm, folder + "/column.h5", write); });
    benchmark::RegisterBenchmark((kind + "core").c_str(),
      [&core, folder, write](benchmark::State& state)
      { Column(state, core, folder + "/core.h5", write); });
  }
  benchmark::RegisterBenchmark("attribute and flush, dsm",
    [&dsm, folder](benchmark::State& state) { Attribute(state, dsm, folder + "/dsm.h5"); });
  benchmark::RegisterBenchmark("attribute and flush, core",
    [&core, folder](benchmark::State& state) { Attribute(state, core, folder + "/core.h5"); });
}

}

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  benchmark::Initialize(&argc, argv);
  std::string folder = (std::filesystem::temp_directory_path() / "dsm-small-XXXXXX").string();
  if (!mkdtemp(folder.data()))
  {
    std::perror("dsm_small_bench: no temporary folder");
    return 1;
  }
  dsm::ServerOptions options;
  options.ContactFile = folder + "/run.dsm";
  options.MemoryPerHost = 64 << 20;
  {
    const auto self = dsm::Communicator::Duplicate(MPI_COMM_SELF);
    dsm::LocalServer server(self, options);
    const Access dsm([&](hid_t id)
      { return H5Pset_fapl_dsm(id, MPI_COMM_SELF, MPI_INFO_NULL, options.ContactFile.c_str()); });
    const Access core([](hid_t id) { return H5Pset_fapl_core(id, 1 << 20, false); });
    Register(dsm, core, folder);
    benchmark::RunSpecifiedBenchmarks();
    benchmark::ClearRegisteredBenchmarks();
    server.Stop();
  }
  std::filesystem::remove_all(folder);
  MPI_Finalize();
  return 0;
}
