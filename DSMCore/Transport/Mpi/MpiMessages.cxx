// SPDX-License-Identifier: BSD-3-Clause
#include "Transport/Mpi/MpiMessages.h"

#include <utility>

namespace dsm
{

MpiMessages::MpiMessages(const std::shared_ptr<MpiLink>& link, const WaitPolicy& waitPolicy)
  : UnderWay(link, waitPolicy)
  , Pieces(this->UnderWay)
  , Touched(link->Hosts(), false)
{
}

void MpiMessages::Put(HostIndex host, std::uint64_t offset, const void* source, std::uint64_t size)
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

void MpiMessages::Get(HostIndex host, std::uint64_t offset, void* destination, std::uint64_t size)
{
  const MPI_Comm comm = this->UnderWay.Link().Ranks().Handle();
  auto* bytes = static_cast<std::byte*>(destination);
  InPieces(
    size,
    [&](std::uint64_t done, std::uint64_t piece)
    {
      Request arriving = Request::ReceiveOwned(comm, static_cast<int>(host), wire::GetTag, piece);
      this->UnderWay.SendOperation(host, { wire::Kind::Get, offset + done, piece, 0 }, nullptr, 0);
      this->UnderWay.AddArrival(host, std::move(arriving), bytes + done);
    },
    Transfers::LargestArrival);
}

void MpiMessages::PutPieces(HostIndex host, std::span<const PutPiece> pieces)
{
  this->Touched[host] = true;
  this->Pieces.Put(host, pieces,
    [&](const PutPiece& piece) { this->Put(host, piece.Place, piece.Memory, piece.Size); });
}

void MpiMessages::GetPieces(HostIndex host, std::span<const GetPiece> pieces)
{
  this->Pieces.Get(host, pieces,
    [&](const GetPiece& piece) { this->Get(host, piece.Place, piece.Memory, piece.Size); });
}

void MpiMessages::Flush()
{
  for (HostIndex host = 0; host < this->Touched.size(); ++host)
  {
    if (this->Touched[host])
    {
      this->Touched[host] = false;
      this->UnderWay.Fence(host);
    }
  }
  this->UnderWay.Wait();
}

}
