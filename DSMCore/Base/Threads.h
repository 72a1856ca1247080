// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <csignal>

#include <pthread.h>

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

}
