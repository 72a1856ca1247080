// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"

#include <functional>
#include <memory>
#include <thread>

#include <sys/types.h>

namespace dsm
{

/// The one thread behind an object, made for destructors that may run anywhere: while the process
/// exits, in the thread itself, or in a forked child where the thread does not exist.
/// The body must own all it uses (by shared_ptr), since a stuck thread is left behind, not waited
/// for without limit.
class ServiceThread
{
public:
  ServiceThread(const char* name, std::function<void()> body);
  ServiceThread(const ServiceThread&) = delete;
  ServiceThread& operator=(const ServiceThread&) = delete;

  /// Leaves a thread that was not joined to itself.
  ~ServiceThread();

  /// Waits for the body's end. False when the limit passed or the caller is the thread itself; the
  /// thread then goes on alone.
  bool Join(Seconds limit);

  /// True in a child of the process that made the thread.
  bool Forked() const;

private:
  struct Ending;

  pid_t Maker;
  std::shared_ptr<Ending> End;
  std::thread Thread;
};

}
