// SPDX-License-Identifier: BSD-3-Clause
#include "Control/PendingReplies.h"

#include <utility>

namespace dsm
{

std::uint64_t PendingReplies::Begin()
{
  const std::lock_guard<std::mutex> lock(this->Guard);
  if (this->Broken)
  {
    throw Error(this->Broken->Kind, this->Broken->Text);
  }
  this->Entries.try_emplace(++this->Last);
  return this->Last;
}

void PendingReplies::Withdraw(std::uint64_t number)
{
  const std::lock_guard<std::mutex> lock(this->Guard);
  this->Entries.erase(number);
}

std::optional<Bytes> PendingReplies::Wait(std::uint64_t number, const Deadline& deadline, Late late)
{
  std::unique_lock<std::mutex> lock(this->Guard);
  Entry& entry = this->Entries.at(number);
  entry.Changed.wait_until(
    lock, deadline.TimePoint(), [&] { return entry.Reply || entry.Refusal || this->Broken; });
  // A reply that came before the channel broke is a reply.
  std::optional<Bytes> reply = std::move(entry.Reply);
  const std::optional<Failure> failure = entry.Refusal ? entry.Refusal : this->Broken;
  this->Entries.erase(number);
  if (!reply && failure)
  {
    throw Error(failure->Kind, failure->Text);
  }
  if (!reply && late)
  {
    this->GivenUp[number] = std::move(late);
  }
  return reply;
}

void PendingReplies::Complete(Envelope answer)
{
  std::unique_lock<std::mutex> lock(this->Guard);
  const auto found = this->Entries.find(answer.Id);
  if (found == this->Entries.end())
  {
    // Whoever asked has given up.
    const auto late = this->GivenUp.extract(answer.Id);
    lock.unlock();
    if (late && answer.What == Envelope::Kind::Reply)
    {
      late.mapped()(answer.Body);
    }
    return;
  }
  Entry& entry = found->second;
  if (answer.What == Envelope::Kind::Reply)
  {
    entry.Reply = std::move(answer.Body);
  }
  else
  {
    entry.Refusal = Failure{ answer.Reason, std::move(answer.Text) };
  }
  entry.Changed.notify_all();
}

void PendingReplies::Fail(Fault fault, const std::string& text)
{
  const std::lock_guard<std::mutex> lock(this->Guard);
  if (this->Broken)
  {
    return;
  }
  this->Broken = Failure{ fault, text };
  for (auto& [number, entry] : this->Entries)
  {
    entry.Changed.notify_all();
  }
}

bool PendingReplies::Failed() const
{
  const std::lock_guard<std::mutex> lock(this->Guard);
  return this->Broken.has_value();
}

}
