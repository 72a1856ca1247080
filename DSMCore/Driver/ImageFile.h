// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Driver/MemoryFile.h"
#include "Driver/Placeholder.h"
#include "Driver/WithoutServer.h"
#include "Peer/WritableImage.h"

#include <memory>
#include <optional>

namespace dsm
{

/// A file being written: an image, from open to the snapshot that close makes of it.
///
/// What must not become a snapshot is given up instead: an image some rank failed to write to, one
/// HDF5 never finished (an H5Fcreate that failed half way), one that is still open when MPI is
/// gone.
///
/// A rank that cannot write does not say so at once where there are others: they are in the same
/// call of HDF5, perhaps, and wait for it in the next. It goes on, and all say so at close.
///
/// When the server is lost meanwhile, the ranks go on writing to the memory that they map, and at
/// close they write the file to disk themselves; unless the policy says otherwise.
class ImageFile : public MemoryFile
{
public:
  /// What a file in memory is to be.
  struct Plan
  {
    std::string Name;      ///< of the file (AbsoluteName)
    SnapshotId CopyOf = 0; ///< the number of the snapshot that it begins as; 0: an empty file
    WithoutServer IfLost = WithoutServer::Disk;
    bool HasPlaceholder = false;         ///< its name is on disk (Placeholder)
    std::shared_ptr<Placeholder> OnDisk; ///< that has it, on rank 0; null if none could
    BegunImage Begun;                    ///< that rank 0 was granted; the same on all ranks
  };

  /// Collective over `communicator`, whose handle must stay valid until this is destroyed: what is
  /// called in HDF5's callbacks has the order that HDF5's own collective calls have, as in its
  /// MPI-IO driver. `connection` matters on rank 0 only.
  ImageFile(
    const Communicator& communicator, std::shared_ptr<Connection> connection, const Plan& plan);

  void NoteObject(std::string_view object) override;
  std::uint64_t InitialEnd() const override { return this->Image->InitialSize(); }
  std::uint64_t Capacity() const override { return this->Image->Capacity(); }
  std::string AdviceForMore() const override { return this->Image->AdviceForMore(); }
  void Read(FileOffset address, void* destination, std::uint64_t size) override;
  void Write(FileOffset address, const void* source, std::uint64_t size) override;
  void ReadPieces(std::span<const GetPiece> pieces, bool together) override;
  void WritePieces(std::span<const PutPiece> pieces, bool together) override;
  const AddressMap* Mapping() const override { return &this->Image->Mapping(); }
  bool IsMapped() const override { return this->Image->IsMappedByAll(); }
  bool TakesDeviceMemory() const override { return this->Image->TakesDeviceMemory(); }
  std::optional<Way> WayTo(FileOffset address, std::uint64_t size) const override;
  void Complete() override;
  void Synchronize() override;
  void LetOthersRead() override;
  void Flush() override;
  bool IsDue(Seconds interval) override;
  void Truncate(std::uint64_t end, bool closing) override;
  void Close(std::uint64_t end, std::uint64_t userBlock) override;
  bool LeavesRanks() const override { return this->MayLeaveRanks; }
  void MarkFailed(const Error& why) override;
  void AddTime(double seconds, bool transfer) override;

private:
  bool IsWanted() const;
  void NoteFlushed() const;
  bool GoesOn(const Error& error) const;
  void NoteFailure(const std::exception& why);
  void CloseUnfinished(const std::string& what, bool warns);
  void GiveUp(const std::string& why, bool keepsFlush = false);
  void CloseWithoutServer(const Error& why);
  bool NoteLoss(const Error& why) const;
  void TellOfLoss(const Error& why, const std::string& what) const;
  void PutPlaceholder(const std::shared_ptr<Placeholder>& placeholder, SnapshotId number);
  void PutOnDisk();
  void NoteAccess();
  void TellPlaceholder(bool sealed);
  template <typename Work>
  void Store(std::uint64_t end, std::uint64_t size, const Work& work);
  bool Differs(FileOffset address, const void* source, std::uint64_t size);

  Communicator Ranks; // before Image, which keeps a reference to it
  std::unique_ptr<WritableImage> Image;
  WriteStatistics Statistics;
  std::uint64_t End = 0;
  std::uint64_t Objects = 0; ///< WriteReport::Objects
  bool Finished = false;     ///< HDF5 has said how long the file is, and closes it
  WithoutServer IfLost;
  bool HasPlaceholder;                 ///< the same on all ranks
  std::optional<bool> SeenAtFlush;     ///< as the environment says, whatever the server does
  std::shared_ptr<Placeholder> OnDisk; ///< on rank 0
  std::optional<FileMark> Left; ///< on rank 0: or an older state of the file, which has the name
  std::optional<Error> Failure; ///< why something of this rank could not be stored
  bool Unreachable = false; ///< and that was memory it had already, so that no other can be written
  bool Changed = true;      ///< this rank has changed something since the file was last shown
  bool Consistent = false;  ///< H5Fflush is under way: HDF5 has said how long the file is
  bool Published = false;   ///< a snapshot shows it: the one it began as, or some flush
  bool Warned = false;
  bool MayLeaveRanks = false;                 ///< the same on all ranks
  bool Live = false;                          ///< others may read it now
  Clock::time_point LastShown = Clock::now(); ///< or tried to
};

}
