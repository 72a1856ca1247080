// SPDX-License-Identifier: BSD-3-Clause
#include "Peer/WritableImage.h"

#include "Base/RoundUp.h"
#include "Mapping/AsideBytes.h"
#include "Memory/FlushedSize.h"
#include "Mpi/Agreement.h"
#include "Peer/ImageSeal.h"
#include "Peer/SnapshotView.h"
#include "Transport/TransportKind.h"

#include <algorithm>
#include <utility>

namespace dsm
{

namespace
{
constexpr std::uint64_t CopyStep = UINT64_C(1) << 20;

std::uint64_t Count(const SharedPages::Lists& lists)
{
  std::uint64_t bytes = 0;
  for (const std::vector<ByteRange>& ranges : lists)
  {
    for (const ByteRange& range : ranges)
    {
      bytes += range.End - range.Begin;
    }
  }
  return bytes;
}

// Bytes per second that hosts copy at the very least, memory they touch for the first time
// included.
constexpr double SlowestCopy = 100e6;

}

void Describe(Fields& fields, BegunImage& begun)
{
  fields("Granted", begun.Granted);
  fields("Server", begun.Server);
}

WritableImage::WritableImage(const Communicator& communicator, std::shared_ptr<Connection> link,
  const std::string& fileName, const ImageDescription& image)
  : Comm(communicator)
  , Image(image)
  , Slot(link->Data(), *link->Server(), image, fileName)
  , Stale(this->Slot, image.Stale)
  , Server(std::move(link), this->Slot)
  , Grant(image, this->Slot, this->Server, communicator.Rank())
  , Shared(image, this->Slot, this->Server)
  , StartSize(image.Begins)
  , Reach(image.Begins)
  , PutBytes(image.Map.Hosts)
{
}

BegunImage WritableImage::Ask(const std::shared_ptr<Connection>& connection, BeginImage request)
{
  BegunImage image;
  // An image that is granted when nobody waits for it any more is given back.
  const auto giveBack = [link = std::weak_ptr(connection)](const ImageGranted& granted)
  {
    if (const auto server = link.lock())
    {
      server->Notify(
        DiscardImage{ granted.Image.Image, "it was granted after its program had given up" });
      if (granted.Source)
      {
        server->Notify(CloseSnapshot{ granted.Source->Lease });
      }
    }
  };
  request.Clears = connection->WritersMap();
  image.Granted = connection->RequestMemory(request, Seconds(0), giveBack);
  connection->Stay();
  image.Server = JobConnection::Of(*connection);
  return image;
}

std::unique_ptr<WritableImage> WritableImage::Begin(const Communicator& communicator,
  std::shared_ptr<Connection> connection, const std::string& fileName, SnapshotId copyOf)
{
  const auto begun = RunOnRankZero(communicator,
    [&]
    {
      return Ask(connection, { fileName, copyOf, static_cast<std::uint64_t>(communicator.Size()) });
    });
  return Begin(communicator, std::move(connection), fileName, begun);
}

std::unique_ptr<WritableImage> WritableImage::Begin(const Communicator& communicator,
  std::shared_ptr<Connection> connection, const std::string& fileName, const BegunImage& begun)
{
  const ImageDescription& image = begun.Granted.Image;
  auto claim = std::make_unique<ImageClaim>(
    image.Image, communicator.Rank(), communicator.Rank() == 0 ? std::move(connection) : nullptr);
  std::unique_ptr<WritableImage> made;
  // Most files: all ranks know the server and have joined it, which one call finds out.
  constexpr int lacksServer = 0, mustJoin = 1, mapsNotAll = 2;
  Totals mine{ { 0, 0, 0 }, {} };
  // From then on bytes can be put.
  const auto reach = [&]
  {
    made.reset(new WritableImage(communicator, claim->GetConnection(), fileName, image));
    mine.Maxima[mapsNotAll] = made->IsMapped() ? 0 : 1;
  };
  auto told = Agree(communicator, mine,
    [&]
    {
      claim->SetConnection(begun.Server.Find(claim->GetConnection()));
      if (!claim->GetConnection())
      {
        mine.Maxima[lacksServer] = 1;
      }
      else if (MustJoinHosts(*claim->GetConnection()))
      {
        mine.Maxima[mustJoin] = 1;
      }
      else
      {
        reach();
      }
    });
  if (told.Maxima[lacksServer] != 0)
  {
    claim->SetConnection(begun.Server.Introduce(communicator, claim->GetConnection()));
  }
  if (told.Maxima[lacksServer] != 0 || told.Maxima[mustJoin] != 0)
  {
    JoinHosts(communicator, *claim->GetConnection());
    mine = { { 0, 0, 0 }, {} };
    told = Agree(communicator, mine, reach);
  }
  made->Claim = std::move(claim);
  made->AgreeWhoClears(told.Maxima[mapsNotAll] == 0);
  made->Continues = begun.Granted.CopyOf != 0;
  if (const auto& source = begun.Granted.Source)
  {
    Agree(communicator, [&] { made->CopyFrom(source->Snapshot); });
    if (communicator.Rank() == 0)
    {
      made->Server->Notify(CloseSnapshot{ source->Lease });
    }
  }
  return made;
}

// Collective, where something is stale. Rank 0 asked for a slot that may hold old contents because
// all ranks mapped the hosts' memory when they wrote the file before. These may be others, or the
// transport another: then rank 0 clears it, before anybody writes.
void WritableImage::AgreeWhoClears(bool all)
{
  this->AllMap = all;
  if (this->Comm.Rank() == 0)
  {
    this->Server->NoteWritersMap(all);
  }
  if (all || this->Image.Stale.empty())
  {
    return;
  }
  RunOnRankZero(this->Comm, [&] { this->Stale.PutZeros(); });
  this->Stale.Forget();
}

// Collective. Once the file has outgrown what it can have in memory, rank 0 finds out where it goes
// on, on disk. Grant.Follow then tells each rank.
void WritableImage::AgreeOnDisk(std::uint64_t fileSize)
{
  if (this->Grant.NeedsDisk(fileSize) && !std::exchange(this->AgreedOnDisk, true))
  {
    RunOnRankZero(this->Comm, [&] { this->Grant.RequirePlaces(fileSize); });
  }
}

// Each rank copies its share of the snapshot.
void WritableImage::CopyFrom(const SnapshotDescription& source)
{
  const auto ranks = static_cast<std::uint64_t>(this->Comm.Size());
  const auto rank = static_cast<std::uint64_t>(this->Comm.Rank());
  const std::uint64_t share = (source.FileSize + ranks - 1) / ranks;
  const std::uint64_t begin = std::min(rank * share, source.FileSize);
  const std::uint64_t end = std::min(begin + share, source.FileSize);
  const SnapshotView from(this->Server.Get(), source);
  std::vector<std::byte> buffer(std::min(CopyStep, end - begin));
  for (FileOffset address(begin); address < end; address += CopyStep)
  {
    const std::uint64_t size = std::min(CopyStep, end - address);
    from.Read(address, buffer.data(), size);
    this->Write(address, buffer.data(), size);
    this->Slot.Flush();
  }
  this->StartSize = source.FileSize;
}

// Before bytes up to an address are written. True when this process was away for so long that it
// should ask all hosts whether the image is still its own.
bool WritableImage::BeginWrite(std::uint64_t end)
{
  this->Grant.Require(end);
  this->Reach = std::max(this->Reach, end);
  return this->Slot.WasAway();
}

void WritableImage::PrepareWrite(HostIndex host, ByteRange bytes, bool away)
{
  this->Slot.RequireKept(host, away);
  this->Shared.Change(host, bytes);
  this->Stale.Overwrite(host, bytes);
}

void WritableImage::Write(FileOffset address, const void* source, std::uint64_t size)
{
  const bool away = this->BeginWrite(address + size);
  const auto* bytes = static_cast<const std::byte*>(source);
  this->Mapping().ForEachRun(address, size,
    [&](HostIndex host, std::uint64_t offset, std::uint64_t position, std::uint64_t length)
    {
      this->PrepareWrite(host, { offset, offset + length }, away);
      this->Slot.Put(host, offset, bytes + position, length);
      this->PutBytes[host] += length;
    });
}

// Calls move(run, piece at its offset in the host's segment) for each piece, and before it, where
// the last answer does not hold for it, prepare(host, offsets in the slot). What was prepared for
// one piece holds to the end of a stale chunk or, of what is shared, a page.
template <typename Piece, typename Prepare, typename Move>
void WritableImage::ForEachPlaced(std::span<const Piece> pieces, bool together, bool stopsAtPages,
  const Prepare& prepare, const Move& move)
{
  OpenRun run;
  for (const Piece& piece : pieces)
  {
    if (run.Covers(piece.Address(), piece.Size))
    {
      move(run, Piece{ run.Offset + (piece.Place - run.Begin), piece.Memory, piece.Size });
      continue;
    }
    for (std::uint64_t done = 0; done < piece.Size; done += run.Size)
    {
      const Location place = this->Mapping().Locate(piece.Address() + done);
      const std::uint64_t length = std::min(place.Run, piece.Size - done);
      const std::uint64_t end = place.Offset + length;
      prepare(place.Host, ByteRange{ place.Offset, end });
      std::uint64_t open = place.Offset + place.Run;
      if (this->Stale.MayConcern(place.Host, place.Offset))
      {
        open = std::min(open, RoundUp(end, StaleChunks::ChunkSize));
      }
      if (stopsAtPages && this->Shared.IsShared(place.Host, place.Offset))
      {
        open = std::min(open, RoundUp(end, AsideBytes::Page));
      }
      run = { piece.Address() + done, length, place.Host, this->Slot.Begin() + place.Offset,
        together || this->Slot.IsMapped(place.Host) };
      move(run, Piece{ run.Offset, piece.Memory + done, length });
      if (done + length == piece.Size)
      {
        run.Size = open - place.Offset;
        break;
      }
    }
  }
}

void WritableImage::WritePieces(std::span<const PutPiece> pieces, bool together)
{
  std::uint64_t end = 0;
  for (const PutPiece& piece : pieces)
  {
    end = std::max(end, piece.Place + piece.Size);
  }
  const bool away = this->BeginWrite(end);
  // Where one of them cannot be written, none waits here for the next call.
  HostPieces<PutPiece> puts = std::move(this->Puts);
  this->ForEachPlaced(
    pieces, together, true,
    [&](HostIndex host, ByteRange bytes) { this->PrepareWrite(host, bytes, away); },
    [&](const OpenRun& run, const PutPiece& piece)
    {
      if (run.Gathered)
      {
        puts.Add(*this->Slot.GetRoute(), run.Host, piece);
      }
      else
      {
        this->Slot.GetRoute()->Put(run.Host, piece.Place, piece.Memory, piece.Size);
      }
      this->PutBytes[run.Host] += piece.Size;
    });
  puts.Move(*this->Slot.GetRoute());
  this->Puts = std::move(puts);
}

void WritableImage::Read(FileOffset address, void* destination, std::uint64_t size)
{
  this->Grant.Follow(address + size);
  auto* bytes = static_cast<std::byte*>(destination);
  const std::uint64_t end = this->Mapping().Capacity();
  const std::uint64_t inside = address < end ? std::min(size, end - address) : 0;
  this->Mapping().ForEachRun(address, inside,
    [&](HostIndex host, std::uint64_t offset, std::uint64_t position, std::uint64_t length)
    {
      this->Stale.Clear(host, { offset, offset + length });
      this->Slot.Get(host, offset, bytes + position, length);
    });
  std::fill(bytes + inside, bytes + size, std::byte(0));
}

void WritableImage::ReadPieces(std::span<const GetPiece> pieces, bool together)
{
  std::uint64_t end = 0;
  for (const GetPiece& piece : pieces)
  {
    end = std::max(end, piece.Place + piece.Size);
  }
  this->Grant.Follow(end);
  const auto isInside = [this](const GetPiece& piece)
  { return piece.Place + piece.Size <= this->Mapping().Capacity(); };
  if (!std::all_of(pieces.begin(), pieces.end(), isInside))
  {
    for (const GetPiece& piece : pieces)
    {
      this->Read(piece.Address(), piece.Memory, piece.Size);
    }
    return;
  }
  HostPieces<GetPiece> gets = std::move(this->Gets);
  this->ForEachPlaced(
    pieces, together, false,
    [this](HostIndex host, ByteRange bytes) { this->Stale.Clear(host, bytes); },
    [&](const OpenRun& run, const GetPiece& piece)
    {
      if (run.Gathered)
      {
        gets.Add(*this->Slot.GetRoute(), run.Host, piece);
      }
      else
      {
        this->Slot.GetRoute()->Get(run.Host, piece.Place, piece.Memory, piece.Size);
      }
    });
  gets.Move(*this->Slot.GetRoute());
  this->Gets = std::move(gets);
}

WritableImage::Span WritableImage::InPlace(FileOffset address) const
{
  const Location place = this->Mapping().Locate(address);
  this->Stale.Clear(place.Host, { place.Offset, place.Offset + place.Run });
  return { this->Slot.Direct(place.Host, place.Offset), place.Run };
}

WriteReport WritableImage::Complete(WriteReport mine, const std::function<void()>& check)
{
  const bool finished = mine.Finished;
  Totals totals = this->TotalsOf(std::move(mine));
  return WriteReport::FromTotals(Agree(this->Comm, totals,
    [&]
    {
      if (!finished)
      {
        return; // the image is discarded, whatever this rank has written
      }
      if (check)
      {
        check();
      }
      if (this->AllMap)
      {
        this->Grant.Follow(); // it may be saved from here
      }
      this->Flush();
    }));
}

SnapshotId WritableImage::SealCompleted(
  std::uint64_t fileSize, const WriteReport& all, const std::function<void()>& done)
{
  this->Number = RunOnRankZero(this->Comm,
    [&]
    {
      this->Grant.RequirePlaces(fileSize);
      this->Stale.ClearUnwritten(this->Mapping(), fileSize);
      const auto number =
        ImageSeal(this->Slot, this->Server, this->Image.Generation)
          .Request({ this->Image.Image, fileSize, all.Reach, all.Statistics, 0, this->OnDisk });
      this->Unnumbered = !number;
      this->Number = number.value_or(SnapshotId(0));
      if (done)
      {
        done();
      }
      if (number == SnapshotId(0))
      {
        this->ReleaseLock(all);
      }
      return this->Number;
    });
  this->Claim->End();
  return this->Number;
}

// The server has not kept the image, and it holds the file's lock until the name is in order.
void WritableImage::ReleaseLock(const WriteReport& all) const
{
  try
  {
    this->Server->Request(FinishImage{ this->Image.Image, all.Reach, this->OnDisk });
  }
  catch (const Error& error)
  {
    Log().debug("the lock of {} goes with this process: {}", this->FileName(), error.what());
  }
}

std::string WritableImage::TransportName() const
{
  return this->Slot.GetRoute()->Name();
}

Way WritableImage::WayTo(FileOffset address, std::uint64_t size) const
{
  const Location place = this->Mapping().Locate(address);
  return { place.Host, place.Run,
    this->Slot.GetRoute()->NameFor(place.Host, std::min(size, place.Run)) };
}

SlotAddress WritableImage::Place(std::uint64_t fileSize) const
{
  return { this->Server->Server()->Session, fileSize, this->Image.Slot, this->Image.Generation,
    this->Image.Map };
}

Totals WritableImage::TotalsOf(WriteReport mine) const
{
  mine.Reach = this->Reach;
  mine.Statistics.HostBytes = this->PutBytes;
  return mine.ToTotals();
}

std::string WritableImage::Publish(
  std::uint64_t fileSize, const WriteStatistics& statistics, const std::function<void()>& done)
{
  this->AgreeOnDisk(fileSize);
  Totals mine = this->TotalsOf({ statistics });
  const WriteReport all =
    WriteReport::FromTotals(Agree(this->Comm, mine, [&] { this->Grant.Follow(fileSize); }));
  PublishImage request{ this->Image.Image, fileSize, this->Shared.Changed(), all.Statistics };
  std::vector<SharedPages::Lists> changed;
  for (PublishImage& told : GatherAll(this->Comm, request))
  {
    changed.push_back(std::move(told.Changing));
  }
  request.Changing = SharedPages::Union(changed);
  // Whatever becomes of the question: who asks once too often loses nothing.
  this->Shared.Freeze(this->Mapping(), fileSize, request.Changing);
  const auto skipped = RunOnRankZero(this->Comm,
    [&]
    {
      this->Stale.ClearUnwritten(this->Mapping(), fileSize);
      const auto published = this->Server->RequestMemory(
        request, Seconds(static_cast<double>(Count(request.Changing)) / SlowestCopy));
      if (published.Copy != 0)
      {
        // Nobody has written since the question: the copy is whole.
        this->Number =
          this->Server->Request(ConfirmCopy{ this->Image.Image, published.Copy, this->OnDisk })
            .Number;
        if (done)
        {
          done();
        }
      }
      return published.Skipped;
    });
  if (skipped.empty())
  {
    // They have been counted.
    this->PutBytes.assign(this->PutBytes.size(), 0);
    this->ForgetFlush(); // the server has one that is newer
  }
  return skipped;
}

void WritableImage::NoteFlushed(std::uint64_t fileSize)
{
  if (this->Comm.Rank() > 0 || fileSize == this->FlushedBytes || fileSize > FlushedSize::Largest)
  {
    return;
  }
  this->Grant.RequirePlaces(fileSize);
  this->Stale.ClearUnwritten(this->Mapping(), fileSize);
  this->Slot.RequireKept(0, false);
  const auto inMemory = this->Slot.Number(&SegmentLayout::Flushed);
  const NoteFlush note{ this->Image.Image, inMemory ? 0 : fileSize, this->OnDisk };
  const bool answered = this->Continues || this->Server->GetFilePolicy().MayBeOnDisk;
  if (!inMemory || (this->FlushedBytes == 0 && answered))
  {
    this->Server->Request(note);
  }
  else if (this->FlushedBytes == 0)
  {
    this->Server->Notify(note);
  }
  if (inMemory)
  {
    inMemory->Store(FlushedSize::Encode(this->Image.Generation, fileSize));
  }
  this->FlushedBytes = fileSize;
}

void WritableImage::ForgetFlush() noexcept
{
  if (const auto inMemory = this->Slot.Number(&SegmentLayout::Flushed))
  {
    // The slot may be another image's by now.
    std::uint64_t noted = inMemory->Load();
    while (FlushedSize::Decode(noted, this->Image.Generation) != 0 && !inMemory->Replace(noted, 0))
    {
    }
  }
  else if (this->FlushedBytes != 0)
  {
    this->Server->Notify(NoteFlush{ this->Image.Image, 0, this->OnDisk });
  }
  this->FlushedBytes = 0;
}

void WritableImage::Finish(const WriteReport& all)
{
  RunOnRankZero(this->Comm,
    [&] { this->Server->Request(FinishImage{ this->Image.Image, all.Reach, this->OnDisk }); });
  this->Claim->End();
}

}
