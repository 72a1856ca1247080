// SPDX-License-Identifier: BSD-3-Clause
#include "Tools/Perf/MpiIoFiles.h"

#include "Base/Error.h"
#include "Mpi/Communicator.h"

#include <limits>

namespace dsm::perf
{

namespace
{
int Count(std::uint64_t number)
{
  if (number > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
  {
    throw Error(Fault::Usage, "MPI-IO moves at most 2 GiB in a call: make transfers smaller (-X)");
  }
  return static_cast<int>(number);
}
}

MpiIoFiles::MpiIoFiles(const AccessPlan& plan)
  : Plan(plan)
{
}

MpiIoFiles::~MpiIoFiles()
{
  this->Forget();
}

void MpiIoFiles::Forget()
{
  if (this->Type != MPI_DATATYPE_NULL)
  {
    MPI_Type_free(&this->Type);
  }
}

void MpiIoFiles::Open(const std::string& file, int how)
{
  CheckMpi(
    MPI_File_open(this->Plan.Team, file.c_str(), how, MPI_INFO_NULL, &this->File), "MPI_File_open");
}

void MpiIoFiles::Create(const std::string& file)
{
  this->Open(file, MPI_MODE_CREATE | MPI_MODE_RDWR);
  CheckMpi(MPI_File_set_size(this->File, 0), "MPI_File_set_size");
}

void MpiIoFiles::OpenToRead(const std::string& file)
{
  this->Open(file, MPI_MODE_RDONLY);
}

void MpiIoFiles::BeginDataset(int number)
{
  this->Dataset = static_cast<std::uint64_t>(number) * this->Plan.DatasetSize;
}

MPI_Offset MpiIoFiles::Offset(std::uint64_t inDataset) const
{
  const std::uint64_t inFile = this->Dataset + inDataset;
  return static_cast<MPI_Offset>(inFile);
}

// Points the file's view at the blocks.
void MpiIoFiles::See(const Blocks& blocks)
{
  if (this->Type == MPI_DATATYPE_NULL || this->Seen.Size != blocks.Size ||
    this->Seen.Count != blocks.Count || this->Seen.Stride != blocks.Stride)
  {
    this->Forget();
    CheckMpi(MPI_Type_create_hvector(Count(blocks.Count), Count(blocks.Size),
               static_cast<MPI_Aint>(blocks.Stride), MPI_BYTE, &this->Type),
      "MPI_Type_create_hvector");
    CheckMpi(MPI_Type_commit(&this->Type), "MPI_Type_commit");
    this->Seen = blocks;
  }
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): older MPI libraries take it so
  char* const representation = const_cast<char*>("native");
  CheckMpi(MPI_File_set_view(this->File, this->Offset(blocks.Begin), MPI_BYTE, this->Type,
             representation, MPI_INFO_NULL),
    "MPI_File_set_view");
}

// A view is set by all processes together, so what need not be collective has one only where it is
// a single block.
void MpiIoFiles::Write(const Blocks& blocks, const std::byte* bytes)
{
  const int size = Count(blocks.Bytes());
  if (this->Plan.Collective)
  {
    this->See(blocks);
    CheckMpi(MPI_File_write_all(this->File, bytes, size, MPI_BYTE, MPI_STATUS_IGNORE),
      "MPI_File_write_all");
    return;
  }
  for (std::uint64_t block = 0; block < blocks.Count; ++block)
  {
    CheckMpi(MPI_File_write_at(this->File, this->Offset(blocks.BeginOf(block)),
               bytes + block * blocks.Size, Count(blocks.Size), MPI_BYTE, MPI_STATUS_IGNORE),
      "MPI_File_write_at");
  }
}

void MpiIoFiles::Read(const Blocks& blocks, std::byte* bytes)
{
  const int size = Count(blocks.Bytes());
  if (this->Plan.Collective)
  {
    this->See(blocks);
    CheckMpi(
      MPI_File_read_all(this->File, bytes, size, MPI_BYTE, MPI_STATUS_IGNORE), "MPI_File_read_all");
    return;
  }
  for (std::uint64_t block = 0; block < blocks.Count; ++block)
  {
    CheckMpi(MPI_File_read_at(this->File, this->Offset(blocks.BeginOf(block)),
               bytes + block * blocks.Size, Count(blocks.Size), MPI_BYTE, MPI_STATUS_IGNORE),
      "MPI_File_read_at");
  }
}

void MpiIoFiles::Close()
{
  CheckMpi(MPI_File_close(&this->File), "MPI_File_close");
}

}
