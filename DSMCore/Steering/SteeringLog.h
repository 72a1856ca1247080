// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Steering/RunOrigin.h"
#include "Steering/SentArray.h"
#include "Steering/Transaction.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <iosfwd>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace dsm
{

/// Who changed what at which step, and which simulation began from what another one wrote: a text
/// file with a line for each value, each command and each beginning, columns separated by tabs (the
/// README of this folder has them all):
///
///   3  2026-11-21T05:30:00Z  ada@node7  gray_scott  120  1.5  set      "feed"        0.03  0.04
///   4  2026-11-21T05:30:09Z  ada@node7  gray_scott  180  2.2  command  "seed again"  -     1
///
/// Numbers read back to the same bits. The file appears with the first change; one of an earlier
/// server is kept beside it as <path>.previous. A thread of its own writes, so that a slow disk
/// delays nobody.
/// ReadSteeringLog, below, is the way back.
class SteeringLog
{
public:
  explicit SteeringLog(std::string path);
  ~SteeringLog(); ///< writes the rest
  SteeringLog(const SteeringLog&) = delete;
  SteeringLog& operator=(const SteeringLog&) = delete;

  const std::string& Path() const { return this->FilePath; }

  /// Enters an applied transaction; returns at once.
  void Add(const std::string& program, const Outcome& outcome);

  /// Enters what a program began from, and which of its parameters are others than there.
  void Add(
    const std::string& program, const RunOrigin& from, const std::vector<Outcome::Change>& changed);

private:
  void Post(std::string lines);
  void Run();
  bool Write(const std::string& lines);

  std::string FilePath;
  std::mutex Guard;
  std::condition_variable Wake;
  std::deque<std::string> Lines;
  bool Ending = false;
  bool Begun = false; ///< the thread's: the file is ours
  bool Failed = false;
  std::thread Writer;
};

/// Returns the path of the file that holds an array for replays of a log: "dsm-array-<hash>.h5" in
/// its folder.
std::string ArrayFile(const std::string& logPath, const SentArray& sent);

/// One transaction of a log: when to apply it, and what.
struct LoggedTransaction
{
  std::int64_t Step = 0;
  std::string Program;
  Transaction What;
};

/// Reads the changes in a log, in its order. Throws Error(System) when there is none and
/// Error(Usage), with the line's number, for a line that is none of a log.
std::vector<LoggedTransaction> ReadSteeringLog(const std::string& path);

/// The same of an open one; `name` is for complaints.
std::vector<LoggedTransaction> ReadSteeringLog(std::istream& log, const std::string& name);

/// What a log says of an applied transaction: a line for each value and each command.
std::string SteeringLogLines(const std::string& program, const Outcome& outcome);

/// What it says of what a program began from: one line.
std::string SteeringLogLine(
  const std::string& program, const RunOrigin& from, const std::vector<Outcome::Change>& changed);

}
