// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Client/FetchedArray.h"
#include "Steering/Transaction.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace dsm
{

/// Transactions that were checked and encoded outside the time loop, in the order in which they
/// take effect.
///
/// Bytes is what every rank carries out (Bindings::Apply), one entry behind the other:
///
///     kind of entry (1 byte), index of the parameter or command (4 bytes), then
///       Bool 1 byte | Whole, Command 8 bytes | Real 8 bytes | Vector 24 bytes
///       Text (also an enumeration's choice) 4 bytes of length, and the text
///
/// The time loop broadcasts these, carries them out and adds what only it knows: the step, the
/// time, and what the parameters held before. None of that needs an encoding.
struct ChangePlan
{
  enum class Entry : std::uint8_t
  {
    Bool,
    Whole,
    Real,
    Vector,
    Text,
    Command
  };

  std::string Bytes;
  std::vector<FetchedArray> Arrays; ///< the elements of arrays that transactions set
  std::vector<Transaction> Asked;   ///< to check them again when other things are declared
  std::vector<Outcome> Outcomes;    ///< one for each, also for those refused; without what is below
  std::vector<Value> Before;        ///< what each entry but commands found, in their order
  std::int64_t Step = 0;
  double Time = 0;

  /// Checks a transaction and adds it: applied, or refused with reasons. The elements of arrays
  /// that it sets are in Arrays before.
  void Add(const Declarations& offered, Transaction transaction);

  /// Adds what another plan holds, behind this one's.
  void Append(ChangePlan&& other);

  /// Checks all of them again.
  void Renew(const Declarations& offered);

  /// The outcomes, complete: after the plan was carried out.
  std::vector<Outcome> Completed() const;

private:
  void RefuseUnfetched(
    const Declarations& offered, const Transaction& transaction, Outcome& outcome) const;
};

/// Reads the entries of ChangePlan::Bytes one after the other.
class ChangeReader
{
public:
  explicit ChangeReader(const std::string& bytes)
    : Position(bytes.data())
    , End(bytes.data() + bytes.size())
  {
  }

  /// False when there is no further entry.
  bool Next();

  bool IsCommand() const { return this->What == ChangePlan::Entry::Command; }
  std::uint32_t Index() const { return this->Which; }
  /// A parameter's new value.
  const Value& Content() const { return this->Current; }
  /// A command's argument.
  std::int64_t Argument() const { return std::get<std::int64_t>(this->Current); }

private:
  template <typename T>
  T Take();

  const char* Position;
  const char* End;
  ChangePlan::Entry What = ChangePlan::Entry::Bool;
  std::uint32_t Which = 0;
  Value Current;
};

}
