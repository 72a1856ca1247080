// SPDX-License-Identifier: BSD-3-Clause
#include "Client/InterruptWatch.h"

#include <atomic>

#include <csignal>

namespace dsm
{

namespace
{
// A signal's handler belongs to the process, and so does what it needs.
std::atomic<bool> taken{ false };
std::atomic<bool> came{ false };
struct sigaction programs = {};

static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may not take a lock");

void Note(int number, siginfo_t* info, void* context)
{
  came = true;
  if (programs.sa_flags & SA_SIGINFO)
  {
    programs.sa_sigaction(number, info, context);
  }
  else
  {
    programs.sa_handler(number);
  }
}
}

InterruptWatch::InterruptWatch()
{
  if (taken.exchange(true))
  {
    return; // a session of another thread waits as well, and watches for both
  }
  const bool handled = sigaction(SIGINT, nullptr, &programs) == 0 &&
    ((programs.sa_flags & SA_SIGINFO) ||
      (programs.sa_handler != SIG_DFL && programs.sa_handler != SIG_IGN));
  came = false;
  if (handled)
  {
    struct sigaction ours = programs;
    ours.sa_flags |= SA_SIGINFO;
    ours.sa_sigaction = Note;
    this->Installed = sigaction(SIGINT, &ours, nullptr) == 0;
  }
  if (!this->Installed)
  {
    taken = false;
  }
}

InterruptWatch::~InterruptWatch()
{
  if (!this->Installed)
  {
    return;
  }
  // Unless the program has set another meanwhile.
  struct sigaction now = {};
  if (sigaction(SIGINT, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) &&
    now.sa_sigaction == Note)
  {
    sigaction(SIGINT, &programs, nullptr);
  }
  taken = false;
}

bool InterruptWatch::Came()
{
  return came;
}

}
