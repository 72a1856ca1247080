// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Clock.h"
#include "Server/Core/CoreState.h"
#include "Server/Core/HostPresence.h"
#include "Server/Core/HostService.h"
#include "Server/Core/ImageManager.h"

#include <string>

namespace dsm
{

/// Decides when hosts make memory ready ahead of the writers.
///
/// The hosts work in pieces, one after the other, until there is enough ahead or no memory for it.
/// They do not while a file is being written, unless that takes long, because its writers want the
/// cores. Where files follow one another closely, only half of what is enough is made ready. If
/// files come slowly, the hosts begin a while after each file, so that its readers have the cores.
/// When the next file's memory is ready, the hosts rest between their steps if others want their
/// cores.
class PreallocationService
{
public:
  /// All must outlive this.
  PreallocationService(
    const CoreState& state, const HostPresence& presence, ImageManager& images, HostService& hosts);

  /// Notes that an image was begun. It has its memory, so none is prepared for the file before.
  void NoteBegun()
  {
    this->LastBegin = this->State.Time.Now;
    this->NextIsDue = false;
  }
  /// A file was sealed: its stream's next file is likely to come, as large as this.
  void NoteSealed(const std::string& fileName);

  /// Goes on making memory ready, if that is due.
  void Continue();

  /// Returns true if a file has just been begun.
  bool IsBusyWriting() const;

private:
  void PrepareNext(const std::string& fileName);

  const CoreState& State;
  const HostPresence& Presence;
  ImageManager& Images;
  HostService& Hosts;
  std::string LastFile; ///< that was sealed
  Clock::time_point LastBegin;
  Clock::time_point LastSealed;
  Clock::time_point Due;  ///< when the hosts may begin
  bool NextIsDue = false; ///< the next file's memory is to be made ready then
  bool WasBrief = false;  ///< the pause before the last file began
  bool IsWarming = false; ///< hosts make a piece of memory ready
  bool IsScarce = false;  ///< they could not, the last time
};

}
