// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <csignal>
#include <pthread.h>
#include <thread>
#include <utility>

namespace dsm
{

/// Starts a thread with all signals blocked: the host program's signals stay with its own threads.
template <typename Work>
std::thread StartThread(Work&& work)
{
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::forward<Work>(work));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}
