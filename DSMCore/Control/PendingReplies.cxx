// SPDX-License-Identifier: BSD-3-Clause
#include "Control/PendingReplies.h"

#include <utility>

namespace dsm
{

namespace
{
using Json = nlohmann::json;
}

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

std::optional<Json> PendingReplies::Wait(std::uint64_t number, const Deadline& deadline)
{
  std::unique_lock<std::mutex> lock(this->Guard);
  Entry& entry = this->Entries.at(number);
  entry.Changed.wait_until(
    lock, deadline.TimePoint(), [&] { return entry.Reply || entry.Refusal || this->Broken; });
  // A reply that came before the channel broke is a reply.
  std::optional<Json> reply = std::move(entry.Reply);
  const std::optional<Failure> failure = entry.Refusal ? entry.Refusal : this->Broken;
  this->Entries.erase(number);
  if (!reply && failure)
  {
    throw Error(failure->Kind, failure->Text);
  }
  return reply;
}

void PendingReplies::Settle(Json reply)
{
  const Json id = reply.value("id", Json());
  const std::lock_guard<std::mutex> lock(this->Guard);
  const auto found =
    id.is_number_unsigned() ? this->Entries.find(id.get<std::uint64_t>()) : this->Entries.end();
  if (found == this->Entries.end())
  {
    return; // whoever asked has given up
  }
  Entry& entry = found->second;
  if (reply.value("ok", Json()) == true)
  {
    entry.Reply = std::move(reply);
  }
  else
  {
    const Json fault = reply.value("fault", Json());
    const Json text = reply.value("text", Json());
    entry.Refusal = Failure{ fault.is_string() ? FaultFromName(fault) : Fault::System,
      text.is_string() ? text.get<std::string>() : "the server refused and did not say why" };
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
