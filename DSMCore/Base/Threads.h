// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <csignal>

#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace dsm
{

/// Blocks all signals in the calling thread and in the threads it makes meanwhile: a simulation's
/// or ParaView's signal handlers must never run in a thread they do not know of.
class SignalsBlocked
{
public:
  SignalsBlocked()
  {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &this->Before);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &this->Before, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

private:
  sigset_t Before;
};

/// Returns the number of the calling thread. The C library has gettid from glibc 2.30 on only.
inline pid_t ThreadNumber()
{
  return static_cast<pid_t>(syscall(SYS_gettid));
}

/// The calling thread does what can wait: where others want all of the processor's time, it gets a
/// tenth of it.
inline void LowerPriority()
{
  // Of this thread alone, as Linux has it.
  setpriority(PRIO_PROCESS, static_cast<id_t>(ThreadNumber()), 10);
}

}
