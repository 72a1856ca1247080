// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/ImageFile.h"

#include "Base/Deadline.h"
#include "Base/Error.h"
#include "Base/Log.h"
#include "Base/TestDelay.h"
#include "Driver/FoldersWithoutNames.h"
#include "Driver/NotYetOnDisk.h"
#include "Mpi/CollectiveWait.h"
#include "Mpi/SpareCommunicators.h"
#include "Peer/Connections.h"
#include "Peer/SaveImage.h"
#include "Protocol/SnapshotMessages.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <utility>

namespace dsm
{

ImageFile::ImageFile(
  const Communicator& communicator, std::shared_ptr<Connection> connection, const Plan& plan)
  : Ranks(Communicator::Borrow(communicator))
  , Image(WritableImage::Begin(this->Ranks, std::move(connection), plan.Name, plan.Begun))
  , End(this->Image->InitialSize())
  , IfLost(plan.IfLost)
  , HasPlaceholder(plan.HasPlaceholder)
  , SeenAtFlush(this->Ranks.Rank() == 0 ? PublishFromEnvironment() : std::nullopt)
  , Changed(plan.CopyOf == 0)
  , Published(plan.CopyOf != 0)
{
  if (this->IfLost != WithoutServer::Fail)
  {
    this->Image->GoOnWithoutServer();
  }
  if (plan.OnDisk)
  {
    this->PutPlaceholder(plan.OnDisk, plan.CopyOf);
  }
  if (!this->OnDisk && !this->Left && this->Ranks.Rank() == 0)
  {
    this->Image->NoteAccess(FileAccess::OfNewFiles());
  }
}

// Without it the file is as good: who looks for its name does not find it on disk. What the server
// has put there under that name stays until the file is on disk again.
void ImageFile::PutPlaceholder(const std::shared_ptr<Placeholder>& placeholder, SnapshotId number)
{
  const auto& server = this->Image->GetConnection();
  const auto stays = [&](const FileMark& there) -> SnapshotId
  {
    if (!server->GetFilePolicy().MayBeOnDisk)
    {
      return 0;
    }
    const auto found = server->Request(FindOnDisk{ this->Image->FileName(), there });
    return number != 0 || found.Stays ? found.Snapshot : SnapshotId(0);
  };
  try
  {
    PlaceholderAddress address{ server->ContactPath(), server->GetContact().ServerPublicKey,
      number };
    if (number == 0)
    {
      address.Image = this->Image->ImageNumber();
    }
    placeholder->Put(address, stays);
    this->Image->NoteName({ true, placeholder->Before(), placeholder->Access() });
    this->Left = placeholder->Left();
    if (!this->Left)
    {
      this->OnDisk = placeholder;
    }
  }
  catch (const std::exception& error)
  {
    if (FoldersWithoutNames::Add(this->Image->FileName()))
    {
      Log().warn("{}\ndsm warning: {} is in memory all the same, and its name is not on disk: what "
                 "is behind dsm-run finds it by asking the server",
        error.what(), this->Image->FileName());
    }
  }
}

// A program may allow others more or less while it writes.
void ImageFile::NoteAccess()
{
  if (this->OnDisk)
  {
    this->Image->NoteAccess(this->OnDisk->Access());
  }
}

// What a flush has shown shares its bytes, which may move; and what is on disk only the server
// knows.
void ImageFile::TellPlaceholder(bool sealed)
{
  if (this->Image->SnapshotNumber() == 0)
  {
    if (this->OnDisk && this->Image->IsUnnumbered())
    {
      this->OnDisk->Leave(); // it is found by its name
    }
    else if (this->OnDisk && sealed)
    {
      testdelay::At("closing without a snapshot");
      this->OnDisk->TellNotKept();
    }
    return;
  }
  const auto& server = this->Image->GetConnection();
  if ((this->OnDisk || this->Left) && server->GetFilePolicy().MayBeOnDisk)
  {
    NotYetOnDisk::Add(server->ContactPath(), this->Image->FileName(), this->Left);
  }
  if (!this->OnDisk)
  {
    return;
  }
  try
  {
    this->OnDisk->Tell(this->Image->SnapshotNumber(), this->End,
      sealed && !this->Image->Mapping().ReachesDisk() ? std::optional(this->Image->Place(this->End))
                                                      : std::nullopt);
  }
  catch (const std::exception& error)
  {
    Log().warn("{}\ndsm warning: that {} is snapshot {} is not said there", error.what(),
      this->Image->FileName(), this->Image->SnapshotNumber());
  }
}

void ImageFile::NoteObject(std::string_view object)
{
  // FNV-1a, which has no other values on other ranks' machines.
  constexpr std::uint64_t prime = 0x100000001b3;
  for (const char letter : object)
  {
    this->Objects = (this->Objects ^ static_cast<unsigned char>(letter)) * prime;
  }
  this->Objects = (this->Objects ^ 0xff) * prime;
}

void ImageFile::Read(FileOffset address, void* destination, std::uint64_t size)
{
  if (this->Unreachable && this->Failure)
  {
    throw Error(*this->Failure); // at once: each attempt may take as long as the first
  }
  this->Image->Read(address, destination, size);
}

void ImageFile::ReadPieces(std::span<const GetPiece> pieces, bool together)
{
  if (this->Unreachable && this->Failure)
  {
    throw Error(*this->Failure);
  }
  this->Image->ReadPieces(pieces, together);
}

// `work` writes so many bytes, which end at that address at most.
template <typename Work>
void ImageFile::Store(std::uint64_t end, std::uint64_t size, const Work& work)
{
  const bool held = this->Image->Holds(end);
  // What failed once is not tried again: it may have waited. Where there was no more room, what
  // needs none is still stored, so that HDF5 finds the metadata that it reads again.
  if (this->Failure && (this->Unreachable || !held))
  {
    this->NoteFailure(*this->Failure);
    return;
  }
  try
  {
    work();
    this->Statistics.Bytes += size;
  }
  catch (const std::exception& error)
  {
    this->Unreachable = this->Unreachable || held;
    this->NoteFailure(error);
  }
}

void ImageFile::Write(FileOffset address, const void* source, std::uint64_t size)
{
  this->Store(address + size, size,
    [&]
    {
      this->Changed = this->Changed || this->Differs(address, source, size);
      this->Image->Write(address, source, size);
    });
}

void ImageFile::WritePieces(std::span<const PutPiece> pieces, bool together)
{
  std::uint64_t end = 0;
  std::uint64_t size = 0;
  for (const PutPiece& piece : pieces)
  {
    end = std::max(end, piece.Place + piece.Size);
    size += piece.Size;
  }
  this->Store(end, size,
    [&]
    {
      this->Changed = this->Changed ||
        std::any_of(pieces.begin(), pieces.end(), [this](const PutPiece& piece)
          { return this->Differs(piece.Address(), piece.Memory, piece.Size); });
      this->Image->WritePieces(pieces, together);
    });
}

// With others, this rank goes on, and all say so at close: see the class. A rank that is alone says
// so at once.
void ImageFile::NoteFailure(const std::exception& why)
{
  const bool first = !this->Failure;
  if (first)
  {
    this->Failure = Error::From(why);
    this->Image->ForgetFlush(); // what follows refers to what is missing
  }
  if (this->Ranks.Size() == 1)
  {
    throw Error(*this->Failure);
  }
  if (first)
  {
    Log().warn("{}\ndsm warning: rank {} cannot store all of {}, which is incomplete now: its "
               "H5Fclose will fail",
      why.what(), this->Ranks.Rank(), this->Image->FileName());
  }
}

void ImageFile::MarkFailed(const Error& why)
{
  if (!this->Failure)
  {
    this->Failure = why;
  }
}

// At a close HDF5 writes the superblock again, changed or not.
bool ImageFile::Differs(FileOffset address, const void* source, std::uint64_t size)
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

std::optional<Way> ImageFile::WayTo(FileOffset address, std::uint64_t size) const
{
  return address < this->Image->Mapping().Capacity()
    ? std::optional(this->Image->WayTo(address, size))
    : std::nullopt;
}

void ImageFile::Complete()
{
  if (this->Unreachable && this->Failure)
  {
    this->NoteFailure(*this->Failure);
    return;
  }
  try
  {
    this->Image->Flush();
  }
  catch (const std::exception& error)
  {
    this->Unreachable = true;
    this->NoteFailure(error);
  }
}

void ImageFile::Synchronize()
{
  if (this->Ranks.Size() > 1 && MpiIsAlive())
  {
    const CollectiveWait::Purpose purpose("flushing " + this->Image->FileName());
    this->Ranks.Barrier();
  }
}

void ImageFile::LetOthersRead()
{
  if (!this->OnDisk || std::exchange(this->Live, true))
  {
    return;
  }
  try
  {
    this->OnDisk->TellLive(this->Image->Place(this->End));
  }
  catch (const std::exception& error)
  {
    Log().warn(
      "{}\ndsm warning: {} is not read while it is written", error.what(), this->Image->FileName());
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
  const auto& server = this->Image->GetConnection();
  // Where there is no server any more, H5Fclose will say so.
  return this->SeenAtFlush.value_or(server->PublishesOnFlush()) &&
    (this->IfLost == WithoutServer::Fail || server->Alive());
}

// On rank 0, at a flush that is not shown: the file survives its writer as it is now. A server that
// does not answer keeps nothing, and the file is written from here when it is closed.
void ImageFile::NoteFlushed() const
{
  if (this->Failure)
  {
    return;
  }
  try
  {
    this->Image->NoteFlushed(this->End);
  }
  catch (const Error& error)
  {
    Log().debug("the flush of {} is not noted: {}", this->Image->FileName(), error.what());
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
  if (this->Ranks.Size() == 1 && !this->IsWanted())
  {
    this->NoteFlushed();
    return; // most flushes of most programs, which may be many
  }
  const CollectiveWait::Purpose purpose("flushing " + this->Image->FileName());
  // One sum is the barrier, and tells all ranks what each has to say.
  const auto told = this->Ranks.Sum(
    { this->Changed, this->Failure.has_value(), this->Ranks.Rank() == 0 && this->IsWanted() });
  const bool changed = told[0] != 0;
  const bool failed = told[1] != 0;
  const bool wanted = told[2] != 0;
  if (!wanted && !failed)
  {
    this->NoteFlushed();
  }
  if (!wanted || failed || (this->Published && !changed))
  {
    return;
  }
  this->LastShown = Clock::now();
  this->NoteAccess();
  std::string skipped;
  try
  {
    // Whoever returns from H5Fflush or H5Fclose finds the snapshot by the file's name.
    skipped =
      this->Image->Publish(this->End, this->Statistics, [this] { this->TellPlaceholder(false); });
  }
  catch (const Error& error)
  {
    if (!this->GoesOn(error))
    {
      throw;
    }
    this->NoteLoss(error); // the user is told when it is known what became of the file
    return;
  }
  if (skipped.empty())
  {
    this->Statistics = {};
    this->Changed = false;
    this->Published = true;
    return;
  }
  this->NoteFlushed();
  if (!std::exchange(this->Warned, true) && this->Ranks.Rank() == 0)
  {
    Log().warn("{}", skipped);
  }
}

// Rank 0's clock counts.
bool ImageFile::IsDue(Seconds interval)
{
  std::uint8_t due = Clock::now() - this->LastShown >= interval ? 1 : 0;
  if (this->Ranks.Size() > 1)
  {
    const CollectiveWait::Purpose purpose(
      "asking whether it is time to show " + this->Image->FileName());
    this->Ranks.Broadcast(&due, sizeof due);
  }
  return due != 0;
}

void ImageFile::Close(std::uint64_t end, std::uint64_t userBlock)
{
  const auto begin = Clock::now();
  const std::string& name = this->Image->FileName();
  const CollectiveWait::Purpose purpose("closing " + name);
  if (this->Ranks.Handle() != MPI_COMM_NULL && !MpiIsAlive())
  {
    this->CloseUnfinished("was not closed before MPI_Finalize", true);
    return;
  }
  // Every rank's bytes are complete once all ranks are here.
  this->AddTime(Seconds(Clock::now() - begin).count(), false);
  WriteReport all;
  try
  {
    // HDF5 may have failed on one rank alone. All ranks hear of it here, in the call that they make
    // in any case.
    all = this->Image->Complete({ .Statistics = this->Statistics,
                                  .Changed = this->Changed,
                                  .Finished = this->Finished,
                                  .Objects = this->Objects,
                                  .KeepsRanks = SpareCommunicators::MayKeep(this->Ranks) },
      [&]
      {
        if (this->Failure)
        {
          throw Error(*this->Failure);
        }
      });
  }
  catch (const Error& error)
  {
    const Error incomplete(error.GetFault(),
      "{} is incomplete, and its image is discarded instead of becoming a snapshot: {}", name,
      error.what());
    this->GiveUp(incomplete.what());
    throw Error(incomplete);
  }
  if (all.ObjectsDiffer && all.Finished)
  {
    const Error different(Fault::Usage,
      "the ranks have created different objects in {}, so HDF5 has made a damaged file of it, "
      "which is discarded: all ranks of a file must create the same groups, datasets, attributes "
      "and types, "
      "in the same order",
      name);
    this->GiveUp(different.what());
    throw Error(different);
  }
  if (!all.Finished)
  {
    // The slot goes to others at once. No rank reads from it any more: all ranks have come here.
    // A file that HDF5 has only looked at loses nothing.
    this->CloseUnfinished("was given up before HDF5 had finished it",
      this->Ranks.Rank() == 0 && (all.Changed || !this->Published));
    return;
  }
  this->End = std::max(this->End, end);
  this->NoteAccess();
  if (userBlock > 0 && this->HasPlaceholder)
  {
    this->PutOnDisk();
  }
  try
  {
    if (this->Published && !all.Changed)
    {
      this->Image->Finish(all);
    }
    else
    {
      this->Image->SealCompleted(this->End, all, [this] { this->TellPlaceholder(true); });
    }
    this->MayLeaveRanks = all.KeepsRanks;
  }
  catch (const Error& error)
  {
    if (!this->GoesOn(error))
    {
      throw;
    }
    this->CloseWithoutServer(error);
  }
}

// Programs write a user block without HDF5, behind the close (MATLAB 7.3). In a placeholder they
// would destroy the address of the file.
void ImageFile::PutOnDisk()
{
  static std::atomic<bool> told = false;
  const std::string& name = this->Image->FileName();
  try
  {
    SaveImage(this->Ranks, *this->Image, this->End, BytesFrom::Hosts);
    this->OnDisk.reset();
    this->Left.reset();
    this->Image->NoteWhole();
    if (this->Ranks.Rank() == 0 && !told.exchange(true))
    {
      Log().warn("{} has a user block, which programs write without HDF5: the file is on disk as "
                 "well as in memory, and programs find it on disk from now on",
        name);
    }
  }
  catch (const Error& error)
  {
    if (this->Ranks.Rank() == 0)
    {
      Log().warn("{} has a user block and is in memory only: {}. Do not write into the user block "
                 "without HDF5",
        name, error.what());
    }
  }
}

// The server keeps the flushed state, as a disk would.
void ImageFile::CloseUnfinished(const std::string& what, bool warns)
{
  const bool keeps = this->Image->HasFlush();
  const std::string why = fmt::format("'{}' {}: its image is {}", this->Image->FileName(), what,
    keeps ? "kept as H5Fflush left it" : "discarded");
  if (warns)
  {
    Log().warn("{}; call H5Fclose", why);
  }
  if (keeps && this->OnDisk)
  {
    this->OnDisk->Leave();
  }
  this->GiveUp(why, true);
}

// The name shows what it showed before, at first: if that has left the memory meanwhile, the server
// says so there when it hears of the end.
void ImageFile::GiveUp(const std::string& why, bool keepsFlush)
{
  this->OnDisk.reset();
  this->Image->Discard(why, keepsFlush);
}

// The file has no server any more, on all ranks.
void ImageFile::CloseWithoutServer(const Error& why)
{
  const std::string& name = this->Image->FileName();
  if (this->IfLost == WithoutServer::Discard)
  {
    this->TellOfLoss(why, name + " is discarded");
    this->Image->Discard(why.what());
    return;
  }
  try
  {
    SaveImage(this->Ranks, *this->Image, this->End, BytesFrom::OwnMemory);
  }
  catch (const Error& error)
  {
    this->TellOfLoss(why, fmt::format("{} is lost: {}", name, error.what()));
    this->Image->Discard(why.what());
    throw Error(error.GetFault(), "{} is lost: {}. The server of its memory did not answer: {}",
      name, error.what(), why.what());
  }
  this->TellOfLoss(why, name + " was in its memory, and was written to disk from there, whole");
  this->Image->Discard("its writer has written it to disk");
}

// On rank 0: from now on the server is searched for, and no file waits for it. False when another
// one has come into its place already.
bool ImageFile::NoteLoss(const Error& why) const
{
  if (this->Ranks.Rank() > 0)
  {
    return false;
  }
  const auto& lost = this->Image->GetConnection();
  if (const auto now = connections::Find(lost->ContactPath()); now && now != lost)
  {
    return false;
  }
  connections::Search(lost->ContactPath(), lost->ThisProcess(), why);
  return true;
}

void ImageFile::TellOfLoss(const Error& why, const std::string& what) const
{
  const bool searched = this->NoteLoss(why);
  if (this->Ranks.Rank() > 0)
  {
    return;
  }
  const char* const others = !searched ? ""
    : this->IfLost == WithoutServer::Disk
    ? "; the files after it go to disk until the server is there"
    : this->IfLost == WithoutServer::Wait ? "; the next file waits for the server"
                                          : "; so are the files after it until the server is there";
  const std::string& contact = this->Image->GetConnection()->ContactPath();
  connections::TakeUntold(contact);
  Log().warn("{}\ndsm warning: {}{} (DSM_WITHOUT_SERVER={})", why.what(), what, others,
    WithoutServerText(this->IfLost));
  NotYetOnDisk::Warn(contact);
}

// Whether the program is to go on, after something that went wrong on all ranks.
bool ImageFile::GoesOn(const Error& error) const
{
  return this->IfLost != WithoutServer::Fail && MeansNoServer(error);
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
