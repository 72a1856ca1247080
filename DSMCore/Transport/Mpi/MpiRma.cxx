// SPDX-License-Identifier: BSD-3-Clause
#include "Transport/Mpi/MpiRma.h"

#include <utility>

namespace dsm
{

namespace
{
// A host makes progress without a pause for a second after it was woken.
constexpr auto WakeEvery = std::chrono::milliseconds(300);
// From this size on a put is a request of its own: below, MPI libraries copy the bytes and need
// nothing from the host, and the request would cost more than the put.
constexpr std::uint64_t LargePut = 16384;
// So much of what is below waits for a flush, so that no answer is late for it.
constexpr std::uint64_t MostSmallPuts = 1024;
constexpr std::uint64_t MostSmallBytes = UINT64_C(4) << 20;
}

MpiRma::MpiRma(const std::shared_ptr<MpiLink>& link, const WaitPolicy& waitPolicy)
  : UnderWay(link, waitPolicy)
  , Pieces(this->UnderWay)
  , Hosts(link->Hosts())
  , FlushWatchdog(Seconds(waitPolicy.Limit), waitPolicy.Overdue)
{
}

void MpiRma::Wake(HostIndex host)
{
  const auto now = Clock::now();
  if (now - this->Hosts[host].LastWake >= WakeEvery)
  {
    this->Hosts[host].LastWake = now;
    this->UnderWay.SendOperation(host, { wire::Kind::Wake, 0, 0, 0 }, nullptr, 0);
  }
}

void MpiRma::Put(HostIndex host, std::uint64_t offset, const void* source, std::uint64_t size)
{
  this->Wake(host);
  this->Hosts[host].Written = true;
  Window& memory = this->UnderWay.Link().Memory();
  if (size < LargePut)
  {
    memory.Put(static_cast<int>(host), offset, source, size);
    this->SmallBytes += size;
    if (++this->SmallPuts >= MostSmallPuts || this->SmallBytes >= MostSmallBytes)
    {
      this->Flush();
    }
    return;
  }
  const auto* bytes = static_cast<const std::byte*>(source);
  InPieces(size,
    [&](std::uint64_t done, std::uint64_t piece)
    {
      this->UnderWay.Add(
        host, memory.StartPut(static_cast<int>(host), offset + done, bytes + done, piece));
    });
}

void MpiRma::Get(HostIndex host, std::uint64_t offset, void* destination, std::uint64_t size)
{
  this->Wake(host);
  Window& memory = this->UnderWay.Link().Memory();
  auto* bytes = static_cast<std::byte*>(destination);
  InPieces(
    size,
    [&](std::uint64_t done, std::uint64_t piece)
    {
      this->UnderWay.AddArrival(
        host, memory.StartGet(static_cast<int>(host), offset + done, piece), bytes + done);
    },
    Transfers::LargestArrival);
}

void MpiRma::PutPieces(HostIndex host, std::span<const PutPiece> pieces)
{
  const bool sent = this->Pieces.Put(host, pieces,
    [&](const PutPiece& piece) { this->Put(host, piece.Place, piece.Memory, piece.Size); });
  this->Hosts[host].Listed = this->Hosts[host].Listed || sent;
}

void MpiRma::GetPieces(HostIndex host, std::span<const GetPiece> pieces)
{
  this->Pieces.Get(host, pieces,
    [&](const GetPiece& piece) { this->Get(host, piece.Place, piece.Memory, piece.Size); });
}

void MpiRma::Flush()
{
  for (HostIndex host = 0; host < this->Hosts.size(); ++host)
  {
    if (std::exchange(this->Hosts[host].Listed, false))
    {
      this->UnderWay.Fence(host);
    }
    if (this->Hosts[host].Written)
    {
      this->UnderWay.Add(
        host, this->UnderWay.Link().Memory().StartGet(static_cast<int>(host), 0, 1));
    }
  }
  this->UnderWay.Wait();
  const Watchdog::Watch watch(this->FlushWatchdog, "MPI_Win_flush");
  for (HostIndex host = 0; host < this->Hosts.size(); ++host)
  {
    if (std::exchange(this->Hosts[host].Written, false))
    {
      this->UnderWay.Link().Memory().Flush(static_cast<int>(host));
    }
  }
  this->SmallPuts = 0;
  this->SmallBytes = 0;
}

}
