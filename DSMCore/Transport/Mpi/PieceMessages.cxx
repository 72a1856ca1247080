// SPDX-License-Identifier: BSD-3-Clause
#include "Transport/Mpi/PieceMessages.h"

#include <cstring>
#include <utility>
#include <vector>

namespace dsm
{

namespace
{
// Calls one(piece) for each large one, and together(pieces, bytes) for as many small ones as one
// message holds.
template <typename Piece, typename One, typename Together>
void InLists(std::span<const Piece> pieces, const One& one, const Together& together)
{
  while (!pieces.empty())
  {
    std::size_t count = 0;
    std::uint64_t bytes = 0;
    while (count < pieces.size() && pieces[count].Size <= wire::SmallPut &&
      (count + 1) * sizeof(wire::Place) + bytes + pieces[count].Size <= wire::LargestList)
    {
      bytes += pieces[count++].Size;
    }
    if (count > 1)
    {
      together(pieces.first(count), bytes);
      pieces = pieces.subspan(count);
    }
    else
    {
      one(pieces.front());
      pieces = pieces.subspan(1);
    }
  }
}

// The places of pieces, with room for as many bytes behind them.
template <typename Piece>
std::vector<std::byte> PlacesOf(std::span<const Piece> pieces, std::uint64_t bytes)
{
  std::vector<std::byte> list(pieces.size() * sizeof(wire::Place) + bytes);
  std::byte* next = list.data();
  for (const Piece& piece : pieces)
  {
    const wire::Place place{ piece.Place, piece.Size };
    std::memcpy(next, &place, sizeof place);
    next += sizeof place;
  }
  return list;
}
}

bool PieceMessages::Put(
  HostIndex host, std::span<const PutPiece> pieces, const std::function<void(const PutPiece&)>& one)
{
  bool any = false;
  InLists(pieces, one,
    [&](std::span<const PutPiece> some, std::uint64_t size)
    {
      any = true;
      std::vector<std::byte> list = PlacesOf(some, size);
      std::byte* next = list.data() + some.size() * sizeof(wire::Place);
      for (const PutPiece& piece : some)
      {
        CopyPiece(next, piece.Memory, piece.Size);
        next += piece.Size;
      }
      this->UnderWay.SendOperation(
        host, { wire::Kind::PutPieces, 0, size, some.size() }, list.data(), list.size());
    });
  return any;
}

void PieceMessages::Get(
  HostIndex host, std::span<const GetPiece> pieces, const std::function<void(const GetPiece&)>& one)
{
  InLists(pieces, one,
    [&](std::span<const GetPiece> some, std::uint64_t size) { this->Ask(host, some, size); });
}

void PieceMessages::Ask(HostIndex host, std::span<const GetPiece> pieces, std::uint64_t size)
{
  Request arriving = Request::ReceiveOwned(
    this->UnderWay.Link().Ranks().Handle(), static_cast<int>(host), wire::GetTag, size);
  const std::vector<std::byte> list = PlacesOf(pieces, 0);
  this->UnderWay.SendOperation(
    host, { wire::Kind::GetPieces, 0, size, pieces.size() }, list.data(), list.size());
  this->UnderWay.Add(host, std::move(arriving),
    [goals = std::vector<GetPiece>(pieces.begin(), pieces.end())](std::span<const std::byte> bytes)
    {
      const std::byte* next = bytes.data();
      for (const GetPiece& goal : goals)
      {
        CopyPiece(goal.Memory, next, goal.Size);
        next += goal.Size;
      }
    });
}

}
