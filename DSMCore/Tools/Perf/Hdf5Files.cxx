// SPDX-License-Identifier: BSD-3-Clause
#include "Tools/Perf/Hdf5Files.h"

#include "Base/Error.h"
#include "Driver/ErrorStack.h"
#include "Driver/H5FDdsm.h"

#include <array>
#include <string>

namespace dsm::perf
{

namespace
{
template <typename Result>
Result Require(Result result, const char* call)
{
  if (result < 0)
  {
    throw Error(Fault::System, "{}: {}", call, errorstack::InnermostReason());
  }
  return result;
}

void Release(hid_t& id)
{
  if (id >= 0)
  {
    H5Idec_ref(id);
    id = H5I_INVALID_HID;
  }
}
}

Hdf5Files::Hdf5Files(const AccessPlan& plan, Driver driver)
  : Plan(plan)
{
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  this->Access = Require(H5Pcreate(H5P_FILE_ACCESS), "H5Pcreate");
  if (driver == Driver::Dsm)
  {
    Require(H5Pset_fapl_dsm(this->Access, plan.Team, MPI_INFO_NULL,
              plan.Contact.empty() ? nullptr : plan.Contact.c_str()),
      "H5Pset_fapl_dsm");
  }
  else
  {
    Require(H5Pset_fapl_mpio(this->Access, plan.Team, MPI_INFO_NULL), "H5Pset_fapl_mpio");
  }
  this->Transfer = Require(H5Pcreate(H5P_DATASET_XFER), "H5Pcreate");
  if (plan.Collective)
  {
    Require(H5Pset_dxpl_mpio(this->Transfer, H5FD_MPIO_COLLECTIVE), "H5Pset_dxpl_mpio");
  }
}

Hdf5Files::~Hdf5Files()
{
  // Files that are open here belong to a measurement that failed; HDF5 ends them with the program.
  for (hid_t* id : { &this->Memory, &this->Space, &this->Transfer, &this->Access })
  {
    Release(*id);
  }
}

void Hdf5Files::Create(const std::string& file)
{
  this->Writing = true;
  this->File =
    Require(H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, this->Access), "H5Fcreate");
}

void Hdf5Files::OpenToRead(const std::string& file)
{
  this->Writing = false;
  this->File = Require(H5Fopen(file.c_str(), H5F_ACC_RDONLY, this->Access), "H5Fopen");
}

void Hdf5Files::BeginDataset(int number)
{
  const std::string name = fmt::format("dataset {}", number);
  if (!this->Writing)
  {
    this->Dataset = Require(H5Dopen2(this->File, name.c_str(), H5P_DEFAULT), "H5Dopen");
    this->Space = Require(H5Dget_space(this->Dataset), "H5Dget_space");
    return;
  }
  const std::array<hsize_t, 1> size{ this->Plan.DatasetSize };
  this->Space = Require(H5Screate_simple(1, size.data(), nullptr), "H5Screate_simple");
  hid_t creation = Require(H5Pcreate(H5P_DATASET_CREATE), "H5Pcreate");
  // Every byte is written: nothing is to be filled before.
  Require(H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER), "H5Pset_fill_time");
  if (this->Plan.ChunkSize > 0)
  {
    const std::array<hsize_t, 1> chunk{ this->Plan.ChunkSize };
    Require(H5Pset_chunk(creation, 1, chunk.data()), "H5Pset_chunk");
  }
  this->Dataset = H5Dcreate2(
    this->File, name.c_str(), H5T_NATIVE_UINT8, this->Space, H5P_DEFAULT, creation, H5P_DEFAULT);
  Release(creation);
  Require(this->Dataset, "H5Dcreate");
}

// Selects the blocks in the dataset; returns the selection in memory.
hid_t Hdf5Files::Select(const Blocks& blocks)
{
  const hsize_t begin = blocks.Begin;
  const hsize_t stride = blocks.Stride;
  const hsize_t count = blocks.Count;
  const hsize_t size = blocks.Size;
  Require(H5Sselect_hyperslab(this->Space, H5S_SELECT_SET, &begin, &stride, &count, &size),
    "H5Sselect_hyperslab");
  const hsize_t bytes = blocks.Bytes();
  if (this->MemorySize != bytes)
  {
    Release(this->Memory);
    this->Memory = Require(H5Screate_simple(1, &bytes, nullptr), "H5Screate_simple");
    this->MemorySize = bytes;
  }
  return this->Memory;
}

void Hdf5Files::Write(const Blocks& blocks, const std::byte* bytes)
{
  const hid_t memory = this->Select(blocks);
  Require(H5Dwrite(this->Dataset, H5T_NATIVE_UINT8, memory, this->Space, this->Transfer, bytes),
    "H5Dwrite");
}

void Hdf5Files::Read(const Blocks& blocks, std::byte* bytes)
{
  const hid_t memory = this->Select(blocks);
  Require(H5Dread(this->Dataset, H5T_NATIVE_UINT8, memory, this->Space, this->Transfer, bytes),
    "H5Dread");
}

void Hdf5Files::EndDataset()
{
  Release(this->Space);
  Require(H5Dclose(this->Dataset), "H5Dclose");
}

void Hdf5Files::Close()
{
  Require(H5Fclose(this->File), "H5Fclose");
}

}
