// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mapping/AddressMap.h"
#include "Mpi/Communicator.h"
#include "Peer/Connection.h"
#include "Peer/ImageClaim.h"
#include "Peer/ImageConnection.h"
#include "Peer/ImageGrant.h"
#include "Peer/ImageSlot.h"
#include "Peer/JobConnection.h"
#include "Peer/SharedPages.h"
#include "Peer/StaleSlot.h"
#include "Peer/WriteReport.h"
#include "Protocol/ImageMessages.h"
#include "Transport/HostPieces.h"
#include "Transport/Way.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace dsm
{

/// What rank 0 tells the others of an image that begins.
struct BegunImage
{
  ImageGranted Granted;
  JobConnection Server;
};

void Describe(Fields&, BegunImage&);

/// An image being written by the ranks of one communicator, from Begin to Seal.
///
/// Write and Read are local and one-sided. A rank that needs more room than was granted gets it by
/// itself (ImageGrant), as it has bytes kept that snapshots share (SharedPages). Begin and Seal are
/// collective: rank 0 alone communicates with the server (ImageSeal), and all ranks get the reply,
/// so they fail together with the same text. An image that is not sealed is discarded by its
/// destructor, which is not collective (ImageClaim). Not thread safe.
class WritableImage
{
public:
  /// Collective. Asks for a slot and waits for one as the server's policy says.
  ///
  /// `connection` matters on rank 0 only; the others receive what they need. The communicator must
  /// outlive the image. `fileName` is the name in the snapshot table (AbsoluteName). With
  /// `copyOf` the image begins as the snapshot of that number: in its place where the server says
  /// so (ImageManager::Begin), else as a copy, made by all ranks together. Throws Error(RingFull)
  /// when no room came within the policy's limit, Error(NoServer) and Error(PeerLost) as the
  /// channel does, Error(Refused) when there is no such snapshot.
  static std::unique_ptr<WritableImage> Begin(const Communicator& communicator,
    std::shared_ptr<Connection> connection, const std::string& fileName, SnapshotId copyOf = 0);

  /// The first part of Begin, on rank 0 alone: asks for the slot. What it returns all ranks must be
  /// told, and call the other Begin with. Sets the request's `Clears`. Throws Error(Usage) if the
  /// request locks the file and another image has it.
  static BegunImage Ask(const std::shared_ptr<Connection>& connection, BeginImage request);

  /// Collective: the rest of Begin, one call of MPI where no rank has to join the hosts. Throws as
  /// that does.
  static std::unique_ptr<WritableImage> Begin(const Communicator& communicator,
    std::shared_ptr<Connection> connection, const std::string& fileName, const BegunImage& begun);

  ~WritableImage() = default;
  WritableImage(const WritableImage&) = delete;
  WritableImage& operator=(const WritableImage&) = delete;

  /// From now on the image goes on without its server, if that is lost, where its memory is mapped:
  /// it grows by itself then.
  void GoOnWithoutServer() { this->Server.AllowLoss(); }

  /// Copies bytes into the image. Complete at the hosts only after Flush. When the image outgrows
  /// what it was granted, this rank asks for more; throws Error(RingFull) if there is
  /// none within the limit, Error(PeerLost) when the server is known to be gone, or has given this
  /// image up and its memory away.
  void Write(FileOffset address, const void* source, std::uint64_t size);

  /// Copies bytes out of the image, which are there after Flush. What nobody wrote reads as zero.
  void Read(FileOffset address, void* destination, std::uint64_t size);

  /// \name The same of pieces at their addresses
  /// Where this rank maps a host's memory, each is copied at once. Elsewhere each is a transfer of
  /// its own, unless `together`: then a host's pieces are as few operations as the transport needs
  /// (Transport::PutPieces).
  ///@{
  void WritePieces(std::span<const PutPiece> pieces, bool together);
  void ReadPieces(std::span<const GetPiece> pieces, bool together);
  ///@}

  /// How the file's bytes are spread over the hosts.
  const AddressMap& Mapping() const { return this->Grant.Map(); }

  /// True when all ranks reach all of the image's memory without its hosts. The same on all ranks.
  bool IsMappedByAll() const { return this->AllMap; }

  /// Returns true if the bytes may come from and go to a GPU's memory (DeviceBuffers).
  bool TakesDeviceMemory() const { return this->Slot.GetRoute()->TakesDeviceMemory(); }

  /// Completes this rank's writes and reads, at the hosts and here.
  void Flush() { this->Slot.Flush(); }

  /// Size of the file that the image began as; 0 for a new one.
  std::uint64_t InitialSize() const { return this->StartSize; }

  /// The largest size that the file could have, as known when the image began. The same on all
  /// ranks, also after some of them have followed it to disk.
  std::uint64_t Capacity() const { return this->Grant.Capacity(); }

  /// Returns what the user can do to write a larger file, as the end of an error message.
  std::string AdviceForMore() const { return this->Grant.AdviceForMore(); }

  const std::string& FileName() const { return this->Slot.FileName(); }

  /// What carries its bytes, for people: "shared-memory", "fabric/tcp".
  std::string TransportName() const;

  /// How bytes from an address on are reached: as many as follow one another there, of `size`.
  Way WayTo(FileOffset address, std::uint64_t size) const;

  /// On rank 0: its number at the server.
  ImageId ImageNumber() const { return this->Image.Image; }

  /// On rank 0: the number of the last snapshot that was made of it; 0 before there is one, and
  /// where the server did not keep it.
  SnapshotId SnapshotNumber() const { return this->Number; }

  /// On rank 0, behind Seal: the server has a snapshot whose number it could not tell.
  bool IsUnnumbered() const { return this->Unnumbered; }

  /// On rank 0, behind Seal: where a file of that many bytes is.
  SlotAddress Place(std::uint64_t fileSize) const;

  /// Whether this rank may write up to an address without asking for more.
  bool Holds(std::uint64_t end) const { return this->Grant.Holds(end); }

  /// Bytes of the image that follow one another in this rank's address space.
  struct Span
  {
    const std::byte* Data = nullptr; ///< null: this rank's process does not map that memory
    std::uint64_t Size = 0;
  };
  Span InPlace(FileOffset address) const;

  /// True when this rank reaches all of the image's memory without its hosts.
  bool IsMapped() const { return this->Slot.IsMapped(); }

  /// Throws Error(PeerLost) when the server has given the image up, and its memory away. Behind
  /// what was read in place.
  void RequireKept() const { this->Slot.RequireKept(); }

  /// On rank 0, the server's connection.
  const std::shared_ptr<Connection>& GetConnection() const { return this->Server.Get(); }

  /// Collective, in one call of MPI. When it returns, the bytes of every rank that has finished the
  /// file are at the hosts. If `check` throws on any such rank, all ranks throw the same
  /// AgreedError. `mine` is what this rank reports, without Reach and the bytes per host. Returns
  /// what all ranks report together.
  WriteReport Complete(WriteReport mine, const std::function<void()>& check = {});

  /// Collective, in one call of MPI. Makes the image a snapshot of `fileSize` bytes. Returns the
  /// snapshot's number; 0 when the server did not keep it (FullRing::DropNewest), or has it though
  /// its answer was lost. When it throws, the image is none and will not become one: also a server
  /// that was only stopped and goes on later knows.
  /// Rank 0 does `done` behind it, before any rank hears of it, and before the lock of a file that
  /// was not kept ends.
  SnapshotId SealCompleted(
    std::uint64_t fileSize, const WriteReport& all, const std::function<void()>& done = {});

  /// Collective: both.
  SnapshotId Seal(std::uint64_t fileSize, const WriteStatistics& statistics)
  {
    return this->SealCompleted(fileSize, this->Complete({ statistics }));
  }

  /// Collective. Makes a snapshot of the image as it is, which is then a file of `fileSize` bytes,
  /// and goes on: the two share what neither has changed. All ranks must have flushed. Empty when
  /// it was done; else why the ring has no room for it. Rank 0 does `done` behind it, before any
  /// rank hears of it. Throws as Begin does.
  std::string Publish(std::uint64_t fileSize, const WriteStatistics& statistics,
    const std::function<void()>& done = {});

  /// On rank 0, when all ranks have flushed: if this job is lost from now on, the image becomes a
  /// snapshot of `fileSize` bytes all the same (NoteFlush). If this process maps host 0's memory,
  /// only the first flush costs a message. If the image continues a snapshot, that message is
  /// answered: nobody reads the snapshot without asking the server from then on. 0: what was noted
  /// is not to be kept. Throws as the channel does.
  void NoteFlushed(std::uint64_t fileSize);

  /// On rank 0: whether a flush is noted.
  bool HasFlush() const { return this->FlushedBytes != 0; }

  /// On any rank: the image is damaged, so that what was flushed is not to be kept.
  void ForgetFlush() noexcept;

  /// Collective. Ends the image without a snapshot: its last Publish has everything, or it is still
  /// what it began as.
  void Finish(const WriteReport& all);

  /// On rank 0: what is on disk under the file's name, for the snapshots from now on.
  void NoteName(const NameLeft& name) { this->OnDisk = name; }
  /// Notes, on rank 0, that the whole file is on disk under its name, and no placeholder.
  void NoteWhole() { this->OnDisk.IsWhole = true; }
  void NoteAccess(std::optional<FileAccess> access) { this->OnDisk.Access = std::move(access); }

  /// Discards the image; its slot becomes free. Not collective: rank 0 notifies the server. Never
  /// throws. `keepsFlush`: unless a flush was noted, which becomes a snapshot.
  void Discard(const std::string& why, bool keepsFlush = false) noexcept
  {
    this->Claim->Discard(why, keepsFlush);
  }

private:
  WritableImage(const Communicator& communicator, std::shared_ptr<Connection> link,
    const std::string& fileName, const ImageDescription& image);
  void AgreeWhoClears(bool all);
  void CopyFrom(const SnapshotDescription& source);
  /// Consecutive bytes in the file and on one host that this rank may write, or read, without a
  /// further question.
  struct OpenRun
  {
    FileOffset Begin = 0; ///< address
    std::uint64_t Size = 0;
    HostIndex Host = 0;
    std::uint64_t Offset = 0;
    bool Gathered = false; ///< pieces in it go to the transport with others

    bool Covers(FileOffset address, std::uint64_t size) const
    {
      // What lies before it becomes a large number.
      return address - this->Begin < this->Size && size <= this->Size - (address - this->Begin);
    }
  };
  bool BeginWrite(std::uint64_t end);
  void PrepareWrite(HostIndex host, ByteRange bytes, bool away);
  template <typename Piece, typename Prepare, typename Move>
  void ForEachPlaced(std::span<const Piece> pieces, bool together, bool stopsAtPages,
    const Prepare& prepare, const Move& move);
  void AgreeOnDisk(std::uint64_t fileSize);
  void ReleaseLock(const WriteReport& all) const;
  Totals TotalsOf(WriteReport mine) const;

  const Communicator& Comm;
  ImageDescription Image;
  ImageSlot Slot;
  StaleSlot Stale;
  ImageConnection Server;
  ImageGrant Grant;
  SharedPages Shared;
  std::uint64_t StartSize;
  SnapshotId Number = 0;
  bool Unnumbered = false;
  bool Continues = false;              ///< it began as a snapshot
  std::uint64_t FlushedBytes = 0;      ///< the file's size at the flush that is noted; 0: none
  std::uint64_t Reach;                 ///< end of the highest byte this rank wrote
  std::vector<std::uint64_t> PutBytes; ///< by this rank, to each host
  HostPieces<PutPiece> Puts;
  HostPieces<GetPiece> Gets;
  NameLeft OnDisk;
  bool AllMap = false;
  bool AgreedOnDisk = false;         ///< all ranks know where it goes on there
  std::unique_ptr<ImageClaim> Claim; ///< last, so that the image is given back first
};

}
