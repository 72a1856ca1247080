// SPDX-License-Identifier: BSD-3-Clause
#include "Control/Mailbox.h"

#include "Base/Futex.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace dsm
{

namespace
{
using Word = std::atomic_ref<std::uint32_t>;

// state, length, the key of who asks, the message
constexpr std::uint64_t LengthOffset = 4;
constexpr std::uint64_t KeyOffset = 8;
constexpr std::uint64_t MessageOffset = Mailbox::Size - Mailbox::Capacity;

std::uint32_t* NumberAt(std::byte* place)
{
  return reinterpret_cast<std::uint32_t*>(place);
}

Word WordAt(std::byte* place)
{
  return Word(*NumberAt(place));
}
}

Mailbox::State Mailbox::Now() const
{
  return static_cast<State>(WordAt(this->Place).load(std::memory_order_acquire));
}

bool Mailbox::Change(State from, State to) const
{
  auto expected = static_cast<std::uint32_t>(from);
  if (!WordAt(this->Place).compare_exchange_strong(expected, static_cast<std::uint32_t>(to)))
  {
    return false;
  }
  futex::Wake(NumberAt(this->Place));
  return true;
}

void Mailbox::Put(const Bytes& message) const
{
  WordAt(this->Place + LengthOffset).store(static_cast<std::uint32_t>(message.size()));
  std::memcpy(this->Place + MessageOffset, message.data(), message.size());
}

// The other end may write anything at any moment: the length is read once.
Bytes Mailbox::Get() const
{
  const std::uint64_t length =
    std::min<std::uint64_t>(WordAt(this->Place + LengthOffset).load(), Capacity);
  Bytes message(length);
  std::memcpy(message.data(), this->Place + MessageOffset, length);
  return message;
}

bool Mailbox::Ask(std::uint64_t key, const Bytes& message) const
{
  if (message.size() > Capacity || this->Now() != State::Idle)
  {
    return false;
  }
  std::memcpy(this->Place + KeyOffset, &key, sizeof key);
  this->Put(message);
  WordAt(this->Place).store(static_cast<std::uint32_t>(State::Asked));
  this->Bell.Ring();
  return true;
}

void Mailbox::SleepWhile(State state, Seconds limit) const
{
  futex::Wait(NumberAt(this->Place), static_cast<std::uint32_t>(state), limit);
}

Bytes Mailbox::TakeAnswer() const
{
  Bytes answer = this->Get();
  this->Change(State::Answered, State::Idle);
  return answer;
}

void Mailbox::Reset() const
{
  this->Change(State::Deferred, State::Idle);
}

Mailbox::State Mailbox::Withdraw() const
{
  if (this->Change(State::Asked, State::Idle))
  {
    return State::Idle;
  }
  return this->Change(State::Taken, State::GivenUp) ? State::GivenUp : this->Now();
}

bool Mailbox::Take(std::uint64_t key) const
{
  if (this->Now() != State::Asked)
  {
    return false;
  }
  std::uint64_t found = 0;
  std::memcpy(&found, this->Place + KeyOffset, sizeof found);
  return found == key && this->Change(State::Asked, State::Taken);
}

Bytes Mailbox::Request() const
{
  return this->Get();
}

bool Mailbox::Answer(const Bytes& message) const
{
  if (message.size() > Capacity || this->Now() != State::Taken)
  {
    this->Defer();
    return false;
  }
  this->Put(message);
  if (!this->Change(State::Taken, State::Answered))
  {
    this->Change(State::GivenUp, State::Idle);
    return false;
  }
  return true;
}

void Mailbox::Defer() const
{
  if (!this->Change(State::Taken, State::Deferred))
  {
    this->Change(State::GivenUp, State::Idle);
  }
}

}
