// SPDX-License-Identifier: BSD-3-Clause
#include "Tools/Perf/PosixFiles.h"

#include "Base/Error.h"
#include "Mpi/Communicator.h"

#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

namespace dsm::perf
{

namespace
{
int Opened(const std::string& file, int how)
{
  const int number = open(file.c_str(), how | O_CLOEXEC, 0666);
  if (number < 0)
  {
    throw Error(Fault::System, "open(\"{}\"): {}", file, SystemText(errno));
  }
  return number;
}

// As often as it takes: one call may move less than it was asked for.
template <typename Call, typename Byte>
void Whole(const char* name, const Call& call, int file, Byte* bytes, std::uint64_t size,
  std::uint64_t offset)
{
  while (size > 0)
  {
    const ssize_t done = call(file, bytes, size, static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR)
    {
      continue;
    }
    if (done <= 0)
    {
      throw Error(
        Fault::System, "{}: {}", name, done < 0 ? SystemText(errno) : "the file ends too early");
    }
    bytes += done;
    size -= static_cast<std::uint64_t>(done);
    offset += static_cast<std::uint64_t>(done);
  }
}
}

PosixFiles::PosixFiles(const AccessPlan& plan)
  : Plan(plan)
{
}

void PosixFiles::Create(const std::string& file)
{
  int rank = 0;
  CheckMpi(MPI_Comm_rank(this->Plan.Team, &rank), "MPI_Comm_rank");
  if (rank == 0)
  {
    this->File = std::make_unique<FileDescriptor>(Opened(file, O_CREAT | O_TRUNC | O_RDWR));
  }
  CheckMpi(MPI_Barrier(this->Plan.Team), "MPI_Barrier");
  if (rank != 0)
  {
    this->File = std::make_unique<FileDescriptor>(Opened(file, O_RDWR));
  }
}

void PosixFiles::OpenToRead(const std::string& file)
{
  this->File = std::make_unique<FileDescriptor>(Opened(file, O_RDONLY));
}

void PosixFiles::BeginDataset(int number)
{
  this->Dataset = static_cast<std::uint64_t>(number) * this->Plan.DatasetSize;
}

void PosixFiles::Write(const Blocks& blocks, const std::byte* bytes)
{
  for (std::uint64_t block = 0; block < blocks.Count; ++block)
  {
    Whole("pwrite", pwrite, this->File->Get(), bytes + block * blocks.Size, blocks.Size,
      this->Dataset + blocks.BeginOf(block));
  }
}

void PosixFiles::Read(const Blocks& blocks, std::byte* bytes)
{
  for (std::uint64_t block = 0; block < blocks.Count; ++block)
  {
    Whole("pread", pread, this->File->Get(), bytes + block * blocks.Size, blocks.Size,
      this->Dataset + blocks.BeginOf(block));
  }
}

void PosixFiles::Close()
{
  this->File.reset();
}

}
