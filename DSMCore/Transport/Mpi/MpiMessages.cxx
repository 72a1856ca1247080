// SPDX-License-Identifier: BSD-3-Clause
#include "Transport/Mpi/MpiMessages.h"

#include "Base/Error.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace dsm
{

namespace
{
// So many messages may be under way: enough to keep a network busy with small ones, few enough for
// every MPI library's queues.
constexpr std::size_t MostUnderWay = 256;

template <typename Move>
void InPieces(std::uint64_t size, const Move& move)
{
  for (std::uint64_t done = 0; done < size; done += Request::LargestMessage)
  {
    move(done, std::min(Request::LargestMessage, size - done));
  }
}
}

MpiMessages::MpiMessages(std::shared_ptr<MpiLink> link, MpiPatience patience)
  : Link(std::move(link))
  , Patience(std::move(patience))
  , Touched(this->Link->Hosts(), false)
  , Answers(this->Link->Hosts(), 0)
{
}

void MpiMessages::Add(Request request)
{
  this->UnderWay.push_back(std::move(request));
  if (this->UnderWay.size() > MostUnderWay)
  {
    this->WaitUntilAtMost(MostUnderWay / 2);
  }
}

// Messages to one host overtake each other rarely, so waiting for the oldest wastes little.
void MpiMessages::WaitUntilAtMost(std::size_t count)
{
  while (this->UnderWay.size() > count)
  {
    WaitPatiently(this->Patience, "a transfer", [this] { return this->UnderWay.front().Done(); });
    this->UnderWay.pop_front();
  }
}

void MpiMessages::Order(
  std::uint64_t host, const wire::Order& order, const void* data, std::uint64_t size)
{
  std::vector<std::byte> message(sizeof order + size);
  std::memcpy(message.data(), &order, sizeof order);
  if (size > 0)
  {
    std::memcpy(message.data() + sizeof order, data, size);
  }
  this->Add(Request::SendOwned(
    this->Link->Ranks().Handle(), static_cast<int>(host), wire::OrderTag, std::move(message)));
}

void MpiMessages::Put(
  std::uint64_t host, std::uint64_t offset, const void* source, std::uint64_t size)
{
  this->Touched[host] = true;
  const wire::Order order{ wire::Kind::Put, offset, size, 0 };
  if (size <= wire::SmallPut)
  {
    this->Order(host, order, source, size);
    return;
  }
  this->Order(host, order, nullptr, 0);
  const auto* bytes = static_cast<const std::byte*>(source);
  InPieces(size,
    [&](std::uint64_t done, std::uint64_t piece)
    {
      this->Add(Request::Send(
        this->Link->Ranks().Handle(), static_cast<int>(host), wire::PutTag, bytes + done, piece));
    });
}

void MpiMessages::Get(
  std::uint64_t host, std::uint64_t offset, void* destination, std::uint64_t size)
{
  auto* bytes = static_cast<std::byte*>(destination);
  InPieces(size,
    [&](std::uint64_t done, std::uint64_t piece)
    {
      this->Add(Request::Receive(
        this->Link->Ranks().Handle(), static_cast<int>(host), wire::GetTag, bytes + done, piece));
      this->Order(host, { wire::Kind::Get, offset + done, piece, 0 }, nullptr, 0);
    });
}

void MpiMessages::Flush()
{
  ++this->LastFence;
  for (std::uint64_t host = 0; host < this->Touched.size(); ++host)
  {
    if (this->Touched[host])
    {
      this->Touched[host] = false;
      this->UnderWay.push_back(Request::Receive(this->Link->Ranks().Handle(),
        static_cast<int>(host), wire::FenceTag, &this->Answers[host], sizeof(std::uint64_t)));
      this->Order(host, { wire::Kind::Fence, 0, 0, this->LastFence }, nullptr, 0);
    }
  }
  this->WaitUntilAtMost(0);
}

}
