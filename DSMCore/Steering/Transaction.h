// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/StrongType.h"
#include "Steering/Declaration.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dsm
{

/// One Apply: takes effect as a whole, or not at all.
struct Transaction
{
  std::uint64_t Number = 0; ///< counts per session of a server; 0: not a server's
  std::string Who;          ///< for people, and for the log
  std::vector<std::pair<std::string, PlainValue>> Set;
  std::vector<std::pair<std::string, PlainValue>> Commands; ///< name and argument (or none)
};

/// Why a name of a transaction was refused.
struct Refusal
{
  std::string Name;
  std::string Reason;
};

/// What became of a transaction.
struct Outcome
{
  struct Change
  {
    std::string Name;
    PlainValue Old;
    PlainValue New;
  };

  /// What else there is to tell: of a file that was written, and in a sentence for people.
  struct Information
  {
    std::optional<std::string> Path;
    std::optional<SnapshotId> Snapshot;
    std::optional<std::string> File;
    std::optional<std::uint64_t> Bytes;
    std::optional<std::string> Note;
  };

  std::uint64_t Number = 0;
  std::string Who;
  bool Applied = false;
  std::int64_t Step = 0; ///< at which it took effect, or was refused
  double Time = 0;
  std::vector<Change> Changes;
  std::vector<std::pair<std::string, std::int64_t>> Commands; ///< name and argument
  std::vector<Refusal> Refusals;
  std::optional<Information> Detail;
};

/// Returns the arrays that a transaction sets: the names of the parameters, and the text of each
/// SentArray.
std::vector<std::pair<std::string, std::string>> ArraysOf(
  const Declarations& offered, const Transaction& transaction);

/// All that is wrong with a transaction; empty when it can be applied.
std::vector<Refusal> Check(const Declarations& offered, const Transaction& transaction);

void Describe(Fields&, Transaction&);
void Describe(Fields&, Refusal&);
void Describe(Fields&, Outcome::Change&);
void Describe(Fields&, Outcome::Information&);
void Describe(Fields&, Outcome&);

}
