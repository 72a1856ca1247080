// SPDX-License-Identifier: BSD-3-Clause
#include "Transport/Mpi/Transfers.h"

#include "Mpi/Leak.h"
#include "Transport/QueueDepth.h"

#include <cstring>
#include <utility>

namespace dsm
{

Transfers::Transfers(std::shared_ptr<MpiLink> link, WaitPolicy waitPolicy)
  : Joined(std::move(link))
  , Waiting(std::move(waitPolicy))
  , Depth(QueueDepth())
  , Answers(this->Joined->Hosts(), 0)
{
}

Transfers::~Transfers()
{
  if (!this->UnderWay.empty())
  {
    for (Transfer& transfer : this->UnderWay)
    {
      transfer.Moving.Cancel();
    }
    Leak(std::move(this->Answers));
  }
}

void Transfers::Add(std::uint64_t host, Request request)
{
  this->UnderWay.push_back({ host, std::move(request) });
  if (this->UnderWay.size() >= this->Depth)
  {
    this->WaitUntilAtMost(this->Depth / 2);
  }
}

void Transfers::SendOperation(
  std::uint64_t host, const wire::Operation& operation, const void* data, std::uint64_t size)
{
  std::vector<std::byte> message(sizeof operation + size);
  std::memcpy(message.data(), &operation, sizeof operation);
  if (size > 0)
  {
    std::memcpy(message.data() + sizeof operation, data, size);
  }
  this->Add(host,
    Request::SendOwned(this->Joined->Ranks().Handle(), static_cast<int>(host), wire::OperationTag,
      std::move(message)));
}

void Transfers::Fence(std::uint64_t host)
{
  // Asked for before it is waited for: Add may wait for the oldest.
  Request answer = Request::Receive(this->Joined->Ranks().Handle(), static_cast<int>(host),
    wire::FenceTag, &this->Answers[host], sizeof(std::uint64_t));
  this->SendOperation(host, { wire::Kind::Fence, 0, 0, ++this->LastFence }, nullptr, 0);
  this->Add(host, std::move(answer));
}

// Transfers to one host overtake each other rarely, so waiting for the oldest wastes little.
void Transfers::WaitUntilAtMost(std::size_t count)
{
  while (this->UnderWay.size() > count)
  {
    Transfer& oldest = this->UnderWay.front();
    try
    {
      WaitFor(
        this->Waiting, "a transfer", [&oldest] { return oldest.Moving.Done(); },
        HostName{ oldest.Host, this->Joined->Hosts() });
    }
    catch (const std::exception& error)
    {
      this->Joined->GiveUp(error.what());
      throw;
    }
    this->UnderWay.pop_front();
  }
}

}
