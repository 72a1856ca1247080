// SPDX-License-Identifier: BSD-3-Clause
#include "Session/HostAgent.h"

#include "Base/Error.h"
#include "Base/Log.h"
#include "Base/Threads.h"
#include "Session/Connection.h"
#include "Session/MpiService.h"
#include "Session/Peer.h"

namespace dsm
{

namespace
{
// A long range is populated in pieces of this size, so that newer tasks need not wait for its end.
constexpr std::uint64_t PopulateStep = UINT64_C(32) << 20;
}

HostAgent::HostAgent(Segment segment, std::uint64_t slotSize, std::uint64_t host,
  const Contact& contact, const std::string& contactPath, MpiService* mpi)
  : Memory(std::move(segment))
  , SlotSize(slotSize)
  , Host(host)
  , Mpi(mpi)
{
  this->Link = std::make_unique<Channel>(
    contact, contactPath, [this](const nlohmann::json& event) { this->Enqueue(event); });
  this->Link->Request("hello",
    { { "protocol", ProtocolVersion }, { "peer", DescribeThisProcess("host", 1) },
      { "host", host } },
    Deadline(RequestTimeout()));
  if (this->Mpi)
  {
    this->Mpi->Start([this](const std::string& what, nlohmann::json arguments)
      { this->Link->Notify(what, std::move(arguments)); });
  }
  const SignalsBlocked quiet;
  this->Worker = std::thread([this] { this->Run(); });
}

HostAgent::~HostAgent()
{
  {
    const std::lock_guard lock(this->Guard);
    this->Ending = true;
  }
  this->Wake.notify_all();
  if (this->Worker.joinable())
  {
    this->Worker.join();
  }
  if (this->Mpi)
  {
    this->Mpi->End(); // it speaks through the channel
  }
  this->Link.reset();
}

void HostAgent::Enqueue(const nlohmann::json& event)
{
  if (this->Mpi && this->Mpi->Told(event))
  {
    return;
  }
  if (event.value("event", "") == "prepare")
  {
    {
      const std::lock_guard lock(this->Guard);
      this->ToClean.push_back(event);
    }
    this->Wake.notify_all();
  }
}

void HostAgent::Run()
{
  std::unique_lock lock(this->Guard);
  for (;;)
  {
    this->Wake.wait(
      lock, [this] { return this->Ending || !this->ToClean.empty() || !this->ToPopulate.empty(); });
    if (this->Ending)
    {
      return;
    }
    // Cleaning comes first: a writer may be waiting for it.
    if (!this->ToClean.empty())
    {
      const nlohmann::json task = std::move(this->ToClean.front());
      this->ToClean.pop_front();
      lock.unlock();
      this->Clean(task);
      lock.lock();
      this->ForgetReleased(task);
      this->ToPopulate.push_back(this->Locate(task.at("populate")));
      continue;
    }
    Range range = this->ToPopulate.front();
    this->ToPopulate.pop_front();
    const std::uint64_t now = std::min(range.Size, PopulateStep);
    if (range.Size > now)
    {
      this->ToPopulate.push_front({ range.Begin + now, range.Size - now });
    }
    lock.unlock();
    this->PopulateSome({ range.Begin, now });
    lock.lock();
  }
}

HostAgent::Range HostAgent::Locate(const nlohmann::json& range) const
{
  return { range.at("slot").get<std::uint64_t>() * this->SlotSize,
    range.at("bytes").get<std::uint64_t>() };
}

// Does what has to be done before the slot can be written, and reports.
void HostAgent::Clean(const nlohmann::json& task)
{
  std::string failure;
  try
  {
    for (const auto& one : task.at("release"))
    {
      const Range range = this->Locate(one);
      this->Memory.Release(range.Begin, range.Size);
    }
    const Range range = this->Locate(task.at("zero"));
    this->Memory.Zero(range.Begin, range.Size);
    const Range copied = this->Locate(task.at("copy"));
    if (copied.Size > 0)
    {
      this->Memory.Copy(
        task.at("to").get<std::uint64_t>() * this->SlotSize, copied.Begin, copied.Size);
    }
  }
  catch (const std::exception& error)
  {
    failure = error.what();
  }
  this->Link->Notify("cleaned", { { "tickets", task.at("tickets") }, { "failure", failure } });
}

// What was released must not come back because an older task wanted it.
void HostAgent::ForgetReleased(const nlohmann::json& task)
{
  for (const auto& one : task.at("release"))
  {
    const Range released = this->Locate(one);
    std::erase_if(this->ToPopulate, [&](const Range& range)
      { return range.Begin / this->SlotSize == released.Begin / this->SlotSize; });
  }
}

void HostAgent::PopulateSome(Range range)
{
  try
  {
    this->Memory.Populate(range.Begin, range.Size);
  }
  catch (const std::exception& error)
  {
    this->Link->Notify("trouble", { { "text", error.what() } });
  }
}

}
