// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"
#include "Steering/Transaction.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dsm
{

/// Outcomes that are sent together with the result of writing a file. A simulation that is
/// commanded to have a snapshot written orders it ("save") for that command's transaction; the
/// command's outcome and the file's result come in either order, and are sent as one:
///
///     Ordered -> Outcome -> (waits) -> FileResult    sent when the file is there, or could not be
///     written Ordered -> FileResult -> Outcome               sent with the outcome
///
/// The wait has a limit: an outcome that is late, or whose simulation is lost, is sent without. Not
/// thread safe.
class CommandedFiles
{
public:
  using FileResult = Outcome::Information;

  /// A file was ordered for that transaction; 0: for none.
  void Ordered(std::uint64_t transaction);

  /// What became of the file. The outcome that waited for it, if one did.
  std::optional<Outcome> Finished(std::uint64_t transaction, const FileResult& result);

  /// An outcome that may have to wait for its file: none then; else as it is to be told. One that
  /// explains itself is told at once: it has to wait for the end of a pause, which only those who
  /// hear of it can end.
  std::optional<Outcome> Pass(const std::string& instance, Outcome outcome);

  /// Whether an outcome waits here.
  bool IsWaiting(std::uint64_t transaction) const { return this->Waiting.contains(transaction); }

  /// The transactions of a simulation whose outcomes wait here, in their order.
  std::vector<std::uint64_t> WaitingOf(const std::string& instance) const;

  /// Outcomes that have waited for too long: the file may be large, or never come.
  std::vector<Outcome> TakeExpired();

  /// Outcomes of a simulation that has gone: its files may never come.
  std::vector<Outcome> TakeOf(const std::string& instance);

private:
  struct Entry
  {
    std::string Instance;
    Outcome Result;
    Deadline Until;
  };

  template <typename Predicate>
  std::vector<Outcome> Take(const Predicate& which, const char* note);

  std::map<std::uint64_t, std::optional<FileResult>> FileResults; ///< none: not written yet
  std::map<std::uint64_t, Entry> Waiting;
};

}
