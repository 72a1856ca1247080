// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/FileDescriptor.h"
#include "Tools/Repack/RepackTask.h"

#include <cstdint>
#include <memory>
#include <string>

#include <sys/types.h>

namespace dsm::repack
{

/// A process of this program that does one task. HDF5 has one thread, so who wants to compress on
/// several processors needs processes.
class RepackProcess
{
public:
  /// The option by which the program knows that it is one; behind it stands what it writes.
  static constexpr const char* Option = "--repack-task";

  /// What such a process does: reads its task from its standard input, and tells of it on its
  /// standard output. Returns its exit status. It ends at once when its parent does.
  static int Run();

  /// Starts one. Throws Error(System).
  explicit RepackProcess(const RepackTask& task);

  /// Waits for the end of one that has done its task, and kills any other.
  ~RepackProcess();
  RepackProcess(const RepackProcess&) = delete;
  RepackProcess& operator=(const RepackProcess&) = delete;

  /// Readable when there is something to Read.
  int Descriptor() const { return this->Reports->Get(); }

  /// How many bytes of values it has moved since. Throws Error(System) with its own words when it
  /// has failed, or ended without a word.
  std::uint64_t Read();

  bool IsDone() const { return this->Done; }

private:
  [[noreturn]] void ThrowEnded();

  std::string Name;
  std::unique_ptr<FileDescriptor> Reports;
  pid_t Process = 0;
  std::string Text; ///< of a line that is not whole
  bool Done = false;
};

}
