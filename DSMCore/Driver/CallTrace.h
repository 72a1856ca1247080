// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Clock.h"
#include "Base/FileDescriptor.h"
#include "Driver/CallRecord.h"

#include <cstdint>
#include <memory>
#include <string>

#include <sys/types.h>

namespace dsm
{

/// The file that DSM_TRACE asks for: a line for each of this process's calls to the driver, as CSV
/// with a header (README.md has the columns). Lines of reads and writes wait in 64 KiB of memory,
/// until another operation comes, or a second has passed at the next. Where the process crashes,
/// these are lost.
///
/// Not thread safe: HDF5 calls a driver from one thread at a time.
class CallTrace
{
public:
  /// This process's; null when DSM_TRACE is not set, and when no such file can be made, which a
  /// warning says once. It stays as long as the process.
  static CallTrace* OfThisProcess();

  /// What a name may stand for.
  struct Process
  {
    std::uint64_t Rank = 0;   ///< %r
    std::uint64_t Number = 0; ///< %p
    std::string Machine;      ///< %h
  };

  /// The file for a process. `where` is the name of a folder, or with a % a pattern: %r, %p and %h
  /// stand for what the process is, %% for a %. Throws Error(Usage) for another %.
  static std::string PathFor(const std::string& where, const Process& process);

  /// Makes the file, and the folder that it is in. Where one of that name is there already, the
  /// next free one is taken: rank0.csv, rank0-2.csv. Throws Error(System) when that cannot be.
  CallTrace(const std::string& path, std::uint64_t rank);

  /// Flushes.
  ~CallTrace();
  CallTrace(const CallTrace&) = delete;
  CallTrace& operator=(const CallTrace&) = delete;

  /// The number of a file that is opened.
  std::uint64_t NumberOfNextFile() { return ++this->Files; }

  /// Adds a call. In a child of the process that made the trace nothing happens.
  void Add(const CallRecord& record);

  /// Hands all lines to the system. What it does not take is lost, and so is all that comes behind,
  /// with one warning.
  void Flush() noexcept;

private:
  std::string Path;
  const FileDescriptor Output;
  const std::uint64_t Rank;
  const pid_t Maker;
  const Clock::time_point Origin; ///< the same moment as
  const double OriginDate;        ///< this one, in seconds since 1970
  Clock::time_point LastFlush;
  std::string Lines;
  std::uint64_t Files = 0;
  bool Broken = false;
};

}
