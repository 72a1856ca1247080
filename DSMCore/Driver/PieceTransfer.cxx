// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/PieceTransfer.h"

#include "Driver/DeviceStage.h"
#include "Driver/ProgramData.h"
#include "Driver/ReadExchange.h"
#include "Driver/TransferProperty.h"
#include "Driver/WriteExchange.h"

#include <algorithm>
#include <limits>

namespace dsm
{

namespace
{
// So many go to the transport together.
constexpr std::size_t MostGathered = 4096;

// Collective: what each rank has seen and wants. All get the same, or throw the same.
TransferMode AgreeOnMode(const Communicator& ranks, const FirstPieces& mine, TransferMode wanted)
{
  constexpr std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
  const auto mode = static_cast<std::uint64_t>(wanted);
  const auto all = ranks.Combine({ { mine.End, last - mine.Begin, mode, last - mode },
    { mine.Count, mine.Bytes, mine.Count > 0 ? mine.End - mine.Begin : 0 } });
  if (all.Maxima[2] != last - all.Maxima[3])
  {
    throw Error(Fault::Usage,
      "the ranks of a collective transfer ask for different ways of moving it, \"{}\" and \"{}\": "
      "give all the same with H5Pset_dxpl_dsm_transfer",
      TransferModeText(static_cast<TransferMode>(last - all.Maxima[3])),
      TransferModeText(static_cast<TransferMode>(all.Maxima[2])));
  }
  AllFirstPieces seen;
  seen.Together = { all.Sums[0], all.Sums[1], last - all.Maxima[1], all.Maxima[0] };
  seen.Spans = all.Sums[2];
  return wanted == TransferMode::Automatic ? ChooseTogether(seen) : wanted;
}
}

template <typename Piece>
PieceTransfer<Piece>::PieceTransfer(OpenMemoryFile& file, hid_t transferList, bool collective)
  : File(file)
  , TransferList(transferList)
  , Together(collective && file.Shared.Size() > 1 && file.File->Mapping())
{
}

template <typename Piece>
PieceTransfer<Piece>::~PieceTransfer() = default;

// With what there is by now. Where all ranks map the hosts' memory nothing is to be gained by
// talking about it, and who wants an exchange all the same says so on all ranks.
template <typename Piece>
void PieceTransfer<Piece>::Choose()
{
  this->Chosen = true;
  const bool mapped = this->File.File->IsMapped();
  FirstPieces first;
  for (std::size_t i = 0; i < this->Waiting; ++i)
  {
    first.Add(this->Some[i].Address(), this->Some[i].Size);
  }
  TransferMode& mode = this->Used.Mode;
  // One piece has one way, and most calls have one.
  mode = this->Waiting > 1 || this->Together
    ? TransferModeOf(this->TransferList).value_or(this->File.Transfer)
    : TransferMode::Independent;
  if (this->Together && !mapped)
  {
    mode = AgreeOnMode(this->File.Shared, first, mode);
  }
  else if (mode == TransferMode::Automatic)
  {
    mode = ChooseAlone(first, mapped);
  }
  if (mode == TransferMode::Collective && !this->Together)
  {
    mode = TransferMode::Datatype;
  }
  if (mode == TransferMode::Collective)
  {
    this->Others = std::make_unique<Exchange>(this->File.Shared, *this->File.File);
  }
}

template <typename Piece>
void PieceTransfer<Piece>::MoveWaiting()
{
  if (!this->Chosen)
  {
    this->Choose();
  }
  const std::span<const Piece> pieces(this->Some.data(), this->Waiting);
  this->Waiting = 0;
  if constexpr (std::is_same_v<Piece, PutPiece>)
  {
    programdata::RequireReadable(this->File.Name, pieces, this->Devices);
  }
  this->Used.Pieces += pieces.size();
  for (const Piece& piece : pieces)
  {
    this->Used.Bytes += piece.Size;
  }
  if (DeviceBuffers::Any() && !this->MovesOfDevice(pieces)) [[unlikely]]
  {
    devicestage::Move(pieces,
      [this](std::span<const Piece> staged)
      {
        this->Pass(staged);
        if (!this->Gathered.empty())
        {
          this->MoveGathered();
        }
        if (!this->Others)
        {
          this->File.File->Complete();
        }
      });
    return;
  }
  this->Pass(pieces);
}

// Returns true if all these may go as they are. A device copies large pieces fast, each for itself.
// What is read by an exchange of the ranks goes to the program's memory at its end, wherever that
// is. Behind the end of a file the file itself writes zeros.
template <typename Piece>
bool PieceTransfer<Piece>::MovesOfDevice(std::span<const Piece> pieces) const
{
  if (this->Others)
  {
    return std::is_same_v<Piece, GetPiece>;
  }
  const MemoryFile& file = *this->File.File;
  const std::uint64_t end = file.IsReadOnly() ? file.InitialEnd() : file.Capacity();
  return file.TakesDeviceMemory() &&
    std::all_of(pieces.begin(), pieces.end(), [end](const Piece& piece)
      { return piece.Size >= devicestage::Large && piece.Place + piece.Size <= end; });
}

template <typename Piece>
void PieceTransfer<Piece>::Pass(std::span<const Piece> pieces)
{
  if (this->Others)
  {
    if constexpr (std::is_same_v<Piece, PutPiece>)
    {
      this->File.NoteEnd(pieces);
    }
    this->Others->Add(pieces);
  }
  else if (this->Used.Mode == TransferMode::Datatype && !this->File.File->IsMapped())
  {
    this->Gathered.insert(this->Gathered.end(), pieces.begin(), pieces.end());
    if (this->Gathered.size() >= MostGathered)
    {
      this->MoveGathered();
    }
  }
  else
  {
    this->Move(pieces);
  }
}

template <typename Piece>
void PieceTransfer<Piece>::MoveGathered()
{
  this->Move(this->Gathered);
  this->Gathered.clear();
}

template <typename Piece>
void PieceTransfer<Piece>::Move(std::span<const Piece> pieces)
{
  MemoryFile& file = *this->File.File;
  const bool together = this->Used.Mode != TransferMode::Independent;
  if constexpr (std::is_same_v<Piece, PutPiece>)
  {
    this->File.NoteEnd(pieces);
    if (pieces.size() == 1)
    {
      file.Write(pieces[0].Address(), pieces[0].Memory, pieces[0].Size);
      return;
    }
    file.WritePieces(pieces, together);
  }
  else
  {
    if (pieces.size() == 1)
    {
      file.Read(pieces[0].Address(), pieces[0].Memory, pieces[0].Size);
      return;
    }
    file.ReadPieces(pieces, together);
  }
}

template <typename Piece>
void PieceTransfer<Piece>::Finish(std::exception_ptr failure)
{
  if (failure)
  {
    this->Waiting = 0;
  }
  if (!this->Chosen && (this->Waiting > 0 || this->Together))
  {
    this->Choose();
  }
  if (this->Others)
  {
    try
    {
      if (!failure)
      {
        this->MoveWaiting();
      }
    }
    catch (...)
    {
      failure = std::current_exception();
    }
    this->Others->Finish(failure);
  }
  else if (failure)
  {
    std::rethrow_exception(failure);
  }
  else
  {
    if (this->Waiting > 0)
    {
      this->MoveWaiting();
    }
    if (!this->Gathered.empty())
    {
      this->MoveGathered();
    }
  }
  this->File.Used = this->Used;
}

template class PieceTransfer<PutPiece>;
template class PieceTransfer<GetPiece>;

}
