// SPDX-License-Identifier: BSD-3-Clause
#include "Server/ChannelEdge.h"

#include "Base/Log.h"

#include <utility>

namespace dsm
{

void ChannelEdge::Listen(Contact& contact, Listener::Handler handler, std::byte* mailboxes)
{
  auto made = std::make_unique<Listener>(contact, std::move(handler), mailboxes);
  const std::lock_guard lock(this->Guard);
  this->Channel = std::move(made);
}

void ChannelEdge::Close()
{
  std::unique_ptr<Listener> ending;
  {
    const std::lock_guard lock(this->Guard);
    ending = std::move(this->Channel);
  }
}

template <typename Work>
void ChannelEdge::WithListener(const Work& work) const
{
  const std::lock_guard lock(this->Guard);
  if (this->Channel)
  {
    work(*this->Channel);
  }
}

void ChannelEdge::TickBy(Clock::time_point moment)
{
  this->WithListener([&](Listener& listener) { listener.TickBy(moment); });
}

void ChannelEdge::SendBytes(const PeerId& peer, const char* name, Bytes event)
{
  this->WithListener([&](Listener& listener) { listener.SendBytes(peer, name, std::move(event)); });
}

std::optional<GivenMailbox> ChannelEdge::GiveMailbox(const RequestId& request, std::uint64_t spare)
{
  std::optional<GivenMailbox> mailbox;
  this->WithListener(
    [&](Listener& listener)
    {
      if (const auto given = listener.GiveMailbox(request, spare))
      {
        mailbox = GivenMailbox{ given->Number, given->Key };
      }
    });
  return mailbox;
}

void ChannelEdge::Admit(const std::string& key)
{
  this->WithListener([&](Listener& listener) { listener.Admit(key); });
}

void ChannelEdge::Withdraw(const std::string& key)
{
  this->WithListener([&](Listener& listener) { listener.Withdraw(key); });
}

std::vector<MessageCount> ChannelEdge::Traffic() const
{
  std::vector<MessageCount> traffic;
  this->WithListener(
    [&](const Listener& listener)
    {
      for (const auto& [name, received, sent] : listener.Traffic())
      {
        traffic.push_back({ name, received, sent });
      }
    });
  return traffic;
}

void ChannelEdge::Reply(const RequestId& request, Bytes body) noexcept
{
  try
  {
    this->WithListener([&](Listener& listener) { listener.ReplyBytes(request, std::move(body)); });
  }
  catch (const std::exception& error)
  {
    Log().warn("an answer to \"{}\" was not sent: {}", request.Name, error.what());
  }
}

void ChannelEdge::Refuse(const RequestId& request, const std::exception& error) noexcept
{
  try
  {
    this->WithListener([&](Listener& listener) { listener.Refuse(request, error); });
  }
  catch (const std::exception& failure)
  {
    Log().warn("a refusal of \"{}\" was not sent: {}", request.Name, failure.what());
  }
}

}
