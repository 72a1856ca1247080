// SPDX-License-Identifier: BSD-3-Clause
#include "Transport/Mpi/MessageService.h"

#include "Base/Error.h"

#include <algorithm>
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
  this->Order.resize(wire::LargestOperation);
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
    if (message->Size < sizeof(wire::Operation) || message->Size > this->Order.size())
    {
      throw Error(Fault::Refused, "rank {} of an MPI link sent an order of {} bytes", message->From,
        message->Size);
    }
    TakeMessage(this->Link.Ranks(), *message, wire::OperationTag, this->Order.data());
    wire::Operation operation;
    std::memcpy(&operation, this->Order.data(), sizeof operation);
    this->Execute(message->From, operation, this->Order.data() + sizeof operation,
      message->Size - sizeof operation);
    busy = true;
  }
  return this->CompleteTransfers() || busy || !this->Leaving.empty() ||
    std::any_of(this->Peers.begin(), this->Peers.end(),
      [](const auto& peer) { return !peer.second.Arriving.empty(); });
}

// Offsets come from another process: a wrong one must not touch memory that is not lent.
void MessageService::CheckRange(int from, std::uint64_t offset, std::uint64_t size) const
{
  const std::uint64_t there = this->Link.SegmentSize();
  if (offset > there || size > there - offset)
  {
    throw Error(Fault::Refused,
      "rank {} of an MPI link asked for {} bytes at {} of a segment of {} bytes", from, size,
      offset, there);
  }
}

// Calls visit(place in the segment, size) for each piece that an order lists, once all are known to
// be lent.
template <typename Visitor>
void MessageService::ForEachPlace(int from, const wire::Operation& operation, const std::byte* data,
  std::uint64_t size, const Visitor& visit) const
{
  std::uint64_t sum = 0;
  bool fits = operation.Number <= size / sizeof(wire::Place);
  const auto placeAt = [&](std::uint64_t index)
  {
    wire::Place place;
    std::memcpy(&place, data + index * sizeof place, sizeof place);
    return place;
  };
  for (std::uint64_t i = 0; fits && i < operation.Number; ++i)
  {
    const wire::Place place = placeAt(i);
    this->CheckRange(from, place.Offset, place.Size);
    fits = place.Size <= wire::LargestList;
    sum += place.Size;
  }
  if (!fits || sum != operation.Size)
  {
    throw Error(Fault::Refused,
      "rank {} of an MPI link sent an order for {} pieces of {} bytes that does not list them",
      from, operation.Number, operation.Size);
  }
  for (std::uint64_t i = 0; i < operation.Number; ++i)
  {
    const wire::Place place = placeAt(i);
    visit(this->Link.Segment() + place.Offset, place.Size);
  }
}

void MessageService::PutPieces(
  int from, const wire::Operation& operation, const std::byte* data, std::uint64_t size)
{
  if (operation.Size > size || operation.Number * sizeof(wire::Place) != size - operation.Size)
  {
    throw Error(Fault::Refused, "rank {} of an MPI link sent {} bytes for {} pieces of {} bytes",
      from, size, operation.Number, operation.Size);
  }
  const std::byte* next = data + (size - operation.Size);
  this->ForEachPlace(from, operation, data, size - operation.Size,
    [&next](std::byte* place, std::uint64_t length)
    {
      std::memcpy(place, next, length);
      next += length;
    });
}

void MessageService::GetPieces(
  int from, const wire::Operation& operation, const std::byte* data, std::uint64_t size)
{
  std::vector<std::byte> reply;
  this->ForEachPlace(from, operation, data, size,
    [&reply](const std::byte* place, std::uint64_t length)
    { reply.insert(reply.end(), place, place + length); });
  this->Leaving.push_back(
    Request::SendOwned(this->Link.Ranks().Handle(), from, wire::GetTag, std::move(reply)));
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
      this->CheckRange(from, operation.Offset, operation.Size);
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
      this->CheckRange(from, operation.Offset, operation.Size);
      this->Leaving.push_back(Request::Send(comm, from, wire::GetTag, place, operation.Size));
      return;
    case wire::Kind::Fence:
      peer.Fences.push_back(operation.Number);
      return;
    case wire::Kind::Wake:
      this->Woken = true;
      return;
    case wire::Kind::PutPieces:
      this->PutPieces(from, operation, data, size);
      return;
    case wire::Kind::GetPieces:
      this->GetPieces(from, operation, data, size);
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
