// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Steering/Declaration.h"

#include <nlohmann/json.hpp>

#include <cstdint>
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
  std::vector<std::pair<std::string, nlohmann::json>> Set;
  std::vector<std::pair<std::string, nlohmann::json>> Commands; ///< name and argument (or null)
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
    nlohmann::json Old;
    nlohmann::json New;
  };

  std::uint64_t Number = 0;
  std::string Who;
  bool Applied = false;
  std::int64_t Step = 0; ///< at which it took effect, or was refused
  double Time = 0;
  std::vector<Change> Changes;
  std::vector<std::pair<std::string, std::int64_t>> Commands; ///< name and argument
  std::vector<Refusal> Refusals;
  nlohmann::json Detail; ///< what else there is to tell (a file that was written); else null
};

/// All that is wrong with a transaction; empty when it can be applied.
std::vector<Refusal> Check(const Declarations& offered, const Transaction& transaction);

void to_json(nlohmann::json&, const Transaction&);
void from_json(const nlohmann::json&, Transaction&);
void to_json(nlohmann::json&, const Outcome&);
void from_json(const nlohmann::json&, Outcome&);

}
