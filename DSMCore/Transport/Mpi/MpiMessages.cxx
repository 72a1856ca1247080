// SPDX-License-Identifier: BSD-3-Clause
#include "Transport/Mpi/MpiMessages.h"

#include "Mpi/Leak.h"

#include <cstring>
#include <utility>

namespace dsm
{

namespace
{
// Pieces of gets that are on their way at a time.
constexpr std::uint64_t MostReplyBytes = UINT64_C(8) << 20;

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

MpiMessages::MpiMessages(const std::shared_ptr<MpiLink>& link, const WaitPolicy& waitPolicy)
  : UnderWay(link, waitPolicy)
  , Touched(link->Hosts(), false)
{
}

MpiMessages::~MpiMessages()
{
  if (this->UnderWay.Link().GivenUp())
  {
    Leak(std::move(this->Replies));
  }
}

void MpiMessages::Put(
  std::uint64_t host, std::uint64_t offset, const void* source, std::uint64_t size)
{
  this->Touched[host] = true;
  const wire::Operation operation{ wire::Kind::Put, offset, size, 0 };
  if (size <= wire::SmallPut)
  {
    this->UnderWay.SendOperation(host, operation, source, size);
    return;
  }
  this->UnderWay.SendOperation(host, operation, nullptr, 0);
  const MPI_Comm comm = this->UnderWay.Link().Ranks().Handle();
  const auto* bytes = static_cast<const std::byte*>(source);
  InPieces(size,
    [&](std::uint64_t done, std::uint64_t piece)
    {
      this->UnderWay.Add(
        host, Request::Send(comm, static_cast<int>(host), wire::PutTag, bytes + done, piece));
    });
}

void MpiMessages::Get(
  std::uint64_t host, std::uint64_t offset, void* destination, std::uint64_t size)
{
  const MPI_Comm comm = this->UnderWay.Link().Ranks().Handle();
  auto* bytes = static_cast<std::byte*>(destination);
  InPieces(size,
    [&](std::uint64_t done, std::uint64_t piece)
    {
      Request arriving =
        Request::Receive(comm, static_cast<int>(host), wire::GetTag, bytes + done, piece);
      this->UnderWay.SendOperation(host, { wire::Kind::Get, offset + done, piece, 0 }, nullptr, 0);
      this->UnderWay.Add(host, std::move(arriving));
    });
}

void MpiMessages::PutPieces(std::uint64_t host, std::span<const PutPiece> pieces)
{
  this->Touched[host] = true;
  InLists(
    pieces, [&](const PutPiece& piece) { this->Put(host, piece.Place, piece.Memory, piece.Size); },
    [&](std::span<const PutPiece> some, std::uint64_t size)
    {
      std::vector<std::byte> list = PlacesOf(some, size);
      std::byte* next = list.data() + some.size() * sizeof(wire::Place);
      for (const PutPiece& piece : some)
      {
        std::memcpy(next, piece.Memory, piece.Size);
        next += piece.Size;
      }
      this->UnderWay.SendOperation(
        host, { wire::Kind::PutPieces, 0, size, some.size() }, list.data(), list.size());
    });
}

void MpiMessages::GetPieces(std::uint64_t host, std::span<const GetPiece> pieces)
{
  InLists(
    pieces, [&](const GetPiece& piece) { this->Get(host, piece.Place, piece.Memory, piece.Size); },
    [&](std::span<const GetPiece> some, std::uint64_t size) { this->Ask(host, some, size); });
}

void MpiMessages::Ask(std::uint64_t host, std::span<const GetPiece> pieces, std::uint64_t size)
{
  if (this->ReplyBytes + size > MostReplyBytes)
  {
    this->TakeReplies();
  }
  this->ReplyBytes += size;
  Reply& reply = this->Replies.emplace_back(
    Reply{ std::vector<std::byte>(size), { pieces.begin(), pieces.end() } });
  Request arriving = Request::Receive(this->UnderWay.Link().Ranks().Handle(),
    static_cast<int>(host), wire::GetTag, reply.Bytes.data(), size);
  const std::vector<std::byte> list = PlacesOf(pieces, 0);
  this->UnderWay.SendOperation(
    host, { wire::Kind::GetPieces, 0, size, pieces.size() }, list.data(), list.size());
  this->UnderWay.Add(host, std::move(arriving));
}

// Waits for all.
void MpiMessages::TakeReplies()
{
  this->UnderWay.Wait();
  for (const Reply& reply : this->Replies)
  {
    const std::byte* next = reply.Bytes.data();
    for (const GetPiece& piece : reply.Pieces)
    {
      std::memcpy(piece.Memory, next, piece.Size);
      next += piece.Size;
    }
  }
  this->Replies.clear();
  this->ReplyBytes = 0;
}

void MpiMessages::Flush()
{
  for (std::uint64_t host = 0; host < this->Touched.size(); ++host)
  {
    if (this->Touched[host])
    {
      this->Touched[host] = false;
      this->UnderWay.Fence(host);
    }
  }
  this->TakeReplies();
}

}
