// SPDX-License-Identifier: BSD-3-Clause
#include "Client/ChangePlan.h"

#include "Base/Error.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <type_traits>

namespace dsm
{

namespace
{
template <typename T>
void Put(std::string& bytes, const T& value)
{
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void PutEntry(std::string& bytes, ChangePlan::Entry entry, std::size_t index)
{
  Put(bytes, entry);
  Put(bytes, static_cast<std::uint32_t>(index));
}

void PutValue(std::string& bytes, std::size_t index, const Value& value)
{
  // The kinds of entries follow the alternatives of Value; a text comes as Text.
  std::visit(
    [&](const auto& content)
    {
      using Content = std::decay_t<decltype(content)>;
      if constexpr (std::is_same_v<Content, bool>)
      {
        PutEntry(bytes, ChangePlan::Entry::Bool, index);
        Put(bytes, static_cast<std::uint8_t>(content));
      }
      else if constexpr (std::is_same_v<Content, std::int64_t>)
      {
        PutEntry(bytes, ChangePlan::Entry::Whole, index);
        Put(bytes, content);
      }
      else if constexpr (std::is_same_v<Content, double>)
      {
        PutEntry(bytes, ChangePlan::Entry::Real, index);
        Put(bytes, content);
      }
      else if constexpr (std::is_same_v<Content, Vector3>)
      {
        PutEntry(bytes, ChangePlan::Entry::Vector, index);
        Put(bytes, content);
      }
      else
      {
        PutEntry(bytes, ChangePlan::Entry::Text, index);
        Put(bytes, static_cast<std::uint32_t>(content.size()));
        bytes += content;
      }
    },
    value);
}

template <typename T>
void MoveBehind(std::vector<T>& first, std::vector<T>&& second)
{
  first.insert(
    first.end(), std::make_move_iterator(second.begin()), std::make_move_iterator(second.end()));
}
}

void ChangePlan::Add(const Declarations& offered, Transaction transaction)
{
  Outcome outcome;
  outcome.Number = transaction.Number;
  outcome.Who = transaction.Who;
  outcome.Refusals = Check(offered, transaction);
  this->RefuseUnfetched(offered, transaction, outcome);
  outcome.Applied = outcome.Refusals.empty();
  if (outcome.Applied)
  {
    for (const auto& [name, plain] : transaction.Set)
    {
      const auto* parameter = offered.FindParameter(name);
      const Value value = parameter->Accept(plain);
      PutValue(this->Bytes, std::size_t(parameter - offered.Parameters.data()), value);
      outcome.Changes.push_back({ name, {}, ToPlainValue(value) });
    }
    for (const auto& [name, plain] : transaction.Commands)
    {
      const auto* command = offered.FindCommand(name);
      const std::int64_t argument = command->Accept(plain);
      PutEntry(this->Bytes, Entry::Command, std::size_t(command - offered.Commands.data()));
      Put(this->Bytes, argument);
      outcome.Commands.emplace_back(name, argument);
    }
    // So that the time loop need not allocate.
    this->Before.reserve(this->Before.capacity() + outcome.Changes.size());
  }
  this->Outcomes.push_back(std::move(outcome));
  this->Asked.push_back(std::move(transaction));
}

// Refuses a transaction if an array of it cannot be read: all of it takes effect, or nothing.
void ChangePlan::RefuseUnfetched(
  const Declarations& offered, const Transaction& transaction, Outcome& outcome) const
{
  if (!outcome.Refusals.empty())
  {
    return;
  }
  for (const auto& [name, text] : ArraysOf(offered, transaction))
  {
    const auto found = std::ranges::find(this->Arrays, text, &FetchedArray::Text);
    if (found == this->Arrays.end())
    {
      outcome.Refusals.push_back({ name, "was declared as an array just now: send it again" });
    }
    else if (!found->Bytes)
    {
      outcome.Refusals.push_back({ name, found->Why });
    }
  }
}

void ChangePlan::Append(ChangePlan&& other)
{
  MoveBehind(this->Arrays, std::move(other.Arrays));
  this->Bytes += other.Bytes;
  this->Before.reserve(this->Before.capacity() + other.Before.capacity());
  MoveBehind(this->Asked, std::move(other.Asked));
  MoveBehind(this->Outcomes, std::move(other.Outcomes));
}

void ChangePlan::Renew(const Declarations& offered)
{
  ChangePlan renewed;
  renewed.Arrays = std::move(this->Arrays);
  for (auto& transaction : this->Asked)
  {
    renewed.Add(offered, std::move(transaction));
  }
  *this = std::move(renewed);
}

std::vector<Outcome> ChangePlan::Completed() const
{
  auto settled = this->Outcomes;
  auto before = this->Before.begin();
  for (Outcome& outcome : settled)
  {
    outcome.Step = this->Step;
    outcome.Time = this->Time;
    for (auto& change : outcome.Changes)
    {
      change.Old = ToPlainValue(*before++);
    }
  }
  return settled;
}

template <typename T>
T ChangeReader::Take()
{
  T value;
  if (static_cast<std::size_t>(this->End - this->Position) < sizeof value)
  {
    throw Error(
      Fault::System, "what rank 0 broadcast to be changed ends in the middle of an entry");
  }
  std::memcpy(&value, this->Position, sizeof value);
  this->Position += sizeof value;
  return value;
}

bool ChangeReader::Next()
{
  if (this->Position == this->End)
  {
    return false;
  }
  this->What = this->Take<ChangePlan::Entry>();
  this->Which = this->Take<std::uint32_t>();
  switch (this->What)
  {
    case ChangePlan::Entry::Bool:
      this->Current = this->Take<std::uint8_t>() != 0;
      return true;
    case ChangePlan::Entry::Whole:
    case ChangePlan::Entry::Command:
      this->Current = this->Take<std::int64_t>();
      return true;
    case ChangePlan::Entry::Real:
      this->Current = this->Take<double>();
      return true;
    case ChangePlan::Entry::Vector:
      this->Current = this->Take<Vector3>();
      return true;
    case ChangePlan::Entry::Text:
    {
      const auto size = this->Take<std::uint32_t>();
      if (static_cast<std::size_t>(this->End - this->Position) < size)
      {
        break;
      }
      this->Current = std::string(this->Position, size);
      this->Position += size;
      return true;
    }
  }
  throw Error(Fault::System, "what rank 0 broadcast to be changed is not readable");
}

}
