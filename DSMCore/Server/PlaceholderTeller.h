// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Protocol/PlaceholderContents.h"

#include <memory>
#include <string>

namespace dsm
{

/// Tells placeholders on disk what became of their snapshots, on the server's side: their writers
/// may have ended long ago. A placeholder that it does not find under the name that its writer gave
/// it, or that is of another snapshot by now, stays as it is, and nothing is said of that: the disk
/// may be another machine's, and opening such a file is an error in any case.
///
/// A thread of its own does it, in the order in which it was asked, since a disk may take its time.
/// Thread safe.
class PlaceholderTeller
{
public:
  PlaceholderTeller();

  /// As Finish.
  ~PlaceholderTeller();
  PlaceholderTeller(const PlaceholderTeller&) = delete;
  PlaceholderTeller& operator=(const PlaceholderTeller&) = delete;

  /// The file of that name, as its writer called it, is to say so if it is the placeholder of
  /// `address`: its server and number count. Does not block; where thousands wait already, this one
  /// is not told.
  void Tell(const std::string& file, const PlaceholderAddress& address, PlaceholderState state);

  /// The file of that name was not closed by its writer. If it is the placeholder of that image
  /// (Image), or of the snapshot of the file that there was before (Before), it becomes that of the
  /// snapshot (Number, of `size` bytes) that shows the file's last flush, or says that there is
  /// none. Does not block, as Tell.
  void TellUnfinished(
    const std::string& file, const PlaceholderAddress& address, std::uint64_t size);

  /// Waits until all are told, but not long, and takes no more. What a disk does not answer is
  /// given up.
  void Finish();

private:
  struct Shared;
  std::shared_ptr<Shared> State; ///< with a thread that may outlive this
};

}
