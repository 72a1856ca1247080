// SPDX-License-Identifier: BSD-3-Clause
#include "Files.h"

#include "Driver/ErrorStack.h"
#include "Driver/H5FDdsm.h"

#include <fmt/format.h>

#include <cstring>

namespace bench
{

namespace
{
hid_t Require(hid_t id, const char* call)
{
  if (id < 0)
  {
    throw std::runtime_error(fmt::format("{}: {}", call, dsm::errorstack::InnermostReason()));
  }
  return id;
}

hid_t RequireFile(hid_t id, const char* call)
{
  if (id < 0)
  {
    throw NotPossible(fmt::format("{}: {}", call, dsm::errorstack::InnermostReason()));
  }
  return id;
}

// What is the same for all datasets of a file: this rank's piece of them.
struct Selection
{
  hid_t File, Memory, Transfer;

  Selection(hsize_t share, int ranks, int rank, bool collective)
  {
    const hsize_t total = share * static_cast<hsize_t>(ranks);
    const hsize_t begin = share * static_cast<hsize_t>(rank);
    this->File = Require(H5Screate_simple(1, &total, nullptr), "H5Screate_simple");
    this->Memory = Require(H5Screate_simple(1, &share, nullptr), "H5Screate_simple");
    Require(H5Sselect_hyperslab(this->File, H5S_SELECT_SET, &begin, nullptr, &share, nullptr),
      "H5Sselect_hyperslab");
    this->Transfer = Require(H5Pcreate(H5P_DATASET_XFER), "H5Pcreate");
    Require(
      H5Pset_dxpl_mpio(this->Transfer, collective ? H5FD_MPIO_COLLECTIVE : H5FD_MPIO_INDEPENDENT),
      "H5Pset_dxpl_mpio");
  }
  Selection(const Selection&) = delete;
  Selection& operator=(const Selection&) = delete;
  ~Selection()
  {
    H5Pclose(this->Transfer);
    H5Sclose(this->Memory);
    H5Sclose(this->File);
  }
};
}

hid_t Access(MPI_Comm comm, const std::string& contact)
{
  const hid_t access = Require(H5Pcreate(H5P_FILE_ACCESS), "H5Pcreate");
  Require(contact.empty() ? H5Pset_fapl_mpio(access, comm, MPI_INFO_NULL)
                          : H5Pset_fapl_dsm(access, comm, MPI_INFO_NULL, contact.c_str()),
    "setting the driver");
  return access;
}

Files::Files(const Cell& cell, MPI_Comm comm)
  : Datasets(static_cast<std::size_t>(cell.Datasets))
  , Collective(cell.Collective)
  , Comm(comm)
{
  MPI_Comm_rank(comm, &this->Rank);
  MPI_Comm_size(comm, &this->Ranks);
  const auto pieces = this->Datasets * static_cast<std::size_t>(this->Ranks);
  this->Share = std::max<hsize_t>(1, cell.Size / sizeof(double) / pieces);
  this->Mine.resize(this->Share + this->Datasets);
  this->Back.resize(this->Share * this->Datasets);
}

std::uint64_t Files::Bytes() const
{
  return this->ShareBytes() * static_cast<std::uint64_t>(this->Ranks);
}

// A whole number below 2^53, so it is exact.
double Files::Value(hsize_t position, std::size_t dataset, int round) const
{
  return static_cast<double>(position + dataset) +
    static_cast<double>((UINT64_C(1) << 40) * static_cast<std::uint64_t>(round % 1000 + 1));
}

void Files::Prepare(int round)
{
  this->Round = round;
  const hsize_t begin = this->Share * static_cast<hsize_t>(this->Rank);
  for (hsize_t i = 0; i < this->Mine.size(); ++i)
  {
    this->Mine[i] = this->Value(begin + i, 0, round);
  }
}

void Files::Write(hid_t access, const std::string& name) const
{
  const hid_t file =
    RequireFile(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), "H5Fcreate");
  {
    const Selection mine(this->Share, this->Ranks, this->Rank, this->Collective);
    for (std::size_t d = 0; d < this->Datasets; ++d)
    {
      const hid_t dataset =
        Require(H5Dcreate2(file, fmt::format("d{}", d).c_str(), H5T_NATIVE_DOUBLE, mine.File,
                  H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
          "H5Dcreate2");
      Require(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, mine.Memory, mine.File, mine.Transfer,
                this->Mine.data() + d),
        "H5Dwrite");
      H5Dclose(dataset);
    }
  }
  Require(H5Fclose(file), "H5Fclose");
}

void Files::Read(hid_t access, const std::string& name)
{
  const hid_t file = RequireFile(H5Fopen(name.c_str(), H5F_ACC_RDONLY, access), "H5Fopen");
  {
    const Selection next(
      this->Share, this->Ranks, (this->Rank + 1) % this->Ranks, this->Collective);
    for (std::size_t d = 0; d < this->Datasets; ++d)
    {
      const hid_t dataset =
        Require(H5Dopen2(file, fmt::format("d{}", d).c_str(), H5P_DEFAULT), "H5Dopen2");
      Require(H5Dread(dataset, H5T_NATIVE_DOUBLE, next.Memory, next.File, next.Transfer,
                this->Back.data() + d * this->Share),
        "H5Dread");
      H5Dclose(dataset);
    }
  }
  Require(H5Fclose(file), "H5Fclose");
}

void Files::Check(const std::string& name) const
{
  const hsize_t begin = this->Share * static_cast<hsize_t>((this->Rank + 1) % this->Ranks);
  for (std::size_t d = 0; d < this->Datasets; ++d)
  {
    for (hsize_t i = 0; i < this->Share; ++i)
    {
      const double expected = this->Value(begin + i, d, this->Round);
      const double got = this->Back[d * this->Share + i];
      if (got != expected)
      {
        throw std::runtime_error(
          fmt::format("value {} of dataset d{} of {} came back as {} instead of {}", begin + i, d,
            name, got, expected));
      }
    }
  }
}

void Files::CopyTo(char* memory) const
{
  const std::size_t size = this->Share * sizeof(double);
  for (std::size_t d = 0; d < this->Datasets; ++d)
  {
    std::memcpy(memory + d * size, this->Mine.data() + d, size);
  }
}

void Files::CopyFrom(const char* memory)
{
  std::memcpy(this->Back.data(), memory, this->ShareBytes());
}

}
