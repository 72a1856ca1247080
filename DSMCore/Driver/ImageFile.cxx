// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/ImageFile.h"

#include "Base/Deadline.h"
#include "Base/Error.h"
#include "Base/Log.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace dsm
{

ImageFile::ImageFile(const Communicator& communicator, std::shared_ptr<Connection> connection,
  const std::string& fileName, bool startFromSnapshot)
  : Ranks(Communicator::Duplicate(communicator.Handle()))
  , Image(WritableImage::Begin(this->Ranks, std::move(connection), fileName, startFromSnapshot))
{
}

void ImageFile::Read(std::uint64_t address, void* destination, std::uint64_t size)
{
  this->Image->Read(address, destination, size);
}

void ImageFile::Write(std::uint64_t address, const void* source, std::uint64_t size)
{
  try
  {
    this->Changed = this->Changed || this->Differs(address, source, size);
    this->Image->Write(address, source, size);
  }
  catch (...)
  {
    this->Failed = true;
    throw;
  }
  this->Statistics.Bytes += size;
}

// At a close HDF5 writes the superblock again, changed or not.
bool ImageFile::Differs(std::uint64_t address, const void* source, std::uint64_t size)
{
  std::array<std::byte, 256> there{};
  if (size > there.size())
  {
    return true;
  }
  this->Image->Read(address, there.data(), size);
  this->Image->Flush();
  return std::memcmp(there.data(), source, size) != 0;
}

void ImageFile::Complete()
{
  try
  {
    this->Image->Flush();
  }
  catch (...)
  {
    this->Failed = true;
    throw;
  }
}

void ImageFile::Synchronize()
{
  if (this->Ranks.Size() > 1 && MpiIsAlive())
  {
    this->Ranks.Barrier();
  }
}

// The bytes stay where they are: the end matters to the snapshot only.
void ImageFile::Truncate(std::uint64_t end, bool closing)
{
  this->Changed = this->Changed || end != this->End;
  this->End = end;
  this->Finished = this->Finished || closing;
  this->Consistent = !closing;
}

// On rank 0, at a flush: whether the file is to be shown.
bool ImageFile::IsWanted() const
{
  try
  {
    return this->Image->GetFilePolicy().OnFlush;
  }
  catch (const std::exception&)
  {
    return false; // no server any more, which H5Fclose will say
  }
}

void ImageFile::Flush()
{
  const bool whole = std::exchange(this->Consistent, false);
  if (this->Ranks.Handle() != MPI_COMM_NULL && !MpiIsAlive())
  {
    return;
  }
  if (!whole)
  {
    this->Synchronize();
    return;
  }
  // One sum is the barrier, and tells all ranks what each has to say.
  const auto told =
    this->Ranks.Sum({ this->Changed, this->Failed, this->Ranks.Rank() == 0 && this->IsWanted() });
  const bool changed = told[0] != 0;
  const bool failed = told[1] != 0;
  const bool wanted = told[2] != 0;
  if (!wanted || failed || (this->Published && !changed))
  {
    return;
  }
  const std::string skipped = this->Image->Publish(this->End, this->Statistics);
  if (skipped.empty())
  {
    this->Statistics = {};
    this->Changed = false;
    this->Published = true;
  }
  else if (!std::exchange(this->Warned, true) && this->Ranks.Rank() == 0)
  {
    Log().warn("{}", skipped);
  }
}

void ImageFile::Close(std::uint64_t end)
{
  const auto begin = Clock::now();
  const std::string& name = this->Image->FileName();
  if (this->Ranks.Handle() != MPI_COMM_NULL && !MpiIsAlive())
  {
    const std::string why = fmt::format(
      "'{}' was not closed before MPI_Finalize: its image is discarded; call H5Fclose", name);
    Log().error("{}", why);
    this->Image->Discard(why);
    return;
  }
  if (!this->Finished)
  {
    const std::string why =
      fmt::format("'{}' was given up before HDF5 had finished it: its image is discarded", name);
    // The slot goes to others at once: no rank may still be reading from it. MPI-IO's close is
    // collective as well.
    this->Ranks.Barrier();
    if (this->Ranks.Rank() == 0)
    {
      Log().warn("{}", why);
    }
    this->Image->Discard(why);
    return;
  }
  // Every rank's bytes are complete once all ranks are here; the maximum is that barrier.
  if (this->Ranks.Max(std::uint64_t{ this->Failed }) != 0)
  {
    const Error error(Fault::System,
      "{} is incomplete, for {} could not store all of it: its image is discarded instead of "
      "becoming a snapshot",
      name, this->Failed ? "this rank" : "another rank");
    this->Image->Discard(error.what());
    throw Error(error);
  }
  this->End = std::max(this->End, end);
  if (this->Published && this->Ranks.Max(std::uint64_t{ this->Changed }) == 0)
  {
    this->Image->Finish();
    return;
  }
  this->AddTime(Seconds(Clock::now() - begin).count(), false);
  this->Image->Seal(this->End, this->Statistics);
}

void ImageFile::AddTime(double seconds, bool transfer)
{
  this->Statistics.BlockedSeconds += seconds;
  if (transfer)
  {
    this->Statistics.WriteSeconds += seconds;
  }
}

}
