// SPDX-License-Identifier: BSD-3-Clause
#include "Control/Mailboxes.h"

#include "Base/RandomNumber.h"

#include <algorithm>

namespace dsm
{

Mailbox Mailboxes::At(std::byte* memory, std::uint64_t number)
{
  return { memory + Mailbox::Alignment + number * Mailbox::Size, Doorbell(memory) };
}

Mailboxes::Mailboxes(std::byte* memory)
  : Memory(memory)
  , Boxes(memory ? Count : 0)
{
}

std::optional<Mailboxes::Given> Mailboxes::Give(const RequestId& request, std::uint64_t spare)
{
  const std::lock_guard lock(this->Guard);
  const auto own = std::find_if(this->Boxes.begin(), this->Boxes.end(),
    [&](const Box& box) { return box.Peer == request.Peer; });
  const auto isFree = [](const Box& box) { return box.Free; };
  const auto found = own != this->Boxes.end() ? own : std::ranges::find_if(this->Boxes, isFree);
  if (found == this->Boxes.end() ||
    (found->Free &&
      static_cast<std::uint64_t>(std::ranges::count_if(this->Boxes, isFree)) <= spare))
  {
    return std::nullopt;
  }
  if (found->Free)
  {
    *found = { false, request.Peer, request.Key, RandomNumber() };
  }
  return Given{ static_cast<std::uint64_t>(found - this->Boxes.begin()), found->Key };
}

void Mailboxes::Gone(const PeerId& peer, bool lost)
{
  const std::lock_guard lock(this->Guard);
  for (std::uint64_t number = 0; number < this->Boxes.size(); ++number)
  {
    Box& box = this->Boxes[number];
    if (box.Peer == peer)
    {
      const bool idle = At(this->Memory, number).Now() == Mailbox::State::Idle;
      box = {};
      box.Free = !lost && idle;
    }
  }
}

std::optional<Mailboxes::Request> Mailboxes::Take()
{
  if (!this->Memory)
  {
    return std::nullopt;
  }
  const std::lock_guard lock(this->Guard);
  this->Seen = Doorbell(this->Memory).Count();
  for (std::uint64_t i = 0; i < this->Boxes.size(); ++i)
  {
    const std::uint64_t number = (this->Next + i) % this->Boxes.size();
    const Box& box = this->Boxes[number];
    const Mailbox there = At(this->Memory, number);
    if (!box.Peer.empty() && there.Take(box.Key))
    {
      this->Next = number + 1;
      return Request{ box.Peer, box.ConnectionKey, there };
    }
  }
  return std::nullopt;
}

void Mailboxes::Await(Seconds limit)
{
  Doorbell(this->Memory).Wait(this->Seen, limit);
}

void Mailboxes::Wake()
{
  if (this->Memory)
  {
    Doorbell(this->Memory).Ring();
  }
}

}
