// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Driver/Aggregators.h"
#include "Driver/MemoryFile.h"
#include "Driver/PieceMerge.h"
#include "Driver/PieceRows.h"
#include "Driver/RoundLimits.h"
#include "Mpi/Communicator.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <vector>

namespace dsm
{

/// Two phases of a collective transfer: the ranks of a file exchange pieces, so that each has all
/// there are of some parts of the file (Aggregators); and each moves those, mostly as a few large
/// ones. Here is what both directions have in common; WriteExchange and ReadExchange have the rest.
///
/// It goes in rounds of bounded size. A rank adds pieces until one of the others could not take
/// more in this round; then, and when it has no more, it is in a round, which all ranks are in
/// together. Those whose pieces lie between each other's get equally far in it (RoundLimits). The
/// last round is the one in which nobody has more to come.
///
/// All ranks make one of these, add what they have, perhaps nothing, and finish. One that cannot go
/// on finishes with the reason, so that the others do not wait for it.
class PieceExchange
{
public:
  PieceExchange(const PieceExchange&) = delete;
  PieceExchange& operator=(const PieceExchange&) = delete;

protected:
  /// Both must outlive it; the file must have a map.
  PieceExchange(const Communicator& ranks, MemoryFile& file);
  ~PieceExchange() = default;

  /// What this rank has for another.
  struct Slot
  {
    PieceRows Places;
    PieceRows Memory; ///< of reads: where they go
    std::uint64_t Bytes = 0;

    void Clear()
    {
      this->Places.Clear();
      this->Memory.Clear();
      this->Bytes = 0;
    }
  };

  /// What each rank has for this one in this round.
  struct Announced
  {
    std::vector<std::uint64_t> Bytes;
    std::vector<std::uint64_t> Rows;
    bool More = false;  ///< some rank has another round's
    bool Keeps = false; ///< this one keeps some of what it has
  };

  /// Calls add(slot, owner, memory, size) for each part of the pieces that one rank moves and
  /// its slot has room for, after full() where it had none.
  template <typename Piece, typename Add, typename Full>
  void ForEachPart(std::span<const Piece> pieces, const Add& add, const Full& full)
  {
    for (const Piece& piece : pieces)
    {
      for (std::uint64_t done = 0; done < piece.Size;)
      {
        const FileOffset place = piece.Address() + done;
        std::uint64_t size = std::min(piece.Size - done, this->LargestPiece());
        const auto owner = static_cast<std::size_t>(this->OwnerOf(place, size));
        Slot& slot = this->Slots[owner];
        this->IsRising = this->IsRising && place >= this->Latest;
        this->Latest = place;
        while (!this->HasRoom(slot, size))
        {
          full(); // it may keep some
        }
        add(slot, owner, piece.Memory + done, size);
        slot.Places.Add(place, size);
        slot.Bytes += size;
        done += size;
      }
    }
  }

  /// The rank that moves the byte at an address, and how many from there on, `size` at most.
  int OwnerOf(FileOffset address, std::uint64_t& size);

  /// Whether a slot has room for a piece of that size.
  bool HasRoom(const Slot& slot, std::uint64_t size) const
  {
    return slot.Bytes + slot.Places.Bytes() + size + sizeof(PieceRow) <= this->Room;
  }
  std::uint64_t LargestPiece() const { return this->Room - sizeof(PieceRow); }

  /// A round's first step, which all ranks make: who has what for whom. What this rank has for the
  /// others in this round moves from Slots to Going; what stays it keeps.
  Announced Announce(bool more);

  /// Counts up: where parcels of such sizes lie one behind the other.
  static std::vector<std::uint64_t> OneBehindTheOther(const std::vector<std::uint64_t>& sizes);

  /// Memory that is only written to where it is used.
  class Scratch
  {
  public:
    /// At least so large; what was in it is lost where it grows.
    std::byte* Get(std::uint64_t size);

  private:
    std::unique_ptr<std::byte[]> Memory;
    std::uint64_t Size = 0;
  };

  /// Notes what went wrong on this rank: the first reason counts.
  void Note(std::exception_ptr failure);

  const Communicator& Ranks;
  MemoryFile& File;
  std::vector<Slot> Slots; ///< by rank, what has been added
  std::vector<Slot> Going; ///< by rank, what goes in this round
  std::exception_ptr Failure;
  bool Broken = false; ///< the ranks cannot talk to each other any more

private:
  RoundReach Reach(bool more) const;
  std::vector<RoundReach> AnnounceAll(Announced& announced, const RoundReach& mine, bool more);
  void Keep(std::uint64_t limit);

  Aggregators Owners;
  bool IsRising = true;          ///< the pieces in Slots, and the one that finds no room
  std::uint64_t Latest = 0;      ///< where that one begins, or the last that was added
  std::uint64_t Room;            ///< bytes from one rank to another in a round, rows included
  std::uint64_t DomainBegin = 0; ///< the one looked up last
  Aggregators::Domain Domain;
};

}
