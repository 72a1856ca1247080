// SPDX-License-Identifier: BSD-3-Clause
#include "Transport/Mpi/MessageService.h"

#include "Base/Error.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace dsm
{

namespace
{
// Orders taken in one step: what else there is to do gets its turn.
constexpr int OrdersPerStep = 64;
// No more orders are taken while so many messages are under way.
constexpr std::size_t MostUnderWay = 1024;

// Drops the done ones at the front; true when there was one.
bool DropDone(std::deque<Request>& requests)
{
  bool any = false;
  while (!requests.empty() && requests.front().Done())
  {
    requests.pop_front();
    any = true;
  }
  return any;
}
}

bool MessageService::Step()
{
  bool busy = this->CompleteTransfers();
  std::array<std::byte, wire::LargestOperation> buffer;
  for (int i = 0; i < OrdersPerStep; ++i)
  {
    std::size_t underWay = this->Leaving.size();
    for (const auto& [rank, peer] : this->Peers)
    {
      underWay += peer.Arriving.size();
    }
    if (underWay > MostUnderWay)
    {
      return true;
    }
    const auto message = FindMessage(this->Link.Ranks(), wire::OperationTag);
    if (!message)
    {
      break;
    }
    if (message->Size < sizeof(wire::Operation) || message->Size > buffer.size())
    {
      throw Error(Fault::Refused, "rank {} of an MPI link sent an order of {} bytes", message->From,
        message->Size);
    }
    TakeMessage(this->Link.Ranks(), *message, wire::OperationTag, buffer.data());
    wire::Operation operation;
    std::memcpy(&operation, buffer.data(), sizeof operation);
    this->Execute(
      message->From, operation, buffer.data() + sizeof operation, message->Size - sizeof operation);
    busy = true;
  }
  return this->CompleteTransfers() || busy || !this->Leaving.empty() ||
    std::any_of(this->Peers.begin(), this->Peers.end(),
      [](const auto& peer) { return !peer.second.Arriving.empty(); });
}

// Offsets come from another process: a wrong one must not touch memory that is not lent.
void MessageService::CheckRange(int from, const wire::Operation& operation) const
{
  const std::uint64_t size = this->Link.SegmentSize();
  if (operation.Offset > size || operation.Size > size - operation.Offset)
  {
    throw Error(Fault::Refused,
      "rank {} of an MPI link asked for {} bytes at {} of a segment of {} bytes", from,
      operation.Size, operation.Offset, size);
  }
}

void MessageService::Execute(
  int from, const wire::Operation& operation, const std::byte* data, std::uint64_t size)
{
  Peer& peer = this->Peers[from];
  const MPI_Comm comm = this->Link.Ranks().Handle();
  std::byte* place = this->Link.Segment() + operation.Offset;
  switch (operation.What)
  {
    case wire::Kind::Put:
      this->CheckRange(from, operation);
      if (size > 0 || operation.Size == 0)
      {
        std::memcpy(place, data, std::min(size, operation.Size));
        return;
      }
      InPieces(operation.Size,
        [&](std::uint64_t done, std::uint64_t piece)
        {
          peer.Arriving.push_back(Request::Receive(comm, from, wire::PutTag, place + done, piece));
        });
      return;
    case wire::Kind::Get:
      this->CheckRange(from, operation);
      this->Leaving.push_back(Request::Send(comm, from, wire::GetTag, place, operation.Size));
      return;
    case wire::Kind::Fence:
      peer.Fences.push_back(operation.Number);
      return;
    case wire::Kind::Wake:
      this->Woken = true;
      return;
  }
  throw Error(Fault::Refused,
    "rank {} of an MPI link sent an order nobody knows: the two sides "
    "are of different versions",
    from);
}

// Lets go of what is done; answers fences whose puts are all here.
bool MessageService::CompleteTransfers()
{
  bool any = DropDone(this->Leaving);
  for (auto& [rank, peer] : this->Peers)
  {
    any = DropDone(peer.Arriving) || any;
    while (peer.Arriving.empty() && !peer.Fences.empty())
    {
      std::vector<std::byte> answer(sizeof(std::uint64_t));
      std::memcpy(answer.data(), &peer.Fences.front(), sizeof(std::uint64_t));
      this->Leaving.push_back(
        Request::SendOwned(this->Link.Ranks().Handle(), rank, wire::FenceTag, std::move(answer)));
      peer.Fences.pop_front();
      any = true;
    }
  }
  return any;
}

}
