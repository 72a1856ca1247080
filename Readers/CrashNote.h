// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace dsm::readers
{

/// While it exists, a crash of this process (a signal such as SIGSEGV) is preceded by a line on the
/// standard error that says which file was read, and as what: a crash in a library that reads files
/// is else one of somewhere. Of a snapshot, a line is left for the next ParaView too (CrashRecord).
/// Whoever handled the signal before handles it after that. Only the
/// thread that reads may make one; one may be made while another exists.
class CrashNote
{
public:
  explicit CrashNote(const std::string& file);
  ~CrashNote();
  CrashNote(const CrashNote&) = delete;
  CrashNote& operator=(const CrashNote&) = delete;

  /// What the file is read as, once that is known.
  void ReadAs(const std::string& kind);

private:
  std::string File;
  std::string Before;                 ///< the line of the one that existed before
  std::string PathBefore, LeftBefore; ///< and where it would have left which
};

}
