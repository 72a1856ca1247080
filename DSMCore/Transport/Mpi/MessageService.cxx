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
  bool busy = this->Settle();
  std::array<std::byte, wire::LargestOrder> buffer;
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
    const auto message = FindMessage(this->Link.Ranks(), wire::OrderTag);
    if (!message)
    {
      break;
    }
    if (message->Size < sizeof(wire::Order) || message->Size > buffer.size())
    {
      throw Error(Fault::Refused, "rank {} of an MPI link sent an order of {} bytes", message->From,
        message->Size);
    }
    TakeMessage(this->Link.Ranks(), *message, wire::OrderTag, buffer.data());
    wire::Order order;
    std::memcpy(&order, buffer.data(), sizeof order);
    this->Obey(message->From, order, buffer.data() + sizeof order, message->Size - sizeof order);
    busy = true;
  }
  return this->Settle() || busy || !this->Leaving.empty() ||
    std::any_of(this->Peers.begin(), this->Peers.end(),
      [](const auto& peer) { return !peer.second.Arriving.empty(); });
}

// Offsets come from another process: a wrong one must not touch memory that is not lent.
void MessageService::CheckRange(int from, const wire::Order& order) const
{
  const std::uint64_t size = this->Link.SegmentSize();
  if (order.Offset > size || order.Size > size - order.Offset)
  {
    throw Error(Fault::Refused,
      "rank {} of an MPI link asked for {} bytes at {} of a segment of {} bytes", from, order.Size,
      order.Offset, size);
  }
}

void MessageService::Obey(
  int from, const wire::Order& order, const std::byte* data, std::uint64_t size)
{
  Peer& peer = this->Peers[from];
  const MPI_Comm comm = this->Link.Ranks().Handle();
  std::byte* place = this->Link.Segment() + order.Offset;
  switch (order.What)
  {
    case wire::Kind::Put:
      this->CheckRange(from, order);
      if (size > 0 || order.Size == 0)
      {
        std::memcpy(place, data, std::min(size, order.Size));
        return;
      }
      InPieces(order.Size,
        [&](std::uint64_t done, std::uint64_t piece)
        {
          peer.Arriving.push_back(Request::Receive(comm, from, wire::PutTag, place + done, piece));
        });
      return;
    case wire::Kind::Get:
      this->CheckRange(from, order);
      this->Leaving.push_back(Request::Send(comm, from, wire::GetTag, place, order.Size));
      return;
    case wire::Kind::Fence:
      peer.Fences.push_back(order.Number);
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
bool MessageService::Settle()
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
