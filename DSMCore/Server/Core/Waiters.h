// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace dsm
{

/// Threads of the host program that wait for something in the core. They look again when they are
/// woken.
class Waiters
{
public:
  virtual ~Waiters() = default;

  /// Wakes those that wait for snapshots, an end, or an answer.
  virtual void WakeReaders() = 0;
  /// Wakes those that write to disk.
  virtual void WakeDiskWriters() = 0;

  void WakeAll()
  {
    this->WakeReaders();
    this->WakeDiskWriters();
  }
};

}
