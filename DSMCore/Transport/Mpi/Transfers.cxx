// SPDX-License-Identifier: BSD-3-Clause
#include "Transport/Mpi/Transfers.h"

#include "Transport/QueueDepth.h"

#include <cstring>
#include <utility>
#include <vector>

namespace dsm
{

namespace
{
// So much may be on its way from the hosts at a time, in memory of the requests.
constexpr std::uint64_t MostComing = UINT64_C(16) << 20;
}

Transfers::Transfers(std::shared_ptr<MpiLink> link, WaitPolicy waitPolicy)
  : Joined(std::move(link))
  , Waiting(std::move(waitPolicy))
  , Depth(QueueDepth())
{
}

// Requests keep their memory until the process ends.
void Transfers::LeaveBehind() noexcept
{
  for (Transfer& transfer : this->UnderWay)
  {
    transfer.Moving.Cancel();
  }
  this->UnderWay.clear();
  this->Coming = 0;
}

void Transfers::Add(HostIndex host, Request request, Taking take)
{
  this->Coming += take ? request.Bytes().size() : 0;
  this->UnderWay.push_back({ host, std::move(request), std::move(take) });
  if (this->UnderWay.size() >= this->Depth)
  {
    while (this->UnderWay.size() > this->Depth / 2)
    {
      this->WaitForOldest();
    }
  }
  while (this->Coming > MostComing)
  {
    this->WaitForOldest();
  }
}

void Transfers::AddArrival(HostIndex host, Request request, std::byte* destination)
{
  this->Add(host, std::move(request), [destination](std::span<const std::byte> bytes)
    { std::memcpy(destination, bytes.data(), bytes.size()); });
}

void Transfers::SendOperation(
  HostIndex host, const wire::Operation& operation, const void* data, std::uint64_t size)
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

void Transfers::Fence(HostIndex host)
{
  // Asked for before it is waited for: Add may wait for the oldest.
  Request answer = Request::ReceiveOwned(
    this->Joined->Ranks().Handle(), static_cast<int>(host), wire::FenceTag, sizeof(std::uint64_t));
  this->SendOperation(host, { wire::Kind::Fence, 0, 0, ++this->LastFence }, nullptr, 0);
  this->Add(host, std::move(answer));
}

void Transfers::Wait()
{
  // What others have had under way by this link is no less lost.
  this->Joined->RequireNotGivenUp();
  while (!this->UnderWay.empty())
  {
    this->WaitForOldest();
  }
}

// Transfers to one host overtake each other rarely, so waiting for the oldest wastes little.
void Transfers::WaitForOldest()
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
    this->LeaveBehind();
    throw;
  }
  if (oldest.Take)
  {
    this->Coming -= oldest.Moving.Bytes().size();
    oldest.Take(oldest.Moving.Bytes());
  }
  this->UnderWay.pop_front();
}

}
