// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Archive/RescueMessages.h"
#include "Base/Deadline.h"
#include "Base/FileDescriptor.h"
#include "Control/Envelope.h"
#include "Server/Server.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <sys/types.h>

namespace dsm
{

/// A server's link to its rescuer: the program that saves what is sealed and not yet saved when the
/// server is killed (Rescuer). On host rank 0, and thread safe.
///
/// A server that is destroyed without End is to its rescuer as one that was killed.
class RescueLink
{
public:
  /// Starts the rescuer, and tells it of each snapshot from now on. Where there can be none, since
  /// hosts are on other nodes or the program cannot be started, says so in the log and does nothing
  /// from then on. `folder`: where snapshots are saved; absolute. `rescuer`: the path of
  /// dsm-rescue.
  RescueLink(Server& server, const std::string& folder, const std::string& rescuer);
  ~RescueLink();
  RescueLink(const RescueLink&) = delete;
  RescueLink& operator=(const RescueLink&) = delete;

  /// A snapshot is on disk, or nobody wants it there. To be called before its memory may get
  /// another file.
  void Done(SnapshotId number, bool onDisk);

  /// No snapshot comes any more: the rescuer tries to save those that are not saved, and ends.
  /// Returns what it could not save. None when it is not there, or has not done so within the
  /// deadline: then it goes on by itself.
  std::optional<RescueEnded> End(const Deadline& deadline);

private:
  void Start(const std::string& folder, const std::string& rescuer);
  template <typename Message>
  void Tell(const Message& message);
  void Send();
  std::optional<Envelope> Answer(const Deadline& deadline) const;

  Server& Hosts;
  std::mutex Guard;                       // of all below
  std::unique_ptr<FileDescriptor> Socket; ///< null: there is no rescuer
  pid_t Process = 0;
  std::deque<Bytes> Unsent; ///< the rescuer is stopped, or slow
};

}
